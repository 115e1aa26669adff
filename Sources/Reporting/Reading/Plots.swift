import Laboratory
import Measurement

/// The distributions of a latency, a series a variant: at its best point where something is swept.
struct Distribution: Sendable {
  struct Series: Sendable {
    let label: String
    /// The variant's number, by which it has its colour.
    let variant: Int
    let samples: SampleFacts
  }
  let metric: MetricFacts
  let series: [Series]
  /// What a plot does not show, for its title: other points, and who has too few samples. Empty where that is nothing.
  let note: String

  /// Fewer samples than this are no distribution.
  private static let fewest = 30

  /// Nil when nobody has enough samples.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    self.metric = metric
    let measured = index.bestOfEachVariant(by: metric).compactMap { run -> Series? in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name].map { samples in
        Series(label: index.labels[run], variant: index.variants[facts.variant] ?? 0, samples: samples)
      }
    }
    series = measured.filter { $0.samples.count >= Self.fewest }
    let tooFew = measured.filter { $0.samples.count < Self.fewest }.map(\.label)
    note =
      (index.swept.isEmpty ? "" : ", each variant at its best point")
      + (tooFew.isEmpty ? "" : "; too few samples: " + tooFew.joined(separator: ", "))
    if series.isEmpty { return nil }
  }
}

/// A figure along the swept parameter with the most values: a series a variant and setting of whatever else is swept, or, where
/// those are too many to be told apart, only the best of each variant. The figures are those of the tables: medians over the
/// rounds.
struct SweepCurve: Sendable {
  struct Series: Sendable {
    /// The variant and what of the sweep is held fast.
    let label: String
    let variant: Int
    /// The figure at each value of the parameter; nil where there is none.
    let values: [Double?]
  }
  let metric: MetricFacts
  let parameter: ParameterFacts
  let settings: [ParameterValue]
  let series: [Series]
  /// Whether only the best series of each variant is there.
  let isOfBest: Bool

  /// More series cannot be told apart.
  private static let most = 8

  /// What the plot leaves out, for its title; empty where that is nothing.
  var note: String { isOfBest ? ", of each variant only at its best" : "" }

  /// Nil when there is nothing to draw.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    func count(_ parameter: ParameterFacts) -> Int { parameter.swept?.count ?? 0 }
    guard let along = index.swept.max(by: { count($0) < count($1) }), let settings = along.swept, settings.count > 1
    else { return nil }
    self.metric = metric
    parameter = along
    self.settings = settings
    // One run for each series: any of it will do.
    var seen: Set<String> = []
    let all = index.document.runs.indices.filter { run in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name] != nil
        && seen.insert(RunIndex.label(facts, index.swept, without: along.name)).inserted
    }
    isOfBest = all.count > Self.most && index.swept.count > 1
    series = (isOfBest ? index.bestOfEachVariant(by: metric) : all).map { one in
      let run = index.document.runs[one]
      let values = settings.map { setting -> Double? in
        let point = run.point.merging([along.name: setting]) { $1 }
        return index.run(run.variant, at: point).flatMap { index.document.runs[$0].metrics[metric.name]?.median }
      }
      return Series(
        label: RunIndex.label(run, index.swept, without: along.name), variant: index.variants[run.variant] ?? 0,
        values: values)
    }
    guard series.contains(where: { $0.values.contains { $0 != nil } }) else { return nil }
  }
}
