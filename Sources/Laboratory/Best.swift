import Measurement

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which setting is best.
extension Results {
  /// The run with the best figures of `metric`, by their geometric mean over the rounds; nil when neither way is better,
  /// or nothing was measured.
  public func best(by metric: Metric) -> Run? {
    guard metric.better != .neither else { return nil }
    let means = runs.compactMap { run in run.geometricMean(of: metric).map { (run: run, mean: $0) } }
    let ranked = metric.better == .lower ? means.min { $0.mean < $1.mean } : means.max { $0.mean < $1.mean }
    return ranked?.run
  }

  /// Every run against its reference: the baseline at its point, else the best run where that is the question.
  public func comparison(by metric: Metric) -> Comparison { Comparison(self, metric) }
}

extension Run {
  /// The geometric mean of the rounds' figures, those above 0; nil without one.
  public func geometricMean(of metric: Metric) -> Double? {
    let logs = trials.compactMap { trial in trial.figure(metric).flatMap { $0 > 0 ? log($0) : nil } }
    return logs.isEmpty ? nil : exp(logs.reduce(0, +) / Double(logs.count))
  }
}

/// How the runs of a result stand to each other by one metric. Resampling takes its time, so this is made once.
public struct Comparison: Sendable {
  /// The best run, where that is the question and there is a better and a worse.
  public let best: Run?
  /// What all ratios refer to in words: the baseline's name, or `the best`; nil when there are none.
  public let reference: String?
  private let contrasts: [String: Contrast]
  private let references: Set<String>
  private let nearBest: Set<String>

  init(_ results: Results, _ metric: Metric) {
    let best = results.experiment.seeksBest ? results.best(by: metric) : nil
    let baseline = results.experiment.baseline
    var contrasts: [String: Contrast] = [:]
    var references: Set<String> = []
    var nearBest: Set<String> = []
    for run in results.runs {
      guard let reference = baseline.map({ results.run($0, at: run.point) }) ?? best else { continue }
      if reference.label == run.label {
        references.insert(run.label)
      } else {
        contrasts[run.label] = Contrast(run, against: reference, by: metric, seed: results.seed)
      }
      if let best, best.label != run.label {
        let toBest =
          reference.label == best.label
          ? contrasts[run.label] : Contrast(run, against: best, by: metric, seed: results.seed)
        if toBest?.isDistinct == false { nearBest.insert(run.label) }
      }
    }
    self.best = best
    reference = contrasts.isEmpty ? nil : baseline ?? "the best"
    self.contrasts = contrasts
    self.references = references
    self.nearBest = nearBest
  }

  /// `run` against its reference; nil for the reference itself, and where there is nothing to compare.
  public subscript(run: Run) -> Contrast? { contrasts[run.label] }
  /// Whether `run` is what others are compared with.
  public func isReference(_ run: Run) -> Bool { references.contains(run.label) }
  /// Whether the rounds do not tell `run` from the best.
  public func isNearBest(_ run: Run) -> Bool { nearBest.contains(run.label) }
}
