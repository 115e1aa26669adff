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
    let means = runs.compactMap { run -> (run: Run, mean: Double)? in
      let logs = run.trials.compactMap { trial in trial.figure(metric).flatMap { $0 > 0 ? log($0) : nil } }
      return logs.isEmpty ? nil : (run, logs.reduce(0, +) / Double(logs.count))
    }
    let ranked = metric.better == .lower ? means.min { $0.mean < $1.mean } : means.max { $0.mean < $1.mean }
    return ranked?.run
  }

  /// What the ratio of `run` refers to: the baseline at its point, else the best run where that is the question.
  public func reference(for run: Run, by metric: Metric) -> Run? {
    guard let name = experiment.baseline else { return experiment.seeksBest ? best(by: metric) : nil }
    return self.run(name, at: run.point)
  }

  /// `run` against its reference; nil for the reference itself, and where there is nothing to compare.
  public func contrast(_ run: Run, by metric: Metric) -> Contrast? {
    guard let reference = reference(for: run, by: metric), reference.label != run.label else { return nil }
    return Contrast(run, against: reference, by: metric, seed: seed)
  }
}
