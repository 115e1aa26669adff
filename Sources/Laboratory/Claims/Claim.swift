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
