/// The content of a scenario file that can be read without its pattern. It is enough for `list` and `documents`, and
/// quick to read.
///
/// Nothing in it is checked against the pattern. ``ScenarioFile`` does that for a run, and a test does it for all
/// built-in files.
public struct ScenarioOutline: Sendable {
  /// The statement of a claim about the documents' sentences.
  public struct Claim: Sendable, Hashable {
    /// The claim in words.
    public let says: String
    /// The sentences that the claim bears out if it is true.
    public let bears: [String]
    /// The sentences that the claim contradicts if it is true.
    public let contradicts: [String]
    /// The kind of the claim.
    public let kind: Laboratory.Claim.Kind
    /// The check in the file's words.
    public let check: String

    /// The sentences that the claim speaks for or against; empty for a claim of the lesson alone.
    public var grades: [String] { bears + contradicts }

    /// Creates a claim.
    public init(
      says: String, bears: [String], contradicts: [String], kind: Laboratory.Claim.Kind, check: String
    ) {
      self.says = says
      self.bears = bears
      self.contradicts = contradicts
      self.kind = kind
      self.check = check
    }
  }

  /// The name of the scenario.
  public let name: String
  /// The pattern of the scenario.
  public let pattern: any Pattern
  /// The question of the scenario.
  public let title: String
  /// The tags of the scenario, the family first.
  public let tags: [String]
  /// The claims, in the order of the file, if they were read.
  public let claims: [Claim]

  /// Creates an outline.
  public init(name: String, pattern: any Pattern, title: String, tags: [String], claims: [Claim]) {
    self.name = name
    self.pattern = pattern
    self.title = title
    self.tags = tags
    self.claims = claims
  }
}

extension ScenarioFile {
  /// Reads the outline from the parsed content.
  func outline(of content: PlacedNode, withClaims: Bool) throws(InputError) -> ScenarioOutline {
    let root = try Mapping(content, "a scenario file")
    try root.allow(Self.keys)
    var claims: [ScenarioOutline.Claim] = []
    for written in withClaims ? try WrittenClaim.all(in: root) : [] {
      let fields = written.fields
      claims.append(
        ScenarioOutline.Claim(
          says: try written.says(), bears: try fields.list("bears").map { $0.text },
          contradicts: try fields.list("contradicts").map { $0.text },
          kind: try ClaimReader.kind(fields), check: try written.check()))
    }
    return ScenarioOutline(
      name: try root.text("scenario"), pattern: try pattern(of: root), title: try root.text("title"),
      tags: try root.list("tags").map { $0.text }, claims: claims)
  }
}
