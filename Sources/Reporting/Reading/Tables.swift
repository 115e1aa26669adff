import Laboratory
import Measurement

/// Makes the tables of a document.
///
/// One rule says which statistic a cell shows: the median over the rounds of the round's figure, or a range where a
/// trial has many samples; and of a latency that is the headline beside that the other percentiles of all samples.
struct Tables {
  let index: RunIndex
  /// The metrics to show, the headline first.
  let shown: [MetricFacts]
  let standings: Standings?

  private var document: ResultDocument { index.document }
  private var seeksBest: Bool { document.scenario.seeksBest == true }

  /// Runs with at least one trial; one that was never reached has no row.
  private var rows: [Int] { document.runs.indices.filter { document.runs[$0].rounds > 0 } }

  /// Every table, in order: where two or more parameters are swept for the best, a grid a variant says more than a long
  /// list.
  var all: [Table] {
    seeksBest && document.scenario.sweep.count > 1 ? grids : lists
  }

  /// The same, short: where settings make a long list of each variant, one table has the medians of the headline, a row
  /// a variant and a column a setting, and stands for all.
  var brief: [Table] { seeksBest || rows.count <= Self.longList ? all : [overview].compactMap(\.self) }

  /// A list of more rows is long.
  private static let longList = 12

  private var overview: Table? {
    guard let metric = shown.first else { return nil }
    var seen: Set<[String: ParameterValue]> = []
    // What a variant ignores is no setting of its own.
    let points = rows.map { document.runs[$0].point }
      .filter { $0.count == index.swept.count && seen.insert($0).inserted }
    let variants = document.scenario.variants.filter { variant in
      rows.contains { document.runs[$0].variant == variant.name && document.runs[$0].metrics[metric.name] != nil }
    }
    let cells = variants.map { variant in
      Table.Row(
        needsCare: variant.isBroken,
        cells: [Cell(variant.name, .key)]
          + points.map { point in
            index.run(variant.name, at: point).flatMap { document.runs[$0].metrics[metric.name] }.map(median) ?? .none
          })
    }
    guard !cells.isEmpty, !points.isEmpty else { return all.first }
    let names = index.swept.map(\.name).joined(separator: "/")
    let headings = points.map { point in
      let settings = index.swept.compactMap { parameter in point[parameter.name].map(parameter.describe) }
      return Table.Heading(settings.joined(separator: "/"))
    }
    var table = Table(
      title: metric.name, note: "\(metric.says); medians over the trials, by \(names)", keys: 1, isGrid: false,
      headings: [.init("variant", .left)] + headings, rows: cells)
    table.leftOut = metricsBeside.map(\.name)
    return table
  }

  private func median(_ samples: SampleFacts) -> Cell { samples.median.map { cell($0, samples) } ?? .none }

  // MARK: Lists

  /// What is told of a latency, and how soon a column is left out where there is no room.
  private static let statistics: [(statistic: Statistic, rank: Int)] = [
    (.min, 4), (.p50, 0), (.p90, 3), (.p99, 2), (.p999, 5), (.max, 1),
  ]

  /// The headline, then the other metrics; where the headline is a single column beside few others, it leads them.
  private var lists: [Table] {
    let (headline, beside) = (headline, metricsBeside)
    if let metric = shown.first, headline?.headings.count == keys + 1, (1...Self.fewColumns).contains(beside.count) {
      return [figures(of: [metric] + beside, title: metric.name, metric.says)]
    }
    let others = beside.isEmpty ? nil : figures(of: beside, title: nil, nil)
    return [headline, others].compactMap(\.self)
  }

  /// How many columns fit beside one more on most terminals.
  private static let fewColumns = 5

