import Laboratory
import Measurement

/// The distributions of a latency, one for each variant. If parameters are swept, each distribution is that of a
/// variant's best point for an amount of work.
struct Distribution: Sendable {
  struct Series: Sendable {
    let label: String
    /// The index of the variant in the scenario, which determines the colour.
    let variant: Int
    /// Whether the series is shown as wrong (``RunIndex/isWrong(_:)``).
    let isBroken: Bool
    let samples: SampleFacts
  }
  let metric: MetricFacts
  let series: [Series]
  /// A note for the title of the plot: the points that are drawn, the variants with too few samples, and the meaning of
  /// a metric other than the headline. The note can be empty.
  let note: String

  /// The maximum number of series that readers can distinguish.
  private static let mostSeries = 8

  /// The minimum number of samples for a distribution.
  private static let fewestSamples = 30

  /// Returns whether each distribution is that of a variant's best setting. The result is true if a swept parameter is
  /// not an amount of work.
  private static func isOfBest(_ index: RunIndex) -> Bool {
    index.swept.contains { !index.definesWork($0) }
  }

  /// Creates the distributions of a metric; nil if no variant has enough samples.
  init?(_ index: RunIndex, _ metric: MetricFacts) {
    self.metric = metric
    let bests = index.bestOfEachVariant(by: metric, most: Self.mostSeries)
    let measured = bests.runs.compactMap { run -> Series? in
      let facts = index.document.runs[run]
      return facts.metrics[metric.name].map { samples in
        Series(
          label: RunIndex.label(facts, index.swept, without: bests.fixed?.names ?? []),
          variant: index.variants[facts.variant] ?? 0, isBroken: index.isWrong(run),
          samples: samples)
      }
    }
    series = measured.filter { $0.samples.count >= Self.fewestSamples }
    let tooFew = measured.filter { $0.samples.count < Self.fewestSamples }.map(\.label)
    note =
      (bests.fixed.map { ", at \($0.label)" } ?? "")
      + (Self.isOfBest(index) ? ", each variant at the setting with its best mean" : "")
      + (tooFew.isEmpty
        ? "" : "; not drawn (fewer than \(Self.fewestSamples) samples): " + tooFew.joined(separator: ", "))
      // The table of the headline explains the headline.
      + (metric.name == index.document.scenario.show.first ? "" : "; \(metric.name): \(metric.says)")
    if series.isEmpty { return nil }
  }
}
