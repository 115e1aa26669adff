import Laboratory
import Measurement

/// A figure as a function of the swept parameter with the most values, with a series for each variant and each setting
/// of the other swept parameters.
///
/// If there are too many series, the curve contains only the best series of each variant.
///
/// The figures are those of the tables: medians over the rounds, the means that rank the runs of a comparison, or the
/// ratios of a speed-up.
struct SweepCurve: Sendable {
  struct Series: Sendable {
    /// The name of the variant, and the settings of all swept parameters except ``SweepCurve/parameter``.
    let label: String
    let variant: Int
    /// Whether the series is shown as wrong (``RunIndex/isWrong(_:)``).
    let isBroken: Bool
    /// Whether the variant ignores the parameter. If so, the figure is the same at all values.
    let isFlat: Bool
    /// The point at each value of the parameter; nil for a value without a figure.
    let points: [Point?]

    /// The figure at each value of the parameter; nil for a value without a figure.
    var values: [Double?] { points.map { $0?.median } }
  }
  struct Point: Sendable {
    /// The text of the figure in the tables.
    let text: String
    /// The median, the mean that ranks the runs, or the speed-up.
    let median: Double
    /// The range of the rounds' figures; nil for fewer than two rounds, or for a speed-up.
    let rounds: ClosedRange<Double>?
  }
  let metric: MetricFacts
  let parameter: ParameterFacts
  let settings: [ParameterValue]
  private(set) var series: [Series]
  /// Whether the curve contains only the best series of each variant.
  let isOfBest: Bool
  /// The slope of the ideal line: the ideal gain for each unit of the setting; nil if no ideal is known.
  let ideal: Double?
  /// A description of the figures, for the title of the plot.
  let figures: String
  /// Whether the figures are the means that rank the runs of a comparison.
  let isOfMeans: Bool
  /// A note about the runs that the plot omits, for the title of the plot; empty if the plot omits no runs.
  private(set) var note: String

  /// The maximum number of series that readers can distinguish.
  private static let mostSeries = 8
  /// The maximum number of series in a plot of marks without lines, since marks can coincide.
  private static let mostOfMarks = 5

  /// Creates a curve of a speed-up from the series of each variant's best setting. Only the first eight series are
  /// drawn.
  init(
    _ metric: MetricFacts, along parameter: ParameterFacts, settings: [ParameterValue], series: [Series],
    figures: String, ideal: Double
  ) {
    self.metric = metric
    self.parameter = parameter
    self.settings = settings
    self.series = Array(series.prefix(Self.mostSeries))
    isOfBest = true
    isOfMeans = false
    self.ideal = ideal
    self.figures = figures
    note = ", each variant only at the setting with its best mean"
  }

  /// Creates the curve of a metric; nil if no parameter is swept over several values, or if no figure was measured.
  ///
  /// - Parameters:
  ///   - flaw: the metric that counts a flaw; nil if there is no such metric.
  ///   - flawed: the runs with a flaw, which the curve omits.
  init?(_ index: RunIndex, _ metric: MetricFacts, flaw: MetricFacts? = nil, without flawed: Set<Int> = []) {
    func count(_ parameter: ParameterFacts) -> Int { parameter.swept?.count ?? 0 }
    guard let along = index.swept.max(by: { count($0) < count($1) }), let settings = along.swept, settings.count > 1
    else { return nil }
    self.metric = metric
    parameter = along
    self.settings = settings
    // All runs of a series have the same settings, so one run represents the series.
    var seen: Set<String> = []
    let all = index.document.runs.indices.filter { run in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name] != nil && !flawed.contains(run)
        && seen.insert(RunIndex.label(facts, index.swept, without: [along.name])).inserted
    }
    let areMany = all.count > Self.mostSeries && index.swept.count > 1
    isOfBest = areMany && index.swept.contains { $0.name != along.name && !index.definesWork($0) }
    let bests =
      areMany ? index.bestOfEachVariant(by: metric, along: along.name, most: Self.mostSeries) : (runs: all, fixed: nil)
    ideal = nil
    let isOfMeans = index.showsMean(metric)
    self.isOfMeans = isOfMeans
    figures =
      !isOfMeans
      ? "medians over the rounds" : index.isOfMedians(metric) ? "means of the rounds' medians" : "means over the rounds"
    note =
      (bests.fixed.map { ", at \($0.label)" } ?? "")
      + (isOfBest ? ", each variant only at the setting with its best mean" : "")
      + (flaw.map { flawed.isEmpty ? "" : ", only settings without \($0.name)" } ?? "")
    series = bests.runs.map { one in
      let run = index.document.runs[one]
      let points = settings.map { setting -> Point? in
        let point = run.point.merging([along.name: setting]) { $1 }
        let number = index.run(run.variant, at: point).flatMap { flawed.contains($0) ? nil : $0 }
        let samples = number.flatMap { index.document.runs[$0].metrics[metric.name] }
        return samples.flatMap { samples in
          (isOfMeans ? samples.roundMean : samples.median).map {
            Point(text: index.cell($0, samples).text, median: $0, rounds: samples.spread)
          }
        }
      }
      return Series(
        label: RunIndex.label(run, index.swept, without: [along.name]), variant: index.variants[run.variant] ?? 0,
        isBroken: index.isWrong(one), isFlat: run.point[along.name] == nil, points: points)
    }
    guard series.contains(where: { $0.values.contains { $0 != nil } }) else { return nil }
  }

  /// Returns a curve with the series that depend on the parameter and the series of the variant `reference`. The note
  /// names the omitted series. The curve is unchanged if no series depends on the parameter.
  func dependent(besides reference: Int?) -> SweepCurve {
    let dependent = series.filter { !$0.isFlat || $0.variant == reference }
    guard dependent.contains(where: { !$0.isFlat }), dependent.count < series.count else { return self }
    let others = series.filter { one in !dependent.contains { $0.label == one.label } }
    var curve = self
    curve.series = dependent
    curve.note += ", without \(others.map(\.label).abridged(to: Self.mostNames)) (no \(parameter.name))"
    return curve
  }

  /// Returns a curve with at most five series, for a plot of marks. If the curve has more series, the series of
  /// `variants` have precedence, in the order of `variants`. All series of the first variant are included, even if this
  /// variant has more than five series.
  func brief(of variants: [Int]) -> SweepCurve {
    // The variants that are not in `variants` follow while there is room, the broken variants last.
    let others = series.filter { !variants.contains($0.variant) }
    let rest = (others.filter { !$0.isBroken } + others.filter(\.isBroken)).map(\.variant)
    let kept = (variants + rest).reduce(into: [Int]()) { kept, variant in
      let isFirst = kept.isEmpty
      let drawn = series.count { kept.contains($0.variant) || $0.variant == variant }
      if isFirst || drawn <= Self.mostOfMarks { kept.append(variant) }
    }
    let few = series.filter { kept.contains($0.variant) }
    guard series.count > Self.mostOfMarks, !few.isEmpty, few.count < series.count else { return self }
    let omitted = series.filter { one in !few.contains { $0.label == one.label } }
    var brief = self
    brief.series = few
    brief.note += "; --details draws \(omitted.map(\.label).abridged(to: Self.mostNames)), too"
    return brief
  }

  /// The maximum number of omitted series that a note names.
  private static let mostNames = 4
}

extension SampleFacts {
  /// The range of the rounds' figures; nil for fewer than two rounds.
  var spread: ClosedRange<Double>? {
    guard figures.count > 1, let low = figures.min(), let high = figures.max(), low <= high else { return nil }
    return low...high
  }
}