  /// The headline metric and how the runs stand to each other by it.
  private var headline: Table? {
    guard let metric = shown.first else { return nil }
    let rows = rows.map { (run: $0, samples: document.runs[$0].metrics[metric.name]) }
    let measured = rows.compactMap(\.samples)
    guard !measured.isEmpty else { return nil }
    let columns: [(heading: Table.Heading, cell: (SampleFacts) -> Cell)]
    if metric.kind == .latency {
      // A percentile that nobody has enough samples for has no column.
      let statistics = Self.statistics.filter { column in measured.contains { $0[column.statistic] != nil } }
      columns =
        [(.init("samples", rank: Table.Heading.unmissed), { Cell(Quantity(Double($0.count), .none).description) })]
        + statistics.map { statistic, rank in
          (
            .init(statistic.rawValue, rank: rank),
            { samples in
              // Claims, plots and the other tables tell this one, and a report has one figure for it.
              let value = statistic == .p50 ? samples.median : samples[statistic]
              return value.map { cell($0, samples) } ?? .tooFew
            }
          )
        }
    } else {
      columns = [(.init(measured.contains(where: \.isRange) ? "value" : "median"), figure)]
    }
    let ratios = rows.map { $0.samples == nil ? missing($0.run) : standing($0.run, metric) }
    let hasRatios = ratios.contains { !$0.text.isEmpty && !$0.facts.contains(.missing) }
    // Where the best is sought, a setting that could not be tried is an answer too.
    let cells = zip(rows, ratios).filter { (seeksBest && isTold($0.0.run)) || $0.0.samples != nil }.map { row, ratio in
      self.row(
        row.run, columns.map { column in row.samples.map(column.cell) ?? .none } + (hasRatios ? [ratio] : []))
    }
    let heading = Table.Heading("vs \(standings?.reference ?? "the best")")
    return Table(
      title: metric.name, note: metric.says, keys: keys, isGrid: false,
      headings: keyHeadings + columns.map(\.heading) + (hasRatios ? [heading] : []), rows: cells)
  }

  /// The other metrics that any run has.
  private var metricsBeside: [MetricFacts] {
    shown.dropFirst().filter { metric in rows.contains { document.runs[$0].metrics[metric.name] != nil } }
  }

  /// What each way costs the machine: a column for each of these metrics.
  func costs(_ metrics: [MetricFacts]) -> Table? {
    let found = metrics.filter { metric in rows.contains { document.runs[$0].metrics[metric.name] != nil } }
    guard !found.isEmpty else { return nil }
    return figures(
      of: found, title: "resource use", "per trial, as the kernel counts it for the process")
  }

  /// Some metrics, one column each.
  private func figures(of metrics: [MetricFacts], title: String?, _ says: String?) -> Table {
    let cells = rows.filter { run in metrics.contains { document.runs[run].metrics[$0.name] != nil } }.map { run in
      row(run, metrics.map { document.runs[run].metrics[$0.name].map(figure) ?? .none })
    }
    let facts = cells.flatMap(\.cells).reduce(into: Cell.Facts()) { $0.formUnion($1.facts) }
    let ofMany = facts.contains(.range) ? ["low \(Signs.range) high: the range of all samples"] : []
    let notes = [says, says == nil ? "medians over the trials" : "median over the trials"].compactMap(\.self) + ofMany
    return Table(
      title: title, note: notes.joined(separator: "; "), keys: keys,
      isGrid: false, headings: keyHeadings + metrics.map { Table.Heading($0.name) }, rows: cells)
  }

  private var keys: Int { 1 + index.swept.count }

  private var keyHeadings: [Table.Heading] {
    [.init("variant", .left)] + index.swept.map { Table.Heading($0.name) }
  }

  private func row(_ run: Int, _ cells: [Cell]) -> Table.Row {
    let facts = document.runs[run]
    let settings = index.swept.map { Self.setting($0, facts.point[$0.name]) }
    return Table.Row(needsCare: index.isWrong(run), cells: [Cell(facts.variant, .key)] + settings + cells)
  }

