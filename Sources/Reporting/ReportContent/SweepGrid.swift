import Laboratory
import Measurement

/// A table of runs at the points of a sweep: a row for each variant at each setting, and a column for each value of the
/// last swept parameter.
struct SweepGrid {
  struct Row {
    let variant: VariantFacts
    /// The settings that distinguish the groups of a comparison.
    let place: [Cell]
    /// The other settings.
    let settings: [Cell]
    /// The indices of the runs; nil for a point without a run.
    let runs: [Int?]
  }
  /// The parameters of ``Row/place`` and of ``Row/settings``.
  let parameters: (places: [ParameterFacts], settings: [ParameterFacts])
  /// The values of the parameter ``across``, as text; the single text `any threads` if the variants ignore the
  /// parameter `threads`.
  let columns: [String]
  let rows: [Row]
  /// The variant of all rows; nil if the rows are of several variants.
  let variant: VariantFacts?
  let metric: MetricFacts
  /// The last swept parameter.
  let across: ParameterFacts
  /// Whether any variant of the grid depends on the parameter ``across``.
  let depends: Bool

  /// The parts of the grid that contain the runs of one group, or of one variant if the rows do not distinguish groups.
  /// Each part has a title and its rows, with their labels.
  var panels: [(title: String, rows: [(label: String, row: Row)])] {
    rows.grouped { row in parameters.places.isEmpty ? [row.variant.name] : row.place.map(\.text) }.map { key, rows in
      let title =
        parameters.places.isEmpty
        ? key[0] : zip(parameters.places, key).map { RunNames.setting($0, [$1]) }.joined(separator: ", ")
      return (
        title,
        rows.map { row in
          let names = parameters.places.isEmpty ? [] : [row.variant.name]
          return ((names + row.settings.map(\.text)).joined(separator: ", "), row)
        }
      )
    }
  }
}

extension ReportTables {
  /// The grids of the headline metric. All variants that are compared with each other at each point are in the first
  /// grid, so that a column of a group shows which variant is the best. Each other variant with a figure has its own
  /// grid. The outcomes of a variant without any figure are in the table of the outcomes.
  var grids: [SweepGrid] {
    guard let metric = shown.first, let across = index.swept.last else { return [] }
    let runs = Dictionary(grouping: rows) { document.runs[$0].variant }
    // A variant that measures other metrics has no row. An incomplete trial is a result.
    let variants = document.scenario.variants.filter { variant in
      runs[variant.name]?.contains { document.runs[$0].metrics[metric.name] != nil || end(of: $0) != nil } == true
    }
    let compared = variants.filter { variant in
      let own = runs[variant.name] ?? []
      return own.contains(where: isCompared) || own.allSatisfy { comparison?.flawed.contains($0) == true }
    }
    let together = compared.count > 1 ? compared : []
    let others = variants.filter { variant in
      !together.contains { $0.name == variant.name }
        && runs[variant.name]?.contains { document.runs[$0].metrics[metric.name] != nil } == true
    }
    return (together.isEmpty ? [] : [grid(together, metric, across)]) + others.map { grid([$0], metric, across) }
  }

  private func isCompared(_ run: Int) -> Bool {
    comparison.map { $0.contrasts[run] != nil || $0.references.contains(run) } ?? false
  }

  /// Returns the grid of some variants. Rows that are compared are in the order of the groups.
  private func grid(_ variants: [VariantFacts], _ metric: MetricFacts, _ across: ParameterFacts) -> SweepGrid {
    let down = Array(index.swept.dropLast())
    let ranksRuns = document.runs.indices.contains { run in
      isCompared(run) && variants.contains { $0.name == document.runs[run].variant }
    }
    let groups = ranksRuns ? comparison?.groupParameters ?? [] : []
    let (places, settings) = (
      down.filter { groups.contains($0.name) }, down.filter { !groups.contains($0.name) }
    )
    let depends = variants.contains { index.depends($0.name, across) }
    let columns: [(label: String, setting: [String: ParameterValue])] =
      depends
      ? (across.swept ?? []).map { (across.describe($0), [across.name: $0]) } : [("any \(across.name)", [:])]
    let runs = index.inOrder(of: groups, document.runs.indices.filter { document.runs[$0].rounds > 0 })
    var seen: Set<[ParameterValue?]> = []
    let rows = runs.compactMap { run -> SweepGrid.Row? in
      let facts = document.runs[run]
      // Each combination of a variant and the parameters that affect it has one row.
      guard let variant = variants.first(where: { $0.name == facts.variant }),
        seen.insert([.text(facts.variant)] + down.map { facts.point[$0.name] }).inserted
      else { return nil }
      func cells(_ parameters: [ParameterFacts]) -> [Cell] {
        parameters.map { Self.setting($0, facts.point[$0.name]) }
      }
      return SweepGrid.Row(
        variant: variant, place: cells(places), settings: cells(settings),
        runs: columns.map { _, setting in index.run(variant.name, at: facts.point.merging(setting) { $1 }) })
    }
    return SweepGrid(
      parameters: (places, settings), columns: columns.map(\.label), rows: rows,
      variant: variants.count == 1 ? variants[0] : nil, metric: metric, across: across, depends: depends)
  }

