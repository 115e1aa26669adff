/// The figure of one round of a run.
public struct RoundFigure: Sendable, Hashable {
  /// The number of the round, from 0.
  public let round: Int
  /// The figure of the round's trial.
  public let value: Double

  /// Creates the figure of a round.
  public init(round: Int, value: Double) {
    self.round = round
    self.value = value
  }
}

extension VariantRun {
  /// Returns the figures of `metric`, by `statistic` or by the metric's default statistic, from the trials that have a
  /// figure.
  public func figures(_ metric: Metric, _ statistic: Statistic? = nil) -> [RoundFigure] {
    trials.compactMap { trial in
      trial.figure(metric, statistic).map { RoundFigure(round: trial.round, value: $0) }
    }
  }
}
