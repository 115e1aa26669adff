import Laboratory
import Measurement

/// The table of changes in a text, and the lines that explain it.
extension DiffReport {
  /// Returns lines that explain the figures and the intervals of some rows.
  func legend(_ rows: [ResultDiff.Row], hasIntervals: Bool, hasSides: Bool) -> [String] {
    let leftOut =
      diff.metricsLeftOut > 0 && !diff.rows.isEmpty
      ? ["not compared: \(diff.metricsLeftOut.counted("more metric")); --metric NAME or --metric all compares them"]
      : []
    guard !rows.isEmpty else { return leftOut }
    let kinds: [(Metric.Kind, String)] = [
      (.latency, "median durations"), (.count, "counts"), (.rate, "mean rates"),
    ]
    let names = kinds.filter { kind, _ in rows.contains { $0.kind == kind } }.map(\.1).joined(separator: ", ")
    var legend = [
      "\(hasSides ? "old, new" : "change"): \(hasSides ? "" : "of the ")\(names) of the trials, averaged over rounds and runs by the "
        + "geometric mean (by the median if one is 0)"
    ]
    if rows.contains(where: { $0.ratio != nil }) {
      let counts = Set(rows.flatMap { [$0.runs.old, $0.runs.new] }).sorted()
      let runs = counts.map(String.init).joined(separator: " or ")
      // A single run shows no difference between runs.
      let assumed =
        counts.first == 1 ? "; the difference of a single run from others is assumed (docs/measuring.md)" : ""
      let intervals =
        "simultaneous \(Quantity(100 * ConfidenceInterval.confidenceOfRuns, .percent)) confidence intervals"
      legend.append(
        (hasIntervals ? "[low \(Signs.range) high]: \(intervals) of the change" : "significant: by \(intervals)")
          + "; each run is one observation, however many rounds it has; runs per side: \(runs)\(assumed)")
    }
    return legend + leftOut
  }

  /// Returns whether an indented table of some rows with their whole names and intervals is at most `width` cells wide.
  func fits(_ rows: [ResultDiff.Row], within width: Int) -> Bool {
    let lines = rows.map { row in
      let cells = cells(row, unicode: true)
      return [cells[4], name(of: row), cells[1], cells[2], cells[3]]
    }
    let headings = ["", "", "old", "new", "change"].map { Table.Heading($0) }
    return AlignedColumns.width(of: AlignedColumns(headings: headings, rows: lines).widths) <= width - 2
  }

  func table(
    _ rows: [ResultDiff.Row], hasIntervals: Bool, hasSides: Bool, isWhole: Bool, _ style: TextStyle
  ) -> [String] {
    guard !rows.isEmpty else { return [] }
    // If no change can be judged, the head says so.
    let words = rows.contains { $0.change != .unknown } ? [0] : []
    let columns = words + (hasSides ? [1, 2, 3, 4] : [1, 4])
    // Changes without intervals all have the same form, so that a reader can compare them.
    let changes = changes(rows)
    func cells(_ place: Int, _ room: Int) -> [String] {
      let row = rows[place]
      let cells = self.cells(row, unicode: style.unicode)
      let change = hasIntervals ? cells[3] : row.ratio == nil ? "-" : changes[place]
      let all = [cells[4], name(of: row).shortened(to: room, style), cells[1], cells[2], change]
      return columns.map { all[$0] }
    }
    let heading = scenario == nil || metric == nil ? "figure" : variant == nil ? "variant" : "setting"
    let headings = columns.map {
      [
        Table.Heading("", .left), .init(heading, .left), .init("old"),
        .init("new"), .init("change"),
      ][$0]
    }
    let bare = AlignedColumns(headings: headings, rows: rows.indices.map { cells($0, 6) }).widths
    let room = isWhole ? Int.max : max(6, style.width - 2 - AlignedColumns.width(of: bare) + bare[words.count])
    let grid = AlignedColumns(headings: headings, rows: rows.indices.map { cells($0, room) })
    return grid.parts(keys: words.count + 1, within: style.width - 2).flatMap { columns in
      zip(0..., grid.keeping(columns, rows: Array(rows.indices)).lines()).map { index, line in
        index == 0 ? SemanticColor.quiet("  " + line, style) : "  " + (color(rows[index - 1])?(line, style) ?? line)
      }
    }
  }
}
