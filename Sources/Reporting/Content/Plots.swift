import Laboratory
import Measurement

/// The distributions of a latency, one for each variant. If something is swept, a variant is shown at its best point.
struct Distribution: Sendable {
  struct Series: Sendable {
    let label: String
    /// The number of the variant, which decides its colour.
    let variant: Int
    /// Whether the failure of the variant is the lesson.
    let isBroken: Bool
    let samples: SampleFacts
  }
  let metric: MetricFacts
  let series: [Series]
  /// A note on the runs that a plot leaves out, for its title: other points, and variants with too few samples. Empty
  /// if the plot leaves out nothing.
  let note: String

  /// The largest number of series that readers can distinguish.
  private static let most = 8

  /// The smallest number of samples for a distribution.
  private static let fewest = 30

  /// Returns whether each variant is shown at its best setting. This is so if a swept parameter is not an amount of
  /// work.
  private static func isOfBest(_ index: RunIndex) -> Bool {
    index.swept.contains { index.document.scenario.problem?.contains($0.name) != true }
  }

  /// Creates the distributions; nil if no variant has enough samples.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    self.metric = metric
    let bests = index.bestOfEachVariant(by: metric, most: Self.most)
    let measured = bests.runs.compactMap { run -> Series? in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name].map { samples in
        Series(
          label: RunIndex.label(facts, index.swept, without: bests.fixed?.names ?? []),
          variant: index.variants[facts.variant] ?? 0, isBroken: index.isWrong(run),
          samples: samples)
      }
    }
    series = measured.filter { $0.samples.count >= Self.fewest }
    let tooFew = measured.filter { $0.samples.count < Self.fewest }.map(\.label)
    note =
      (bests.fixed.map { ", at \($0.label)" } ?? "")
      + (Self.isOfBest(index) ? ", each variant at the setting with its best mean" : "")
      + (tooFew.isEmpty ? "" : "; not drawn (fewer than \(Self.fewest) samples): " + tooFew.joined(separator: ", "))
    if series.isEmpty { return nil }
  }
}

/// A figure along the swept parameter with the most values: a series for each variant and each setting of the other
/// swept parameters. If there are too many series, only the best one of each variant is included. The figures are those
/// of the tables: medians over the rounds, or in a search the means by which the runs are ranked.
struct SweepCurve: Sendable {
  struct Series: Sendable {
    /// The variant, and the settings of the other swept parameters.
    let label: String
    let variant: Int
    /// Whether the failure of the variant is the lesson.
    let isBroken: Bool
    /// Whether the variant ignores the parameter, so that its figure is the same at all values.
    let isFlat: Bool
    /// The point at each value of the parameter; nil if there is none.
    let points: [Point?]

    /// The figure at each value of the parameter; nil if there is none.
    var values: [Double?] { points.map { $0?.median } }
  }
  struct Point: Sendable {
    /// The figure as tables write it.
    let text: String
    let median: Double
    /// The lowest and the highest round; nil for fewer than two.
    let rounds: ClosedRange<Double>?
  }
  let metric: MetricFacts
  let parameter: ParameterFacts
  let settings: [ParameterValue]
  private(set) var series: [Series]
  /// Whether settings were chosen, so that only the best series of each variant is included.
  let isOfBest: Bool
  /// The slope of the ideal line: the ideal gain for each unit of the setting; nil if no ideal is known.
  let ideal: Double?
  /// The meaning of the figures, for the title.
  let figures: String
  /// Whether the figures are the means by which a search ranks the runs.
  let isOfMeans: Bool
  /// A note on the runs that the plot leaves out, for its title. Empty if the plot leaves out nothing.
  private(set) var note: String

  /// The largest number of series that readers can distinguish.
  private static let most = 8
  /// The largest number of series that readers can distinguish by marks without lines, since marks can coincide.
  private static let mostOfMarks = 3

