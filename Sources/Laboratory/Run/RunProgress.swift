/// An observer that is notified of the progress of a run, for example to print the progress.
public protocol RunObserver: Sendable {
  /// Notifies the observer that a trial of `run` starts.
  func trialStarts(_ run: VariantRun, _ progress: RunProgress)
  /// Notifies the observer, at most once, that the run's time does not contain the rounds that a ranking needs.
  /// `remark` says how much time does.
  func timeIsTooShort(_ remark: String)
}

extension RunObserver {
  /// Ignores the remark.
  public func timeIsTooShort(_ remark: String) {}
}

/// The progress of a run when a trial starts.
public struct RunProgress: Sendable {
  /// The number of the round, from 0.
  public let round: Int
  /// The number of finished trials.
  public let done: Int
  /// The expected number of trials of the run. If rounds are added until a precision is reached, this is the smallest
  /// number of trials.
  public let total: Int
  /// The time since the start of the run.
  public let elapsed: Duration
  /// The time limit of the run; nil if the run has no limit.
  public let limit: Duration?
  /// The precision that all ratios must reach, and the precision that they had before the current round, both as
  /// shares; nil if the number of rounds is fixed. `reached` is nil while too few rounds have finished.
  public let precision: (goal: Double, reached: Double?)?

  /// Creates the progress of a run.
  public init(
    round: Int, done: Int, total: Int, elapsed: Duration, limit: Duration? = nil,
    precision: (goal: Double, reached: Double?)? = nil
  ) {
    self.round = round
    self.done = done
    self.total = total
    self.elapsed = elapsed
    self.limit = limit
    self.precision = precision
  }
}
