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
