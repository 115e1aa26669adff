/// The statement that a reader should remember of a scenario: a sentence with figures of the run. Reports show the
/// sentence only if the claims that it depends on have the required results in that run.
public struct Conclusion: Sendable {
  /// A part of the sentence.
  public enum Part: Sendable, Equatable {
    /// Words.
    case text(String)
    /// The median of a figure over the rounds: `{mutex.hot-path}`.
    case figure(Check.Reference)
    /// The first figure as a multiple of the second, over paired rounds: `{serial.hot-path / mutex.hot-path}`.
    case ratio(Check.Reference, Check.Reference)
    /// The first figure in percent of the second one, from the least round to the greatest:
    /// `{naive.lost of naive.sent}`.
    case share(Check.Reference, Check.Reference)
    /// The system of the run, for a statement that may not be true of another system: `{system}`.
    case system
  }
  /// The required result of a claim.
  public struct Condition: Sendable, Hashable {
    /// The check of the claim.
    public let check: WrittenCheck
    /// Whether the claim must be refuted; otherwise it must be borne out.
    public let isRefuted: Bool

    /// Creates a condition on the claim with this check.
    public init(check: WrittenCheck, isRefuted: Bool = false) {
      self.check = check
      self.isRefuted = isRefuted
    }
  }
  /// The conditions of the sentence.
  public let conditions: [Condition]
  /// The parts of the sentence.
  public let parts: [Part]

  /// Creates a sentence with its conditions.
  public init(conditions: [Condition], parts: [Part]) {
    self.conditions = conditions
    self.parts = parts
  }

  /// The kind of the remark among a run's findings.
  public static let kind = "conclusion"
  /// The kind of the remark with a pattern's advice, in addition to the answer of a search for the best setting.
  public static let advice = "advice"
}

extension Verdict {
  /// Whether the verdict bears the claim out.
  public var isBorneOut: Bool { self == .held || self == .witnessed || self == .supported }
}