  private static func setting(_ parameter: ParameterFacts, _ value: ParameterValue?) -> Cell {
    Cell(value.map(parameter.describe) ?? "-", .key)
  }

  // MARK: Cells

  private func cell(_ value: Double, _ samples: SampleFacts) -> Cell { index.cell(value, samples) }

  /// What stands for a run in tables and pictures: its median, or a range where a trial has many samples.
  func figure(_ samples: SampleFacts) -> Cell {
    guard samples.isRange else { return samples.median.map { cell($0, samples) } ?? .none }
    let (low, high) = (cell(samples.min.value, samples), cell(samples.max.value, samples))
    let facts = low.facts.union(high.facts)
    return low.text == high.text
      ? Cell(low.text, facts) : Cell("\(low.text) \(Signs.range) \(high.text)", facts.union(.range))
  }

  /// `1.93x faster ±2 %`: the ratio of the rounds, with the half width of its interval, and whether the run is the
  /// best; where the rounds do not tell it from what it is compared with, that, and how far apart they may be.
  func standing(_ run: Int, _ metric: MetricFacts) -> Cell {
    if let flaw = flaw(run) { return flaw }
    let mark = mark(run)
    let tail = mark.sign.isEmpty ? "" : " \(mark.sign)"
    guard let contrast = standings?.contrasts[run] else {
      return Cell(mark.facts.contains(.best) ? "\(mark.sign) best" : mark.sign, mark.facts)
    }
    let text = metric.meaning.wording(contrast.ratio)
    guard let interval = contrast.interval else { return Cell(text + tail, mark.facts.union([.ratio, .glimpse])) }
    let facts = mark.facts.union(.ratio)
    if interval.isExact, metric.meaning != .duration { return Cell(interval.exactly(text) + tail, facts) }
    guard contrast.isDistinct == false else {
      let reach = interval.isWide ? interval.ends : interval.margin
      return Cell("\(text) \(reach)\(tail)", facts.union(interval.isWide ? .ends : .interval))
    }
    if !mark.isNoise { return Cell("no difference found (\(Signs.margin)\(interval.reach))\(tail)", facts) }
    return Cell(
      (interval.isNoise ? Self.noise : "within \(Signs.margin)\(interval.reach): cannot rank") + tail, facts)
  }

  /// What is said where an interval includes no change and reaches far.
  static let noise = "too noisy to tell"

  /// The sign beside a run: the best one, or whether it is no different from what it is compared with, or cannot be
  /// told from it. One sign for each of these words, with a baseline as without.
  private func mark(_ run: Int) -> (sign: String, isNoise: Bool, facts: Cell.Facts) {
    guard let standings else { return ("", false, []) }
    let reference: Cell.Facts = standings.references.contains(run) ? .reference : []
    let isNoise = standings.isTooNoisy(run)
    if standings.bests.contains(run) { return (Signs.best, isNoise, reference.union(.best)) }
    let isOfBest = standings.isOfBest
    if isNoise { return (Signs.unclear, true, reference.union(isOfBest ? .unclear : .noisy)) }
    guard standings.contrasts[run]?.isDistinct == false else { return ("", false, reference) }
    return (Signs.nearBest, false, reference.union(isOfBest ? .nearBest : .noDifference))
  }

  /// `81 failed-opens`, in place of a ratio; nil for a run without a flaw.
  private func flaw(_ run: Int) -> Cell? {
    guard let standings, let flaw = standings.flaw, standings.flawed.contains(run) else { return nil }
    return document.runs[run].metrics[flaw.name].map { Cell("\(figure($0).text) \(flaw.name)", .missing) }
  }

  /// How the trials ended that gave no figure.
  func missing(_ run: Int) -> Cell { Cell(end(of: run) ?? "not measured", .missing) }

  /// Whether there is something to say of a run that has no figure.
  private func isTold(_ run: Int) -> Bool { end(of: run) != nil }

