import Measurement

/// The figures that a verdict is based on. A figure is nil if it does not apply to the claim.
public struct Evidence: Sendable, Equatable {
  /// The median of the left side over the trials or paired rounds. If trials violated a guarantee or showed an anomaly,
  /// the median is over these trials.
  public var left: Double?
  /// The value of the right side, computed as ``left`` is.
  public var right: Double?
  /// The smallest and the largest figure of the left side, over the trials of ``left``; nil if all figures are equal.
  /// For paired rounds, only counts have a range. The median of an even number of counts may be a count that no trial
  /// recorded.
  public var leftRange: ClosedRange<Double>?
  /// The range of the right side, computed as ``leftRange`` is.
  public var rightRange: ClosedRange<Double>?
  /// The unit of both sides.
  public var unit: Unit
  /// The ratio of left to right with its confidence interval, for performance claims; nil for other claims, for checks
  /// of equality, and if the rounds permit no interval.
  public var ratio: ConfidenceInterval?
  /// Whether the true ratio is further from 1 than ``ratio``, because the cost of the clock or of the timing loop is a
  /// large part of the shorter side, and not of the longer side.
  public var isLowerBound = false
  /// The number of trials or paired rounds that were checked.
  public var trials: Int
  /// The number of checked trials or rounds in which the check was true.
  public var met: Int
  /// The number of lost trials of an anomaly: trials that have no figure, are broken or were not tried. ``trials`` does
  /// not include them.
  public var lost: Int
  /// An explanation of the verdict, such as the reason why the claim is unavailable, or the trial that violated a
  /// guarantee; nil if no explanation is necessary.
  public var reason: String?
  /// The explanation of a verdict on sides that do not overlap, although the interval of their ratio includes 1.
  public static let disjoint = "the highest round of one is below the lowest of the other"
  /// A trial in which the check was true; nil for performance claims, for unavailable claims, and if there is no such
  /// trial.
  public var example: Example?
  /// A trial in which the check was false; nil for performance claims, for unavailable claims, and if there is no such
  /// trial.
  public var counterexample: Example?

  /// A trial that illustrates a verdict.
  public struct Example: Sendable, Equatable {
    /// The label of the run: the variant with its point, for example `concurrent[tasks=1000]`.
    public let run: String
    /// The number of the round, from 1.
    public let round: Int
    /// The figure of the check's left side in the trial; nil if the trial did not record the figure.
    public let left: Double?
    /// The way in which the trial ended, such as `hung`; nil if the trial completed.
    public let ended: String?

    /// Creates an example from a trial of the run with the label `run`.
    public init(run: String, round: Int, left: Double?, ended: String? = nil) {
      self.run = run
      self.round = round
      self.left = left
      self.ended = ended
    }
  }

  /// Creates the evidence for a check that was true in `met` of `trials` trials or paired rounds.
  public init(
    left: Double? = nil, right: Double? = nil, unit: Unit = .none, ratio: ConfidenceInterval? = nil, trials: Int = 0,
    met: Int = 0, lost: Int = 0, reason: String? = nil, example: Example? = nil, counterexample: Example? = nil
  ) {
    self.lost = lost
    self.left = left
    self.right = right
    self.unit = unit
    self.ratio = ratio
    self.trials = trials
    self.met = met
    self.reason = reason
    self.example = example
    self.counterexample = counterexample
  }
}