  /// Returns words about the ratios in the cells of a grid: `as a multiple of the best mean`.
  static func meaning(of metric: MetricFacts, to reference: String, isBaseline: Bool) -> String {
    isBaseline
      ? "compared with \(reference) at the same settings"
      : metric.better == .higher ? "how many times lower than \(reference)" : "as a multiple of \(reference)"
  }

  /// Returns the table of a grid. Each cell is a ratio to the reference, or the figure if there is no reference.
  func table(_ grid: SweepGrid) -> Table {
    let metric = grid.metric
    let rows = grid.rows.map { row in
      Table.Row(
        needsCare: row.variant.isBroken,
        cells: row.place + (grid.variant == nil ? [Cell(row.variant.name, .key)] : []) + row.settings
          + row.runs.map { $0.map { gridCell($0, metric) } ?? .none })
    }
    let facts = rows.flatMap(\.cells).reduce(into: Cell.Facts()) { $0.formUnion($1.facts) }
    let best = comparison?.bestText(metric) ?? RunComparison.bestWords
    let reference = document.scenario.baseline ?? comparison?.forEachGroup(best) ?? best
    let areRatios = !facts.isDisjoint(with: [.ratio, .reference])
    let figures =
      (areRatios
        ? Self.meaning(of: metric, to: reference, isBaseline: document.scenario.baseline != nil)
        : "\(ranksByMean ? "means" : "medians") over the rounds")
      + (grid.depends ? ", by \(grid.across.name)" : "")
    let keys =
      grid.parameters.places.map { Table.Heading($0.name) }
      + (grid.variant == nil ? [Table.Heading("variant", .left)] : [])
      + grid.parameters.settings.map { Table.Heading($0.name) }
    let note = grid.variant == nil ? "\(metric.says); " : areRatios ? "\(metric.name) " : "\(metric.name), "
    return Table(
      title: grid.variant?.name ?? metric.name, note: note + figures,
      keys: keys.count, isGrid: true, headings: keys + grid.columns.map { Table.Heading($0) }, rows: rows)
  }

  /// Returns the cell of a run in a grid: its ratio to its reference, or the figure of the reference, which shows how
  /// long the other runs take. A number without a unit would look like a ratio, so the ratio 1.00 replaces it. A sign
  /// marks a run with two states.
  func gridCell(_ run: Int, _ metric: MetricFacts) -> Cell {
    let cell = unmarkedGridCell(run, metric)
    guard index.states(of: run, metric) != nil, !cell.facts.contains(.missing) else { return cell }
    return Cell(cell.text + Signs.twoStates, cell.facts.union(.twoStates), short: cell.short + Signs.twoStates)
  }

  private func unmarkedGridCell(_ run: Int, _ metric: MetricFacts) -> Cell {
    let isOfBest = comparison?.isOfBest != false
    let ratio = multiple(run, metric) { ratio, isRough in
      // Beside a highest mean, the ratio of a lower mean has no word, and a run that is not ranked may be higher.
      guard isOfBest, metric.better != .higher || ratio <= 1 else {
        return metric.meaning.wording(ratio, isRough: isRough)
      }
      return Quantity.ratio(metric.better == .higher ? 1 / ratio : ratio, isRough: isRough) + "x"
    }
    guard ratio.facts.contains(.reference), metric.unit != .none, comparison?.contrasts[run] == nil,
      let samples = document.runs[run].metrics[metric.name]
    else { return ratio }
    let figure = ranked(samples)
    return Cell(figure.text + mark(run).sign, ratio.facts.union(figure.facts), short: ratio.text)
  }

  /// Returns a cell with the ratio of a run to its reference. Without a reference, the cell contains the figure.
  /// Without a figure, the cell states how the trials ended. For a run with a flaw, the cell contains the count of the
  /// flaw.
  ///
  /// - Parameter text: returns a ratio as text, with few digits if it is rough.
  func multiple(
    _ run: Int, _ metric: MetricFacts,
    as text: (_ ratio: Double, _ isRough: Bool) -> String = { Quantity.ratio($0, isRough: $1) }
  ) -> Cell {
    if let flaw = flaw(run) { return flaw }
    let (mark, _, facts) = mark(run)
    if let contrast = comparison?.contrasts[run] {
      // More digits would suggest a precision that the rounds do not have.
      let ratio = text(contrast.ratio, contrast.interval?.isWide == true)
      let isFar = mark.hasSuffix(Signs.undecided) && contrast.interval.map { $0.largestDifference >= 1 } == true
      let (mark, facts) =
        isFar
        ? (mark.dropLast(Signs.undecided.count) + Signs.farUndecided, facts.union(.farUndecided)) : (mark[...], facts)
      if facts.contains(.unranked) { return Cell("(\(ratio)\(mark))", facts.union(.ratio)) }
      return Cell(
        (contrast.ratio > 1 && isLowerBound(run, metric) ? Signs.atLeast : "") + ratio + mark,
        facts.union(
          contrast.interval == nil
            ? [.ratio, .tooFewRounds] : mark.isEmpty || mark == Signs.best ? [.ratio, .significant] : .ratio))
    }
    if facts.contains(.reference) { return Cell("1.00" + mark, facts) }
    guard let samples = document.runs[run].metrics[metric.name] else { return missing(run) }
    let figure = ranked(samples)
    return Cell(figure.text + mark, facts.union(figure.facts))
  }
}