  /// How most of the trials of a run ended that did not complete; nil where all did.
  private func end(of run: Int) -> String? {
    let outcomes = document.runs[run].outcomes
    let ends = outcomes.kinds.filter { $0 != .completed }
    return ends.max { (outcomes[$0], $1.rawValue) < (outcomes[$1], $0.rawValue) }?.rawValue
  }

  // MARK: Grids

  /// A table a variant: the last swept parameter across, the others down, each cell a multiple of the reference.
  private var grids: [Table] {
    guard let metric = shown.first, let across = index.swept.last else { return [] }
    let runs = Dictionary(grouping: rows) { document.runs[$0].variant }
    return document.scenario.variants.compactMap { variant in
      runs[variant.name].map { grid($0, variant, metric, across) }
    }
  }

  private func grid(
    _ runs: [Int], _ variant: VariantFacts, _ metric: MetricFacts, _ across: ParameterFacts
  ) -> Table {
    let down = index.swept.dropLast()
    // A row for each combination of what the variant heeds: of what it ignores there is nothing to compare.
    var seen: Set<[ParameterValue?]> = []
    let points = runs.map { document.runs[$0].point }.filter { point in
      seen.insert(down.map { point[$0.name] }).inserted
    }
    let values = across.swept ?? []
    let cells = points.map { point in
      Table.Row(
        needsCare: variant.isBroken,
        cells: down.map { Self.setting($0, point[$0.name]) }
          + values.map { value in
            index.run(variant.name, at: point.merging([across.name: value]) { $1 }).map { multiple($0, metric) }
              ?? .none
          })
    }
    let groups = standings?.groups ?? ""
    let reference = document.scenario.baseline ?? "the best for each \(groups)"
    return Table(
      title: variant.name,
      note: "\(metric.name) as a multiple of \(reference), by \(across.name)",
      keys: down.count, isGrid: true,
      headings: down.map { Table.Heading($0.name) } + values.map { Table.Heading(across.describe($0)) }, rows: cells)
  }

  /// The headline of a run as a multiple of its reference; its figure where there is none, and how its trials ended
  /// where there is no figure.
  func multiple(_ run: Int, _ metric: MetricFacts) -> Cell {
    if let flaw = flaw(run) { return flaw }
    let (mark, _, facts) = mark(run)
    if let contrast = standings?.contrasts[run] {
      return Cell(
        Quantity.ratio(contrast.ratio) + mark, facts.union([.ratio, contrast.interval == nil ? .glimpse : .told]))
    }
    if facts.contains(.reference) { return Cell("1.00" + mark, facts) }
    guard let samples = document.runs[run].metrics[metric.name] else { return missing(run) }
    let figure = figure(samples)
    return Cell(figure.text + mark, facts.union(figure.facts))
  }
}

extension RunIndex {
  /// Whether the median of some samples is so short that the clock, or its own timing loop, is much of it.
  func isNearFloor(_ samples: SampleFacts) -> Bool {
    samples.median.map { !cell($0, samples).facts.isDisjoint(with: [.nearFloor, .ownFloor]) } ?? false
  }

  /// A figure of some samples, marked where it is near the noise floor.
  func cell(_ value: Double, _ samples: SampleFacts) -> Cell {
    let text = Quantity(value, samples.unit).description
    guard let floor = samples.floor?.value, NoiseFloor.isNear(value, floor: floor) else { return Cell(text) }
    let floorOf: Cell.Facts =
      samples.yardstick != nil ? .ownFloor : floor < document.machine.floor ? [.nearFloor, .sharedFloor] : .nearFloor
    return Cell(text + Signs.nearFloor, floorOf)
  }
}

extension SampleFacts {
  /// Whether a trial has many samples that are no durations: then a cell shows their range.
  var isRange: Bool { kind != .latency && count > rounds.count }

  /// The median over the rounds of the round's figure; of all samples where no round has one.
  var median: Double? { Summary(figures)?.p50 ?? p50.value }
}
