import Measurement

/// A sentence with a check on the observations.
public struct Claim: Sendable {
  /// The kind of promise that a claim makes.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// The check must be true in every trial.
    case guarantee
    /// The documented failure: at least one trial of the broken variant must show it.
    case anomaly
    /// One way is cheaper, faster or sooner than another: paired rounds decide it.
    case performance
  }
  /// The sentence.
  public let says: String
  /// The identifiers of the documents' sentences that the claim bears out if it is true: `guide.34`.
  public let bears: [String]
  /// The identifiers of the sentences that the claim contradicts if it is true: it is then a counterexample.
  public let contradicts: [String]
  /// Whether the claim belongs only to the lesson and grades no sentence.
  public let isOfLesson: Bool
  /// The kind of promise.
  public let kind: Kind
  /// The check.
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

  /// The identifiers of the sentences that the claim speaks for or against; empty for a claim of the lesson alone.
  public var grades: [String] { bears + contradicts }
}

/// The grade of a claim.
public enum Verdict: String, Sendable, Codable, CaseIterable {
  /// A guarantee that was kept in every trial.
  case held
  /// A guarantee that at least one trial broke.
  case violated
  /// An anomaly that at least one trial showed.
  case witnessed
  /// An anomaly that no trial showed.
  case notWitnessed = "not-witnessed"
  /// A performance claim that the rounds bear out.
  case supported
  /// A performance claim whose opposite the rounds bear out.
  case refuted
  /// A performance claim that the rounds do not decide.
  case inconclusive
  /// A claim that could not be checked here; its evidence has the reason.
  case unavailable

  /// Returns whether the verdict turns the exit status to 1: a failed guarantee or anomaly, and with `strict` also a
  /// refuted claim.
  public func isFailure(strict: Bool) -> Bool {
    self == .violated || self == .notWitnessed || strict && self == .refuted
  }
}

/// A claim with its verdict and the evidence for it.
public struct Judgement: Sendable {
  /// The claim.
  public let claim: Claim
  /// The verdict on the claim.
  public let verdict: Verdict
  /// The figures that the verdict is based on.
  public let evidence: Evidence
  /// Whether a declaration made before the run says that the claim cannot be judged here: its subject is not part of
  /// the run, or needs something that the machine does not have.
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

/// The figures that a verdict is based on. A figure that does not apply is nil.
public struct Evidence: Sendable, Equatable {
  /// The left side: its median over the trials. For a check that failed, it is the figure of the trial that fails by
  /// most.
  public var left: Double?
  /// The right side, computed in the same way.
  public var right: Double?
  /// The smallest and the largest figure of the left side, over the trials of `left`; nil if all figures are the same.
  /// For paired rounds only counts have it: the median of two counts may be a count that no trial had.
  public var leftRange: ClosedRange<Double>?
  /// The range of the right side, computed in the same way.
  public var rightRange: ClosedRange<Double>?
  /// The unit of both sides.
  public var unit: Unit
  /// The ratio of left to right with its confidence interval, for performance claims with positive figures.
  public var ratio: ConfidenceInterval?
  /// Whether the true ratio is further from 1 than `ratio`: the clock, or the timing loop, is a large part of the
  /// shorter side, and not of the longer one.
  public var isBound = false
  /// The number of trials (or paired rounds) that were checked.
  public var trials: Int
  /// The number of these in which the check was true.
  public var met: Int
  /// The number of trials of an anomaly that were lost: killed, hung or stopped before they could show the anomaly or
  /// its absence. They do not count among `trials`.
  public var lost: Int
  /// The reason why the claim is unavailable, or the trial that failed.
  public var reason: String?
  /// The reason for a verdict on sides that do not overlap, although the interval of their ratio includes no change.
  public static let apart = "the highest round of one is below the lowest of the other"
  /// A trial in which the check was true; nil for performance claims, and if there is none.
  public var example: Example?
  /// A trial in which the check was false.
  public var counterexample: Example?

  /// A trial that serves as an example.
  public struct Example: Sendable, Equatable {
    /// The variant with its point: `concurrent tasks=1000`.
    public let run: String
    /// The number of the round, from 1.
    public let round: Int
    /// The figure of the check's left side in the trial; nil if the trial did not produce it.
    public let left: Double?
    /// The way in which the trial ended, if it did not complete: `hung`.
    public let ended: String?

    /// Creates an example.
    public init(run: String, round: Int, left: Double?, ended: String? = nil) {
      self.run = run
      self.round = round
      self.left = left
      self.ended = ended
    }
  }

  /// Creates the evidence for a check that was true in `met` of `trials`.
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
