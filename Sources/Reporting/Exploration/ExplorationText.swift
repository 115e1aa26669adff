import Exploration
import Platform

/// The results of explorations as text: the number of schedules that break each variant, and the steps of the shortest
/// failing schedule.
public struct ExplorationText {
  private let style: TextStyle

  /// Creates a renderer for text in a style.
  public init(style: TextStyle) { self.style = style }

  /// Returns the results as text, grouped by pattern.
  ///
  /// - Parameters:
  ///   - results: the results, one for each variant.
  ///   - steps: whether the text contains the steps of the shortest failing schedule of each variant.
  public func render(_ results: [ExplorationResult], steps: Bool) -> String {
    var lines: [String] = []
    for (pattern, results) in results.grouped(by: \.pattern) {
      if let only = results.first, results.count == 1, steps {
        lines +=
          Heading.lines(pattern, only.variant.name, .name, style) + style.wrapped(ExplorationWords.sentence(only))
      } else {
        lines += [SemanticColor.heading(pattern, style)] + summary(results) + intention(results)
      }
      for result in results where steps {
        guard let shortest = result.summary?.shortest else { continue }
        if results.count > 1 { lines += ["", SemanticColor.name(result.variant.name, style)] }
        lines +=
          style.wrapped(
            "The shortest schedule that breaks it: \(shortest.scheduleText)\(ExplorationWords.numbers(shortest))")
          + schedule(shortest)
      }
      if let leavesOut = results.first?.leavesOut { lines += [""] + style.wrapped(leavesOut, .quiet) }
      lines.append("")
    }
    let limits = ExplorationWords.limits(results).flatMap { style.wrapped($0, .quiet) }
    // The last scenario ends with an empty line.
    return (limits.isEmpty ? lines.dropLast() : lines + limits).map { $0 + "\n" }.joined()
  }

  /// Returns the steps of one schedule as text.
  ///
  /// - Parameters:
  ///   - record: the record of the schedule.
  ///   - pattern: the pattern that was explored.
  ///   - variant: the name of the variant.
  public func render(_ record: ScheduleRecord, of pattern: ExploredPattern, variant: String) -> String {
    let leavesOut = pattern.leavesOut.map { style.wrapped($0, .quiet) } ?? []
    let lines =
      Heading.lines(pattern.name, variant, .name, style) + schedule(record) + [""] + leavesOut
      + style.wrapped(ExplorationWords.model, .quiet)
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: All variants

  private func summary(_ results: [ExplorationResult]) -> [String] {
    let name = results.map(\.variant.name.displayWidth).max() ?? 0
    return alike(results).flatMap { results -> [String] in
      let sentence = ExplorationWords.sentence(results)
      func heading(_ result: ExplorationResult, paddedTo width: Int = 0) -> String {
        "\(mark(result)) \(SemanticColor.name(result.variant.name.padded(to: width), style))"
      }
      let room = style.width - name - 4
      guard room >= 30 else { return results.map { heading($0) } + style.wrapped(sentence, indent: 2) }
      let text = sentence.wrapped(to: room)
      return (0..<max(results.count, text.count)).map { index in
        guard index < text.count else { return heading(results[index]) }
        let lead =
          index < results.count ? heading(results[index], paddedTo: name) : String(repeating: " ", count: name + 2)
        return "\(lead)  \(text[index])"
      }
    }
  }

  /// Returns a note that the marked variants are meant to break; an empty array if no variant breaks, or if a variant
  /// breaks that should not.
  private func intention(_ results: [ExplorationResult]) -> [String] {
    guard results.contains(where: \.breaks), !results.contains(where: \.isFailure) else { return [] }
    return style.wrapped("\(style.sign("✗", "x")) as intended: the variant shows a mistake", .quiet)
  }

  private func mark(_ result: ExplorationResult) -> String {
    result.obstacle != nil || result.isUndecided
      ? SemanticColor.quiet("-", style)
      : result.breaks ? SemanticColor.bad(style.sign("✗", "x"), style) : SemanticColor.good(style.sign("✓", "+"), style)
  }

  /// Returns the results in groups. Successive results with the same obstacle form a group. Every other result forms a
  /// group of its own.
  private func alike(_ results: [ExplorationResult]) -> [[ExplorationResult]] {
    var groups: [[ExplorationResult]] = []
    for result in results {
      if let obstacle = result.obstacle, groups.last?.first?.obstacle == obstacle {
        groups[groups.count - 1].append(result)
      } else {
        groups.append([result])
      }
    }
    return groups
  }

  // MARK: One schedule

  private func schedule(_ record: ScheduleRecord) -> [String] {
    let steps = record.shown
    let columns = Set(steps.map(\.strand)).sorted()
    let rows = steps.enumerated().map { index, step in
      ["\(index + 1)"] + columns.map { $0 == step.strand ? step.words.joined(separator: ", ") : "" }
    }
    let headings = [Table.Heading("step")] + columns.map { .init(record.strands[$0], .left) }
    var lines: [String] = []
    if !rows.isEmpty {
      // The text about a broken promise follows the step that breaks the promise, in place of the empty columns after
      // the step.
      let grid = AlignedColumns(headings: headings, rows: rows).lines()
      lines = zip(grid, [nil] + steps.map { $0.breaks }).map { line, breaks in
        line + (breaks.map { "  " + style.sign("← ", "<- ") + $0 } ?? "")
      }
      if lines.contains(where: { $0.displayWidth > style.width }) { lines = list(record, steps) }
      lines = lines.map { line in
        guard let mark = line.firstRange(of: style.sign("←", "<-")) else { return line }
        return line[..<mark.lowerBound] + SemanticColor.bad(String(line[mark.lowerBound...]), style)
      }
    }
    if let end = ExplorationWords.end(record) { lines += style.wrapped(end, record.outcome.isBroken ? .bad : .good) }
    return lines
  }

  /// Returns the steps as a list, for a terminal without room for a column for each thread.
  private func list(_ record: ScheduleRecord, _ steps: [ScheduleRecord.Step]) -> [String] {
    let name = steps.map { record.strands[$0.strand].displayWidth }.max() ?? 0
    let indent = 4 + 2 + name + 2
    return steps.enumerated().flatMap { index, step -> [String] in
      let number = String(index + 1)
      let lead =
        String(repeating: " ", count: max(0, 4 - number.count)) + number + "  "
        + record.strands[step.strand].padded(to: name) + "  "
      let room = max(12, style.width - indent)
      let words = step.words.joined(separator: ", ").wrapped(to: room)
      let broken = step.breaks.map { (style.sign("← ", "<- ") + $0).wrapped(to: room) } ?? []
      return (words + broken).enumerated().map {
        ($0 == 0 ? lead : String(repeating: " ", count: indent)) + $1
      }
    }
  }
}
