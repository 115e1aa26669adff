import Measurement

/// A sentence of the source document with a check on the observations.
public struct Claim: Sendable {
  /// What kind of promise the sentence is.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// Must hold in every trial.
    case guarantee
    /// The documented failure, which must be witnessed at least once in the broken variant.
    case anomaly
    /// One way is cheaper, faster or sooner: graded from paired rounds.
    case performance
  }
  /// The sentence.
  public let says: String
  /// The identifiers of the documents' sentences that it bears out where it is true: `guide.34`.
  public let bears: [String]
  /// The identifiers of the sentences that it contradicts where it is true: it is a counterexample to them.
  public let contradicts: [String]
  /// Whether it is said to be of the lesson alone, and to grade no sentence.
  public let isOfLesson: Bool
  /// What kind of promise it is.
  public let kind: Kind
  /// The check.
  public let check: Check

  /// A sentence with its check.
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

  /// The identifiers of the sentences that it speaks for or against; empty for a claim of the lesson alone.
  public var grades: [String] { bears + contradicts }
}

/// The grade of a claim.
public enum Verdict: String, Sendable, Codable, CaseIterable {
  /// A guarantee that held in every trial.
  case held
  /// A guarantee that failed in at least one trial.
  case violated
  /// An anomaly seen in at least one trial.
  case witnessed
  /// An anomaly never seen.
  case notWitnessed = "not-witnessed"
  /// The rounds show it.
  case supported
  /// The rounds show the opposite.
  case refuted
  /// The rounds do not tell.
  case inconclusive
  /// The claim could not be checked here; the reason is beside it.
  case unavailable

  /// Whether it turns the exit status to 1: a failed guarantee or anomaly; with `strict` a refuted claim too.
  public func isFailure(strict: Bool) -> Bool {
    self == .violated || self == .notWitnessed || strict && self == .refuted
  }
}

/// A claim with its verdict and the evidence for it.
public struct Judgement: Sendable {
  /// The claim.
  public let claim: Claim
  /// Its grade.
  public let verdict: Verdict
  /// The figures behind it.
  public let evidence: Evidence
  /// Whether it was not to be judged here, by what was declared before the run: what it speaks of is not part of the
  /// run, or needs what the machine has not.
  public var isExcused = false
  /// Whether it is unavailable since it speaks of a variant or a setting that is not part of the run.
  public var isLeftOut = false

  /// A judged claim.
  public init(claim: Claim, verdict: Verdict, evidence: Evidence) {
    self.claim = claim
    self.verdict = verdict
    self.evidence = evidence
  }
}

/// The figures behind a verdict; what does not apply is absent.
public struct Evidence: Sendable, Equatable {
  /// The left side: its median over the trials; for a failed check, of the trial that fails worst.
  public var left: Double?
  /// The right side, likewise.
  public var right: Double?
  /// The unit of both sides.
  public var unit: Unit
  /// Left to right with its confidence interval, for performance claims with positive figures.
  public var ratio: ConfidenceInterval?
  /// How many trials (or paired rounds) were checked.
  public var trials: Int
  /// In how many of them the check was true.
  public var met: Int
  /// Why it is unavailable, or which trial failed.
  public var reason: String?
  /// The reason of a verdict on sides that lie apart, though the interval of their ratio includes no change.
  public static let apart = "the highest round of one is below the lowest of the other"
  /// A trial in which the check was true; nil for performance claims, and where there is none.
  public var example: Example?
  /// A trial in which it was not.
  public var counterexample: Example?

  /// A trial that shows something.
  public struct Example: Sendable, Equatable {
    /// The variant at its point: `concurrent tasks=1000`.
    public let run: String
    /// The number of its round, from 1 on.
    public let round: Int
    /// The figure of the check's left side there; nil where the trial did not come so far.
    public let left: Double?
    /// How the trial ended, where it did not complete: `hung`.
    public let ended: String?

    /// A trial of a run.
    public init(run: String, round: Int, left: Double?, ended: String? = nil) {
      self.run = run
      self.round = round
      self.left = left
      self.ended = ended
    }
  }

  /// Evidence of `met` of `trials`.
  public init(
    left: Double? = nil, right: Double? = nil, unit: Unit = .none, ratio: ConfidenceInterval? = nil, trials: Int = 0,
    met: Int = 0, reason: String? = nil, example: Example? = nil, counterexample: Example? = nil
  ) {
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