  /// Creates figures along a parameter, with the slope of the ideal line.
  init(
    _ metric: MetricFacts, along parameter: ParameterFacts, settings: [ParameterValue], series: [Series],
    figures: String, ideal: Double
  ) {
    self.metric = metric
    self.parameter = parameter
    self.settings = settings
    self.series = Array(series.prefix(Self.most))
    isOfBest = true
    isOfMeans = false
    self.ideal = ideal
    self.figures = figures
    note = ", each variant only at the setting with its best mean"
  }

  /// Creates the curve; nil if there is nothing to draw.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    func count(_ parameter: ParameterFacts) -> Int { parameter.swept?.count ?? 0 }
    guard let along = index.swept.max(by: { count($0) < count($1) }), let settings = along.swept, settings.count > 1
    else { return nil }
    self.metric = metric
    parameter = along
    self.settings = settings
    // Any run of a series is enough to find its settings.
    var seen: Set<String> = []
    let all = index.document.runs.indices.filter { run in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name] != nil
        && seen.insert(RunIndex.label(facts, index.swept, without: [along.name])).inserted
    }
    let areMany = all.count > Self.most && index.swept.count > 1
    isOfBest =
      areMany
      && index.swept.contains { $0.name != along.name && index.document.scenario.problem?.contains($0.name) != true }
    let bests =
      areMany ? index.bestOfEachVariant(by: metric, along: along.name, most: Self.most) : (runs: all, fixed: nil)
    ideal = nil
    let isOfMeans = index.ranksByMean(metric)
    self.isOfMeans = isOfMeans
    figures = isOfMeans ? "means over the rounds" : "medians over the rounds"
    note =
      (bests.fixed.map { ", at \($0.label)" } ?? "")
      + (isOfBest ? ", each variant only at the setting with its best mean" : "")
    series = bests.runs.map { one in
      let run = index.document.runs[one]
      let points = settings.map { setting -> Point? in
        let point = run.point.merging([along.name: setting]) { $1 }
        let samples = index.run(run.variant, at: point).flatMap { index.document.runs[$0].metrics[metric.name] }
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

  /// Returns a curve with the series that depend on the parameter and the series of a reference. A reference that does
  /// not depend on the parameter is drawn as a line, and other such series are left out.
  func heeding(besides reference: Int?) -> SweepCurve {
    let heeding = series.filter { !$0.isFlat || $0.variant == reference }
    guard heeding.contains(where: { !$0.isFlat }), heeding.count < series.count else { return self }
    var curve = self
    curve.series = heeding
    curve.note += ", without the variants that have no \(parameter.name)"
    return curve
  }

  /// Returns a curve for a plot of marks. If there are many series, only those of some variants are kept, the more
  /// important ones first: the answer, and as many references as there is room for.
  func brief(of variants: [Int]) -> SweepCurve {
    // The others follow in their order, as long as there is room; those that show a mistake are last.
    let others = series.filter { !variants.contains($0.variant) }
    let rest = (others.filter { !$0.isBroken } + others.filter(\.isBroken)).map(\.variant)
    let kept = (variants + rest).reduce(into: [Int]()) { kept, variant in
      let isFirst = kept.isEmpty
      let drawn = series.count { kept.contains($0.variant) || $0.variant == variant }
      if isFirst || drawn <= Self.mostOfMarks { kept.append(variant) }
    }
    let few = series.filter { kept.contains($0.variant) }
    guard series.count > Self.mostOfMarks, !few.isEmpty, few.count < series.count else { return self }
    var brief = self
    brief.series = few
    brief.note += ", \(few.count) of \(series.count) series: --details has all"
    return brief
  }
}

extension SampleFacts {
  /// The lowest and the highest round; nil for fewer than two.
  var spread: ClosedRange<Double>? {
    guard figures.count > 1, let low = figures.min(), let high = figures.max(), low <= high else { return nil }
    return low...high
  }
}
