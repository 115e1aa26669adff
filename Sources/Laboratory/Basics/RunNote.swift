/// A note on a run in addition to the claims: a warning of the lab, or a finding of a pattern. Result documents contain
/// the note, and all reports print the text of the note.
public struct RunNote: Sendable, Codable, Hashable {
  /// The kind of the note, such as `outliers` or `best-stride`. Programs identify a note by its kind.
  public let kind: String
  /// The text of the note, which reports print.
  public let says: String
  /// The labels of the runs that the note refers to; empty if the note refers to the whole run.
  public let runs: [String]

  /// Creates a note.
  public init(_ kind: String, _ says: String, runs: [String] = []) {
    self.kind = kind
    self.says = says
    self.runs = runs
  }
}

/// The kinds that other parts of the lab look for.
extension RunNote {
  /// The kind of the warning that trials lacked cores: other programs and the hypervisor took more than a tenth of the
  /// cores' time and more than half a core, or no second core was available in more than a tenth of the trials.
  public static let coresTaken = "cores-taken"
  /// The kind of the warning that no second core was available in most trials. The comparisons of such a run hold for
  /// one core only.
  public static let oneCore = "one-core"
  /// The kind of a warning that trials lacked something, such as a second core.
  public static let lacking = "lacking"
  /// The kind of the note on trials that were repeated, since they found no second core.
  public static let repeated = "repeated"
  /// The kind of the note that a comparison ended before its ratios reached the requested precision.
  public static let precision = "precision"
  /// The kind of a warning about trials that were each in one of two states.
  public static let twoStates = "two-states"
  /// The kind of a warning about rounds far from the others.
  public static let outliers = "outliers"
  /// The kind of a warning about runs that were not measured, with the reason.
  public static let notMeasured = "not-measured"
  /// The kind of a finding with the best stride of a sweep, which the answer of a comparison contains.
  public static let bestStride = "best-stride"
}
