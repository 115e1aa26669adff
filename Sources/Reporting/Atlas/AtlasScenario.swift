import Laboratory
import Measurement

/// The headline figures of a scenario on several machines.
struct AtlasScenario: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// The cells by the index of the machine; nil for a machine on which the run does not exist or cannot be compared.
    let cells: [AtlasRun.Row?]
    /// The quotient of the largest and the smallest ratio among the cells; nil if fewer than two cells have a ratio, or
    /// if a ratio is 0.
    let apart: Double?
    /// Whether `apart` exceeds the difference that runs of one machine may have by chance; nil if `apart` is nil, or if
    /// there are too few rounds.
    let isSignificant: Bool?

    /// Whether at least one machine has a figure, or the trials ended differently on two machines.
    var isInformative: Bool {
      cells.contains { $0?.figure != nil } || Set(cells.compactMap { $0?.cell.text }).count > 1
    }

    /// The value of `apart` as text, with a sign if the difference is significant: `2.10x!`; empty if `apart` is nil.
    var apartText: String {
      apart.map { Quantity.ratio($0) + "x" + (isSignificant == true ? Atlas.significantMark : "") } ?? ""
    }
  }

  let name: String
  let title: String
  /// A description of the cells: `elapsed as a multiple of serial-loop in the same run`.
  let note: String
  /// The rows, in the order of the first machine. Rows that only later machines have are last.
  let rows: [Row]
  /// Remarks on machines whose figures have a different meaning, and on settings that differ between machines.
  let cautions: [String]

  /// Returns the rows with the largest differences, at most `most`, in their original order.
  func rows(most: Int) -> [Row] {
    guard rows.count > most else { return rows }
    let kept = rows.indices.sorted { rank(rows[$0]) > rank(rows[$1]) }.prefix(most)
    return kept.sorted().map { rows[$0] }
  }

  private func rank(_ row: Row) -> Double { row.apart ?? (Set(row.cells.map { $0?.cell.text }).count > 1 ? 1 : 0) }

  static func scenarios(_ columns: [AtlasColumn], _ words: ColumnWords) -> [AtlasScenario] {
    var names: [String] = []
    for run in columns.flatMap(\.runs) where !names.contains(run.scenario) { names.append(run.scenario) }
    return names.compactMap { name in
      AtlasScenario(columns.map { column in column.runs.first { $0.scenario == name } }, words)
    }
  }

  private init?(_ runs: [AtlasRun?], _ words: ColumnWords) {
    guard let first = runs.compactMap(\.self).first(where: { $0.metric != nil }), let metric = first.metric else {
      return nil
    }
    name = first.scenario
    title = first.title
    let compared = runs.map { run in run.flatMap { $0.measure == first.measure ? $0 : nil } }
    let hasRatios = compared.contains { $0?.hasRatios == true }
    note =
      first.reference.map { reference in
        hasRatios
          ? "\(metric.name) as a multiple of \(reference) in the same run"
          : "\(metric.name), the figure itself: \(reference) is 0, so there is no multiple"
      } ?? "\(metric.name), the figure itself: the scenario has no baseline"
    let others = runs.enumerated().compactMap { number, run -> String? in
      guard let run, run.measure != first.measure else { return nil }
      return "\(words.one) \(number + 1) has \(run.measure), not \(first.measure): not compared"
    }
    let tables = compared.map { run in
      Dictionary(firstOf: (run?.rows ?? []).map { ($0.label, $0) })
    }
    var labels: [String] = []
    var seen: Set<String> = []
    for row in compared.compactMap(\.self).flatMap(\.rows) where seen.insert(row.label).inserted {
      labels.append(row.label)
    }
    let comparisons = labels.count * runs.count * (runs.count - 1) / 2
    rows = labels.map { label in Row(label, tables.map { $0[label] }, among: comparisons) }.filter(\.isInformative)
    cautions = others + [Self.otherSettings(rows).map { "\($0) between \(words.many)" }].compactMap(\.self)
  }

  /// Returns the parameters whose values differ between machines, or that only some machines have, as text: `stride,
  /// tasks differ`; nil if no parameter differs.
  private static func otherSettings(_ rows: [Row]) -> String? {
    var settings: Set<String> = []
    for row in rows {
      let parameters = row.cells.compactMap { $0?.parameters }
      for name in Set(parameters.flatMap(\.keys)) where Set(parameters.map { $0[name] }).count > 1 {
        settings.insert(name)
      }
    }
    guard !settings.isEmpty else { return nil }
    return "\(settings.sorted().joined(separator: ", ")) \(settings.count == 1 ? "differs" : "differ")"
  }
}

extension AtlasScenario.Row {
  fileprivate init(_ label: String, _ cells: [AtlasRun.Row?], among comparisons: Int) {
    self.label = label
    self.cells = cells
    isBroken = cells.contains { $0?.isBroken == true }
    let contrasts = cells.compactMap { $0?.contrast }
    guard contrasts.count > 1, let least = contrasts.min(by: { $0.ratio < $1.ratio }),
      let most = contrasts.max(by: { $0.ratio < $1.ratio }), least.ratio > 0
    else {
      (apart, isSignificant) = (nil, nil)
      return
    }
    apart = most.ratio / least.ratio
    isSignificant = ConfidenceInterval.ofRatio([most.rounds], to: [least.rounds], among: comparisons).map { $0.low > 1 }
  }
}
