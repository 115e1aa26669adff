/// Something to know about a run beyond its claims: a warning of the engine, a finding of a pattern. Data with a
/// sentence, so that documents carry it and every renderer says the same.
public struct Remark: Sendable, Codable, Hashable {
  /// What kind of thing it is, for programs: `outliers`, `drift`, `best-stride`.
  public let kind: String
  /// The sentence, without a full stop.
  public let says: String
  /// The labels of the runs that it is about; empty when it is about all or none.
  public let runs: [String]

  /// A remark of a kind.
  public init(_ kind: String, _ says: String, runs: [String] = []) {
    self.kind = kind
    self.says = says
    self.runs = runs
  }
}
