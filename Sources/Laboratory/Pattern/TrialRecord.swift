import Measurement

/// The record of a finished trial: the round, the outcome and the measurements.
public struct TrialRecord: Sendable {
  /// The number of the round, from 0.
  public let round: Int
  /// The way in which the trial ended.
  public let outcome: Outcome
  /// The measurements of the trial. If the trial did not complete, ``Metric/timeToEnd`` is the only possible
  /// measurement.
  public let observation: Observation
  /// The names of the settings that the body read.
  public let reads: Set<String>
  /// The features that the trial reported as missing (``Trial/recordShortage(of:)``).
  public let shortages: Set<String>

  /// Creates the record of a finished trial.
  public init(
    round: Int, outcome: Outcome, observation: Observation = Observation(), reads: Set<String> = [],
    shortages: Set<String> = []
  ) {
    self.round = round
    self.outcome = outcome
    self.observation = observation
    self.reads = reads
    self.shortages = shortages
  }

  /// Returns the figure of `metric` in this trial, by `statistic` or by the metric's default statistic; nil if the
  /// trial did not measure the metric, or has too few samples for the statistic. The figure of an outcome metric is 1
  /// or 0 (``Metric/outcomes``).
  public func figure(_ metric: Metric, _ statistic: Statistic? = nil) -> Double? {
    if Metric.outcomes.contains(metric) { return outcome.kind.rawValue == metric.name ? 1 : 0 }
    return observation.samples(metric.name)?.summary?[statistic ?? metric.defaultStatistic]
  }
}

extension Summary {
  /// The value of a statistic; nil if there are too few samples.
  public subscript(statistic: Statistic) -> Double? {
    switch statistic {
    case .min: min
    case .p50: p50
    case .p90: p90
    case .p99: p99
    case .p999: p999
    case .max: max
    case .mean: mean
    case .total: total
    }
  }
}
