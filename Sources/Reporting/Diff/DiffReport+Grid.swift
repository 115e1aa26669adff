import Laboratory
import Measurement

/// The grid of a diff of two comparisons.
extension DiffReport {
  /// The explanation of the signs in a grid; empty if no figure has a sign.
  var gridKey: [String] {
    let meanings: [(ResultDiff.Change, String)] = [
      (.unknown, "\(Signs.undecided) inconclusive"),
      (.none, "\(Signs.nearBest) no change above \(ConfidenceInterval.alikeReach)"),
    ]
    let texts = meanings.filter { change, _ in diff.rows.contains { $0.change == change } }.map(\.1)
    return texts.isEmpty ? [] : [texts.joined(separator: "; ")]
  }

  /// Returns the narrowest and the widest interval of the changes as text: `intervals: from [-2 % … +3 %] to [-24 % …
  /// +36 %]; --details shows each`. Returns nil without intervals.
  private func extremes(_ style: TextStyle) -> String? {
    let rows = diff.rows.filter { $0.ratio != nil }.sorted { ($0.ratio?.width ?? 1) < ($1.ratio?.width ?? 1) }
    let ends = [rows.first, rows.last].compactMap { row in
      row.flatMap { change($0, unicode: style.unicode)?.interval }
    }.distinct
    guard !ends.isEmpty else { return nil }
    return "intervals: \(ends.count > 1 ? "from \(ends[0]) to \(ends[1])" : ends[0]); --details shows each"
  }

  /// The maximum number of columns of a grid, not counting the key columns.
  private static let mostColumns = 8

  /// Returns the changes of all figures as a grid, with a row for each variant and setting, and a column for each value
  /// of the last swept parameter. Returns nil if the sides are not two comparisons, if fewer than two parameters are
  /// swept, or if the grid has too many columns or metrics.
  func grid(_ style: TextStyle) -> [String]? {
    let rows = diff.rows
    // Variants may read different parameters.
    let parameters = diff.sweptParameters.filter { name in rows.contains { setting($0, name) != nil } }
    guard diff.comparedDocuments != nil, Set(rows.map(\.metric)).count == 1, rows.contains(where: { $0.ratio != nil }),
      parameters.count > 1, let last = parameters.last
    else { return nil }
    let columns = rows.compactMap { setting($0, last) }.distinct
    guard 2...Self.mostColumns ~= columns.count else { return nil }
    let keys = parameters.dropLast()
    func lines(_ changes: [String]) -> [[String]] {
      zip(rows, changes).grouped { row, _ in
        [row.figure.variant] + keys.map { setting(row, $0) ?? "-" }
      }.map { names, cells in
        let values = names.dropFirst().map { $0.split(separator: "=").last.map(String.init) ?? $0 }
        return [names[0]] + values
          + columns.map { column in
            // A variant that the parameter does not affect has one figure, in the first column.
            cells.first { row, _ in (setting(row, last) ?? columns[0]) == column }.map { cell($0, $1) } ?? ""
          }
      }
    }
    let headings =
      [Table.Heading("variant", .left)] + keys.map { Table.Heading($0) } + columns.map { Table.Heading($0) }
    // Without room for the intervals, a note has the narrowest and the widest.
    let whole = AlignedColumns(headings: headings, rows: lines(rows.map { cells($0, unicode: style.unicode)[3] }))
    let hasIntervals = AlignedColumns.width(of: whole.widths) <= style.width - 2
    let grid = hasIntervals ? whole : AlignedColumns(headings: headings, rows: lines(changes(rows)))
    let note = hasIntervals ? nil : extremes(style)
    let text = grid.parts(keys: 1 + keys.count, within: style.width - 2).flatMap { columns in
      zip(0..., grid.keeping(columns, rows: Array(grid.rows.indices)).lines()).map { index, line in
        index == 0 ? SemanticColor.quiet("  " + line, style) : "  " + line
      }
    }
    return text + (note.map { style.wrapped($0, .quiet, indent: 2) } ?? [])
  }

  /// Returns the setting of a parameter in a row: `hold=1us`; nil if the parameter does not distinguish the row.
  private func setting(_ row: ResultDiff.Row, _ name: String) -> String? {
    row.figure.settings.first { Self.parameter($0) == name }
  }

  private func cell(_ row: ResultDiff.Row, _ change: String) -> String {
    let sign = row.change == .unknown ? Signs.undecided : row.change == .none ? Signs.nearBest : ""
    return (row.ratio == nil ? "-" : change) + sign
  }

  /// Returns the name of the parameter of a setting: `hold` of `hold=1us`.
  private static func parameter(_ setting: String) -> String { String(setting.prefix { $0 != "=" }) }
}
