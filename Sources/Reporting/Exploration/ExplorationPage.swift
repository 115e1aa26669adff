import Exploration

/// The results of explorations as a self-contained HTML page.
enum ExplorationPage {
  static func render(_ results: [ExplorationResult]) -> String {
    let patterns = results.grouped(by: \.pattern)
    let sections = patterns.map { name, results -> Markup in
      let leavesOut: Markup = results.first?.leavesOut.map { "<p class=\"legend\">\($0)</p>" } ?? ""
      return """
        <section id="\(name)"><h1>\(name) <small>every schedule, and the shortest that breaks it</small></h1>
        \(results.map(variant))\(leavesOut)</section>

        """
    }
    let title = patterns.count > 3 ? "\(patterns.count) scenarios" : patterns.map(\.key).joined(separator: ", ")
    let limits = ExplorationWords.limits(results).map { text -> Markup in "<p class=\"legend\">\(text)</p>\n" }
    return HTMLReport.page("\(title), explored", "\(sections)\(limits)")
  }

  private static func variant(_ result: ExplorationResult) -> Markup {
    let schedule: Markup = result.summary?.shortest.map(table) ?? ""
    return """
      <h2>\(result.variant.name)</h2><p>\(ExplorationWords.sentence(result))</p>
      \(schedule)
      """
  }

  /// Returns the table of a schedule, with a row for each step and a column for each thread.
  private static func table(_ record: ScheduleRecord) -> Markup {
    let columns = Set(record.shown.map(\.strand)).sorted()
    let headings = columns.map { column -> Markup in "<th>\(record.strands[column])</th>" }
    let rows = record.shown.enumerated().map { index, step -> Markup in
      let cells = columns.map { column -> Markup in
        "<td>\(column == step.strand ? step.words.joined(separator: ", ") : "")</td>"
      }
      let broken: Markup = step.breaks.map { "<b class=\"wrong\">← \($0)</b>" } ?? ""
      return "<tr><td>\(index + 1)</td>\(cells)<td>\(broken)</td></tr>\n"
    }
    let end: Markup = ExplorationWords.end(record).map { "<p><b>\($0)</b></p>" } ?? ""
    return """
      <p>The shortest schedule that breaks it: <code>\(record.scheduleText)</code></p>
      <table><thead><tr><th>step</th>\(headings)<th></th></tr></thead><tbody>
      \(rows)</tbody></table>\(end)

      """
  }
}
