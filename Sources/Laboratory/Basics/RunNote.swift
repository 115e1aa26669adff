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
