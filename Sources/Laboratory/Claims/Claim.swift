import Measurement

/// A sentence with a check on the measurements of a run.
public struct Claim: Sendable {
  /// The kind of a claim. The kind determines how the check is judged.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The check must be true in every trial. With the scope `any`, the check must be true for at least one variant in
    /// every round.
    case guarantee
    /// The check describes a documented failure, and must be true in at least one trial.
    case anomaly
    /// The check compares the speed or the cost of variants, and is decided by paired rounds.
    case performance
  }
  /// The claim in words.
  public let says: String
  /// The identifiers, such as `guide.34`, of the documents' sentences that the claim supports if the claim is true.
  public let bears: [String]
  /// The identifiers of the sentences that the claim contradicts, as a counterexample, if the claim is true.
  public let contradicts: [String]
  /// Whether the claim belongs only to the lesson and supports or contradicts no sentence.
  public let isOfLesson: Bool
  /// The kind of the claim.
  public let kind: Kind
  /// The check that decides whether the claim is true.
  public let check: Check

  /// Creates a claim.
  public init(
    says: String, bears: [String] = [], contradicts: [String] = [], isOfLesson: Bool = false, kind: Kind, check: Check
  ) {
    self.says = says
    self.bears = bears
    self.contradicts = contradicts
    self.isOfLesson = isOfLesson
    self.kind = kind
    self.check = check
  }

  /// The identifiers of all sentences that the claim supports or contradicts; empty for a claim of the lesson alone.
  public var sentenceIDs: [String] { bears + contradicts }
}

/// The result of judging a claim.
public enum Verdict: String, Sendable, Codable, CaseIterable {
  /// The guarantee was kept throughout the run.
  case held
  /// The guarantee was violated in at least one trial.
  case violated
  /// The anomaly occurred in at least one trial.
  case witnessed
  /// The anomaly occurred in no trial.
  case notWitnessed = "not-witnessed"
  /// The rounds support the performance claim.
  case supported
  /// The rounds support the opposite of the performance claim.
  case refuted
  /// The rounds do not decide the performance claim.
  case inconclusive
  /// The claim could not be judged. The evidence contains the reason.
  case unavailable

  /// Returns whether the verdict changes the exit status to 1: a violated guarantee or an anomaly that did not occur,
  /// and with `strict` also a refuted performance claim.
  public func isFailure(strict: Bool) -> Bool {
    self == .violated || self == .notWitnessed || strict && self == .refuted
  }
}

/// A claim with its verdict and the evidence for it.
public struct Judgement: Sendable {
  /// The claim that was judged.
  public let claim: Claim
  /// The verdict on the claim.
  public let verdict: Verdict
  /// The figures that the verdict is based on.
  public let evidence: Evidence
  /// Whether the claim cannot be judged for a reason that was declared before the run: a variant or a setting is not
  /// part of the run or requires a feature that the machine lacks, or a figure is absent for a reason that the pattern
  /// declares.
  public var isExcused = false
  /// Whether the claim is unavailable because its variant or its setting is not part of the run.
  public var isLeftOut = false

  /// Creates a judgement.
  public init(claim: Claim, verdict: Verdict, evidence: Evidence) {
    self.claim = claim
    self.verdict = verdict
    self.evidence = evidence
  }
}

/// The figures that a verdict is based on. A figure is nil if it does not apply to the claim.
public struct Evidence: Sendable, Equatable {
  /// The median of the left side over the trials or paired rounds. If trials violated a guarantee or showed an anomaly,
  /// the median is over these trials.
  public var left: Double?
  /// The value of the right side, computed as ``left`` is.
  public var right: Double?
  /// The smallest and the largest figure of the left side, over the trials of ``left``; nil if all figures are equal.
  /// For paired rounds, only counts have a range, since the median of an even number of counts may be a count that no
  /// trial recorded.
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
