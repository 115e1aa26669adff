/// A note on a run in addition to its claims: a warning of the lab, or a finding of a pattern. It is data with a
/// sentence, so that documents contain it and all reports say the same.
public struct RunNote: Sendable, Codable, Hashable {
  /// The kind of the note, for programs: `outliers`, `drift`, `best-stride`.
  public let kind: String
  /// The sentence, without a full stop.
  public let says: String
  /// The labels of the runs that the note is about; empty if it is about all or none.
  public let runs: [String]

  /// Creates a note.
  public init(_ kind: String, _ says: String, runs: [String] = []) {
    self.kind = kind
    self.says = says
    self.runs = runs
  }
}
