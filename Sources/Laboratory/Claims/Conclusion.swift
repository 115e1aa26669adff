/// The main statement of a scenario: a sentence with figures of the run. Reports show the sentence only if the claims
/// that it depends on have the required results in the run.
public struct Conclusion: Sendable {
  /// A part of the sentence.
  public enum Part: Sendable, Equatable {
    /// A text without figures.
    case text(String)
    /// The median of a figure over the rounds, for example `{mutex.hot-path}`.
    case figure(Check.Reference)
    /// The first figure as a multiple of the second (`{serial.hot-path / mutex.hot-path}`), over paired rounds.
    case ratio(Check.Reference, Check.Reference)
    /// The first figure in percent of the second, as the range of the rounds or, for few cases, as a total; for
    /// example, `{naive.lost of naive.sent}`.
    case share(Check.Reference, Check.Reference)
    /// The system of the run (`{system}`), for a statement that may not be true of another system.
    case system
  }
  /// The required result of a claim.
  public struct Condition: Sendable, Hashable {
    /// The check that identifies the claim.
    public let check: WrittenCheck
    /// Whether the claim must be refuted; if false, the claim must be borne out.
    public let isRefuted: Bool

    /// Creates a condition on the claim that `check` identifies.
    public init(check: WrittenCheck, isRefuted: Bool = false) {
      self.check = check
      self.isRefuted = isRefuted
    }
  }
  /// The conditions under which reports show the sentence.
  public let conditions: [Condition]
  /// The parts of the sentence.
  public let parts: [Part]

  /// Creates a conclusion from its conditions and the parts of its sentence.
  public init(conditions: [Condition], parts: [Part]) {
    self.conditions = conditions
    self.parts = parts
  }

  /// The kind of the note that contains a run's conclusion (``RunNote/kind``).
  public static let kind = "conclusion"
  /// The kind of a note with which a pattern answers a question about the user's own program. In the answer of a
  /// comparison, the note precedes the best setting of the measured program.
  public static let ownAnswer = "own-answer"
  /// The kind of a note with which a pattern answers the question in the title of its scenario. In the answer of a
  /// comparison, the note precedes the best setting.
  public static let answer = "answer"
  /// The kind of a note with a sentence that explains the decision of a comparison, which has the kind ``kind``.
  public static let explanation = "explanation"
  /// The kind of a note with the advice of a pattern. The note supplements the result of a comparison.
  public static let advice = "advice"
  /// The kind of a note with which a pattern states a limit that its trials met. In the answer of a comparison, the
  /// note follows the decision.
  public static let limit = "limit"
  /// The kinds of the notes that decide: what to use, and why not something else. Reports show them in this order.
  public static let decisions = [ownAnswer, answer, kind, limit]
  /// The kinds of all notes of an answer, in the order in which reports show them.
  public static let kinds = decisions + [explanation, advice]
}

extension Verdict {
  /// Whether the trials support the claim: the verdict is held, witnessed or supported.
  public var isBorneOut: Bool { self == .held || self == .witnessed || self == .supported }
}
