import Laboratory
import Measurement

/// How the runs of a document stand to each other by one metric; runs by their index.
struct Standings: Sendable {
  /// The best run, where that is the question and there is a better and a worse.
  let best: Int?
  /// What all ratios refer to in words: the baseline's name, or `the best`; nil when there are none.
  let reference: String?
  /// Each run against its reference: the baseline at its point, else the best run where that is the question.
  let contrasts: [Int: Contrast]
  /// The runs that others are compared with.
  let references: Set<Int>
  /// The runs that the rounds do not tell from the best.
  let nearBest: Set<Int>

  init(_ index: RunIndex, by metric: MetricFacts) {
    let document = index.document
    let samples = document.runs.map { $0.metrics[metric.name] }
    let best = document.scenario.seeksBest == true ? index.best(of: document.runs.indices, by: metric) : nil
    func pairs(_ run: Int, _ other: Int) -> [(left: Double, right: Double)]? {
      guard run != other, let left = samples[run], let right = samples[other] else { return nil }
      return Contrast.pairs(left, against: right)
    }
    let given = document.runs.indices.map { run in
      document.scenario.baseline.flatMap { index.run($0, at: document.runs[run].point) }
    }
    // The confidence is that of all the verdicts together: with the best, and with the baseline beside it.
    let cells = samples.count { $0 != nil }
    let comparisons =
      best == nil
      ? given.enumerated().count { run, other in other.flatMap { pairs(run, $0) } != nil }
      : ConfidenceInterval.comparisons(of: cells, withBest: true)
    let toBest = best.map { best in document.runs.indices.map { pairs($0, best) } } ?? []
    let spread = ConfidenceInterval.leastSpread(ofRatios: toBest.compactMap(\.self))
    var contrasts: [Int: Contrast] = [:]
    var references: Set<Int> = []
    var nearBest: Set<Int> = []
    for run in document.runs.indices {
      let against = best == nil ? nil : toBest[run].flatMap { Contrast($0, among: comparisons, spread: spread) }
      if against?.isDistinct == false { nearBest.insert(run) }
      let reference = document.scenario.baseline == nil ? best : given[run]
      if let reference, reference == run {
        references.insert(run)
      } else if let reference {
        contrasts[run] =
          reference == best ? against : pairs(run, reference).flatMap { Contrast($0, among: comparisons) }
      }
    }
    self.best = best
    reference = contrasts.isEmpty ? nil : document.scenario.baseline ?? "the best"
    self.contrasts = contrasts
    self.references = references
    self.nearBest = nearBest
  }
}
