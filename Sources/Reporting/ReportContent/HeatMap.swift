import Laboratory
import Measurement
import RealModule

/// A map of a metric over two or more swept parameters, with the cells of the grids (``ReportTables/grids``). The
/// strength of a cell's colour shows the distance of the figure from the reference.
struct HeatMap: Sendable {
  struct Point: Sendable {
    /// The text of the cell in the table.
    let text: String
    /// The distance of the figure from the reference, or from the best figure if there is no reference; nil if there is
    /// no figure. The distance is a share of the largest distance, from 0 to 1 on a logarithmic scale.
    let strength: Double?
    /// Whether the cell is better than the reference.
    let isBetter: Bool
    let isBest: Bool
    /// Whether the rounds do not distinguish the run of the cell from the best run or from the baseline.
    let isNearBest: Bool
    /// Whether the rounds are too noisy to compare the cell with its reference.
    var isTooNoisy = false
    /// The run of the cell with its ratio and its figure, as text for a tooltip.
    let says: String
  }
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    let cells: [Point]
  }
  /// The runs of one variant, or of several variants that are compared with each other.
  struct Panel: Sendable {
    let title: String
    /// The values of the parameter `across`, as text; the single text `any threads` if the variants ignore the
    /// parameter `threads`.
    let columns: [String]
    let rows: [Row]
    /// Whether any of the variants depends on the parameter `across`.
    let depends: Bool
  }
  let metric: MetricFacts
  /// The parameter whose values are the columns.
  let across: ParameterFacts
  let panels: [Panel]
  /// The reference of the ratios in the cells, as text; nil if the cells contain figures.
  let reference: String?
  /// The meaning of the ratios, `as a multiple of the best mean`; nil if the cells contain figures.
  let meaning: String?
  /// Whether the figures are the means that rank the runs of a comparison, and not medians.
  let isOfMeans: Bool
  /// The titles of the panels that do not fit into the map.
  let leftOut: [String]

  /// The maximum number of rows.
  private static let mostRows = 32

  /// Creates the map of the headline metric; nil if fewer than two parameters are swept over several values, or if no
  /// figure was measured.
  init?(_ tables: ReportTables) {
    let index = tables.index
    let swept = index.swept.filter { ($0.swept?.count ?? 0) > 1 }
    guard swept.count > 1, let across = swept.last, let metric = tables.shown.first else { return nil }
    self.metric = metric
    self.across = across
    let cells = Cells(metric, tables)
    let baseline = index.document.scenario.baseline
    let best = tables.comparison?.bestText(metric)
    reference = cells.areRatios ? baseline ?? best : nil
    meaning = reference.map {
      ReportTables.meaning(
        of: metric, to: baseline ?? tables.comparison?.forEachGroup($0) ?? $0, isBaseline: baseline != nil)
    }
    isOfMeans = index.showsMean(metric)

    var panels: [Panel] = []
    var leftOut: [String] = []
    for grid in tables.grids {
      for (title, rows) in grid.panels {
        let panel = Panel(
          title: title, columns: grid.columns,
          rows: rows.map { label, row in
            Row(label: label, isBroken: row.variant.isBroken, cells: row.runs.map(cells.cell))
          }, depends: grid.depends)
        // A variant without a figure of this metric has no panel.
        guard panel.hasFigures else { continue }
        let used = panels.reduce(0) { $0 + $1.rows.count }
        guard panels.isEmpty || used + panel.rows.count <= Self.mostRows else {
          leftOut.append(title)
          continue
        }
        panels.append(panel.limited(to: Self.mostRows))
      }
    }
    guard panels.contains(where: \.hasFigures) else { return nil }
    (self.panels, self.leftOut) = (panels, leftOut)
  }

  /// The strengths of the map's cells, relative to the best run and to the run farthest from it.
  private struct Cells {
    private let metric: MetricFacts
    private let tables: ReportTables
    /// Whether the cells are ratios to a reference, and not figures.
    let areRatios: Bool
    /// The best figure; nil if there is no figure.
    private let best: Double?
    /// The largest distance of a run from its reference, as the absolute value of a logarithm.
    private var farthest = 0.0

    private var index: RunIndex { tables.index }

    init(_ metric: MetricFacts, _ tables: ReportTables) {
      (self.metric, self.tables) = (metric, tables)
      areRatios = tables.comparison?.contrasts.isEmpty == false
      let (index, runs) = (tables.index, tables.index.document.runs.indices)
      let figures = runs.compactMap { index.shownFigure($0, of: metric) }.filter { $0 > 0 && $0.isFinite }
      best = metric.better == .higher ? figures.max() : figures.min()
      farthest = runs.compactMap(distance).filter(\.isFinite).map(abs).max() ?? 0
    }

    /// Returns the logarithm of the ratio between a run and its reference, or between a run and the best figure if the
    /// cells are not ratios; nil if there is no ratio.
    private func distance(_ run: Int) -> Double? {
      guard areRatios else {
        return index.shownFigure(run, of: metric).flatMap { figure in
          best.flatMap { figure > 0 ? Double.log(figure / $0) : nil }
        }
      }
      let comparison = tables.comparison
      if let contrast = comparison?.contrasts[run] { return contrast.ratio > 0 ? Double.log(contrast.ratio) : nil }
      return comparison?.references.contains(run) == true ? 0 : nil
    }

    func cell(_ run: Int?) -> Point {
      guard let run else {
        return Point(text: Cell.none.text, strength: nil, isBetter: false, isBest: false, isNearBest: false, says: "")
      }
      let comparison = tables.comparison
      let samples = index.document.runs[run].metrics[metric.name]
      let figure = samples.map { tables.ranked($0) }
      let cell = areRatios ? tables.gridCell(run, metric) : figure ?? tables.missing(run)
      let distance = distance(run).flatMap { $0.isFinite ? $0 : nil }
      let ofRatio = areRatios ? figure.map { ", \($0.text)" } ?? "" : ""
      return Point(
        text: cell.text, strength: distance.map { farthest > 0 ? abs($0) / farthest : 0 },
        isBetter: distance.map { metric.better == .higher ? $0 > 0 : $0 < 0 } ?? false,
        isBest: comparison?.bests.contains(run) == true && comparison?.uncertainBests.contains(run) == false,
        isNearBest: !cell.facts.isDisjoint(with: [.nearBest, .noDifference]),
        isTooNoisy: comparison?.isTooNoisy(run) == true,
        says: "\(index.labels[run]): \(cell.text)\(ofRatio)")
    }
  }
}

extension HeatMap.Panel {
  fileprivate var hasFigures: Bool { rows.contains { $0.cells.contains { $0.strength != nil } } }

  fileprivate func limited(to most: Int) -> Self {
    Self(title: title, columns: columns, rows: Array(rows.prefix(most)), depends: depends)
  }
}
