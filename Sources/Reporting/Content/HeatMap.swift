import Laboratory
import Measurement
import RealModule

/// A map of a metric over two swept parameters, with a panel for each variant and a cell for each point. The strength
/// of a cell's colour is its distance from the reference.
struct HeatMap: Sendable {
  struct Point: Sendable {
    /// The text of the cell in the table.
    let text: String
    /// The distance from the reference, or from the best figure without a reference, as a share of the largest
    /// distance: from 0 to 1 on a logarithmic scale; nil if there is no figure.
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
    let cells: [Point]
  }
  struct Panel: Sendable {
    let variant: String
    let isBroken: Bool
    /// The values of the parameter `across`; a single column, `any threads`, if the variant ignores the parameter.
    let columns: [String]
    let rows: [Row]
    /// Whether the variant depends on the parameter `across`.
    let heeds: Bool
  }
  let metric: MetricFacts
  /// The parameter whose values are the columns.
  let across: ParameterFacts
  let panels: [Panel]
  /// The reference of the ratios in the cells, as text; nil if the cells contain figures.
  let reference: String?
  /// Whether the figures are the means that rank the runs of a search, and not medians.
  let isOfMeans: Bool
  /// The names of the variants that do not fit into the map.
  let leftOut: [String]

  /// The maximum number of rows.
  private static let most = 32

  /// Creates the map of the headline metric; nil if fewer than two parameters are swept, or if no figure was measured.
  init?(_ tables: Tables) {
    let index = tables.index
    let swept = index.swept.filter { ($0.swept?.count ?? 0) > 1 }
    guard swept.count > 1, let across = swept.last, let metric = tables.shown.first else { return nil }
    self.metric = metric
    self.across = across
    let comparison = tables.comparison
    let isRatio = comparison?.contrasts.isEmpty == false
    let groups = comparison?.groups ?? ""
    let best = groups.isEmpty ? RunComparison.best : "\(RunComparison.best) for each \(groups)"
    reference = isRatio ? index.document.scenario.baseline ?? best : nil

    isOfMeans = index.ranksByMean(metric)
    let figures = index.document.runs.indices.compactMap { index.ranked($0, by: metric) }.filter {
      $0 > 0 && $0.isFinite
    }
    let least = metric.better == .higher ? figures.max() : figures.min()
    /// Returns the logarithm of the ratio between a run and its reference; nil if there is no ratio.
    func distance(_ run: Int) -> Double? {
      guard isRatio else {
        return index.ranked(run, by: metric).flatMap { figure in
          least.flatMap { figure > 0 ? Double.log(figure / $0) : nil }
        }
      }
      if let contrast = comparison?.contrasts[run] { return contrast.ratio > 0 ? Double.log(contrast.ratio) : nil }
      return comparison?.references.contains(run) == true ? 0 : nil
    }
    let farthest = index.document.runs.indices.compactMap(distance).filter(\.isFinite).map(abs).max() ?? 0

    func cell(_ run: Int?) -> Point {
      guard let run else {
        return Point(text: Cell.none.text, strength: nil, isBetter: false, isBest: false, isNearBest: false, says: "")
      }
      let samples = index.document.runs[run].metrics[metric.name]
      let figure = samples.map { tables.ranked($0) }
      let cell = isRatio ? tables.multiple(run, metric) : figure ?? tables.missing(run)
      let distance = distance(run).flatMap { $0.isFinite ? $0 : nil }
      let ofRatio = isRatio ? figure.map { ", \($0.text)" } ?? "" : ""
      return Point(
        text: cell.text, strength: distance.map { farthest > 0 ? abs($0) / farthest : 0 },
        isBetter: distance.map { metric.better == .higher ? $0 > 0 : $0 < 0 } ?? false,
        isBest: comparison?.bests.contains(run) == true && comparison?.unnamed.contains(run) == false,
        isNearBest: !cell.facts.isDisjoint(with: [.nearBest, .noDifference]),
        isTooNoisy: comparison?.isTooNoisy(run) == true,
        says: "\(index.labels[run]): \(cell.text)\(ofRatio)")
    }

    let down = index.swept.filter { $0.name != across.name }
    var panels: [Panel] = []
    var leftOut: [String] = []
    for variant in index.document.scenario.variants {
      let runs = index.document.runs.indices.filter {
        index.document.runs[$0].variant == variant.name && index.document.runs[$0].rounds > 0
      }
      guard !runs.isEmpty else { continue }
      var seen: Set<[ParameterValue?]> = []
      let columns = index.columns(of: variant.name, across)
      let points = runs.map { index.document.runs[$0].point }.filter { point in
        seen.insert(down.map { point[$0.name] }).inserted
      }
      let rows = points.map { point in
        let label = down.map { parameter in point[parameter.name].map(parameter.label) ?? "any \(parameter.name)" }
        return Row(
          label: label.joined(separator: ", "),
          cells: columns.map { column in cell(index.run(variant.name, at: point.merging(column.setting) { $1 })) })
      }
      // A variant without a figure of this metric has no panel.
      guard rows.contains(where: { $0.cells.contains { $0.strength != nil } }) else { continue }
      let used = panels.reduce(0) { $0 + $1.rows.count }
      guard panels.isEmpty || used + rows.count <= Self.most else {
        leftOut.append(variant.name)
        continue
      }
      panels.append(
        Panel(
          variant: variant.name, isBroken: variant.isBroken, columns: columns.map(\.label),
          rows: Array(rows.prefix(Self.most)), heeds: index.heeds(variant.name, across)))
    }
    guard panels.contains(where: { $0.rows.contains { $0.cells.contains { $0.strength != nil } } }) else { return nil }
    (self.panels, self.leftOut) = (panels, leftOut)
  }
}
