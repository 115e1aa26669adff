/// A remark on a run in addition to its claims: a warning of the lab, or a finding of a pattern. It is data with a
/// sentence, so that documents contain it and all reports say the same.
public struct Remark: Sendable, Codable, Hashable {
  /// The kind of the remark, for programs: `outliers`, `drift`, `best-stride`.
  public let kind: String
  /// The sentence, without a full stop.
  public let says: String
  /// The labels of the runs that the remark is about; empty if it is about all or none.
  public let runs: [String]

  /// Creates a remark.
  public init(_ kind: String, _ says: String, runs: [String] = []) {
    self.kind = kind
    self.says = says
    self.runs = runs
  }
}
