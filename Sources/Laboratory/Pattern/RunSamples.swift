import Measurement

/// The samples of one metric in all trials of a run.
public struct RunSamples: Sendable {
  /// The metric of the samples.
  public let metric: Metric
  /// The statistics of all samples together.
  public let summary: Summary
  /// All samples as ascending `[value, count]` pairs; the values of histograms are whole numbers.
  public let pairs: [(value: Double, count: Int)]

  init?(_ metric: Metric, _ trials: [TrialRecord]) {
    var counts: [Double: Int] = [:]
    var values: [Double] = []
    for sample in trials.compactMap({ $0.observation.samples(metric.name) }) {
      switch sample {
      case .histogram(let pairs):
        for pair in pairs where pair.count == 2 { counts[Double(pair[0]), default: 0] += Int(clamping: pair[1]) }
      case .values(let recorded): values += recorded
      }
    }
    let isHistogram = !counts.isEmpty
    if counts.isEmpty { for value in values { counts[value, default: 0] += 1 } }
    pairs = counts.map { ($0.key, $0.value) }.sorted { $0.value < $1.value }
    let summary =
      isHistogram ? Summary(pairs: pairs.map { [UInt64($0.value), UInt64($0.count)] }) : Summary(values)
    guard let summary else { return nil }
    self.metric = metric
    self.summary = summary
  }
}
