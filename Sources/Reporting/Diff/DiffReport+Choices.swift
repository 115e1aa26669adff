import Laboratory
import Measurement

/// What the comparisons of both sides choose.
extension DiffReport {
  /// The maximum number of settings whose candidates have a line.
  private static let mostChoices = 8
  /// The maximum number of choices of a side that are listed.
  private static let mostOfSide = 3

  /// Returns a line with the choice of all comparisons, `the same choice in all 3 runs: stride 4`, or a line for each
  /// side, `the old choice: stride 4`. If the comparisons of a side have several choices, each is an item of a list,
  /// the most frequent first: `stride 4 (in 2 of 3 runs, not certain in 1)`. Lines about the candidates for the best
  /// follow, unless all comparisons have the same choice, since the candidates then differ by chance.
  func choices(_ old: [ResultDiff.Answer], _ new: [ResultDiff.Answer]) -> [Line] {
    if Set((old + new).map(\.choice)).count == 1 {
      let all = old.count + new.count
      return [Line("the same choice \(all > 2 ? "in all \(all) runs" : "on both sides"): \(Self.text(old + new))")]
    }
    let choices = [("old", old), ("new", new)].flatMap { side, answers -> [Line] in
      let names = NameCounts(answers.map(\.choice), of: answers.count).names
      guard names.count > 1 else {
        let runs =
          answers.count > 1 ? " in \(answers.count.of(answers.count, "runs"))" : ""
        return [Line("the \(side) choice\(runs): \(Self.text(answers))")]
      }
      let items = names.prefix(Self.mostOfSide).map { name, count in
        let uncertain = answers.count { $0.choice == name && $0.caution != nil }
        let caution = uncertain == 0 ? "" : uncertain == count ? ", not certain" : ", not certain in \(uncertain)"
        return Line("\(name) (in \(count) of \(answers.count) runs\(caution))", isItem: true)
      }
      let left = names.count - items.count
      return [Line("the \(side) choice differs from run to run:")] + items
        + (left > 0 ? [Line("and \(left) more", isItem: true)] : [])
    }
    return choices + candidates(old, new)
  }

  /// A line about the swept values that only one side has tried, `tried on one side only: permits 64 (old), permits 48
  /// (new)`, since the choice of that side may be one of them; nil if there are none.
  var untried: Line? {
    guard let documents = diff.comparedDocuments else { return nil }
    let sides = [("old", documents.old, documents.new), ("new", documents.new, documents.old)]
    let parts = diff.sweptParameters.flatMap { name in
      sides.compactMap { side, own, other -> String? in
        func swept(_ documents: [ResultDocument]) -> [ParameterValue] {
          documents.flatMap(\.scenario.parameters).filter { $0.name == name }.flatMap { $0.swept ?? [] }.distinct
        }
        let others = swept(other)
        let alone = swept(own).filter { !others.contains($0) }
        guard !others.isEmpty, !alone.isEmpty,
          let parameter = own.flatMap(\.scenario.parameters).first(where: { $0.name == name })
        else { return nil }
        let all = (alone + others).distinct
        // Near values can have one description.
        let text = Set(all.map(parameter.describe)).count == all.count ? parameter.describe : parameter.exact
        return "\(RunNames.setting(parameter, alone.map(text), "and")) (\(side))"
      }
    }
    return parts.isEmpty ? nil : Line("tried on one side only: \(parts.joined(separator: ", "))", .care)
  }

  /// Returns the common choice of some comparisons, with the remark on an uncertain choice: `stride 4 (undecided at 1
  /// of the 2 values of work)`, or `stride 4 (not certain in 2 of 3 runs)`.
  private static func text(_ answers: [ResultDiff.Answer]) -> String {
    let cautions = answers.compactMap(\.caution)
    let common = cautions.count == answers.count && Set(cautions).count == 1 ? cautions.first : nil
    let caution = common ?? "not certain in \(cautions.count.of(answers.count, "runs"))"
    return (answers.first?.choice ?? "") + (cautions.isEmpty ? "" : " (\(caution))")
  }

  /// Returns lines about the candidates for the best at each setting of comparisons of several settings: `work 10 ns:
  /// stride 1 in 3 of 3 runs, stride 4 in 1 → stride 4 in 3 of 3 runs`. Settings with the same candidates on both sides
  /// are counted.
  private func candidates(_ old: [ResultDiff.Answer], _ new: [ResultDiff.Answer]) -> [Line] {
    func candidates(_ answers: [ResultDiff.Answer], at place: String) -> NameCounts {
      let bests = answers.flatMap(\.bests).filter { $0.place == place }
      return NameCounts(bests.flatMap(\.names), of: bests.count)
    }
    let both = new.flatMap(\.bests).map(\.place).distinct.map {
      (place: $0, old: candidates(old, at: $0), new: candidates(new, at: $0))
    }.filter { $0.old.runs > 0 }
    guard both.count > 1 else { return [] }
    let changed = both.filter { $0.old.shares != $0.new.shares }
    let same = both.count - changed.count
    let rest =
      same > 0 ? "the same candidates for the best at \(same.of(both.count)); the others:" : "candidates for the best:"
    let lines = changed.prefix(Self.mostChoices).map { place, old, new in
      "\(place): \(new.change(from: old))"
    }
    let more = changed.count > lines.count ? ["and \((changed.count - lines.count).counted("more setting"))"] : []
    return changed.isEmpty ? [] : [Line(rest)] + (lines + more).map { Line($0, isItem: true) }
  }
}

/// How many runs of one side have each of some names.
private struct NameCounts {
  /// The names, the most frequent first.
  let names: [(name: String, count: Int)]
  /// The number of runs.
  let runs: Int

  init(_ names: [String], of runs: Int) {
    self.runs = runs
    self.names = names.grouped { $0 }.map { (name: $0.key, count: $0.elements.count) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The share of the runs that have each name.
  var shares: [String: Double] {
    Dictionary(uniqueKeysWithValues: names.map { ($0.name, Double($0.count) / Double(max(runs, 1))) })
  }

  /// Returns the names of a single run beside those of a single older run, `joined: stride 4; left: stride 1`. Several
  /// runs have counts instead: `stride 1 in 3 of 3 runs → stride 4 in 2 of 3 runs, stride 1 in 1`.
  func change(from old: NameCounts) -> String {
    guard runs == 1, old.runs == 1 else { return "\(old.text) \(Signs.arrow) \(text)" }
    func names(in counts: NameCounts, notIn others: NameCounts) -> [String] {
      counts.names.map(\.name).filter { others.shares[$0] == nil }
    }
    return [("joined", names(in: self, notIn: old)), ("left", names(in: old, notIn: self))]
      .filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.listed())" }.joined(separator: "; ")
  }

  /// Returns the names with their counts, `stride 1 in 3 of 3 runs, stride 4 in 1`, or the names alone for a single
  /// run: `stride 1 or stride 4`.
  var text: String {
    guard runs > 1 else { return names.map(\.name).listed("or") }
    return names.enumerated().map { number, name in
      "\(name.name) in \(name.count)\(number == 0 ? " of \(runs) runs" : "")"
    }.abridged(to: DiffReport.mostItems)
  }
}
