/// The part of a scenario file that can be read quickly, without the declarations of the pattern. The commands `list`
/// and `documents` use outlines.
///
/// The names and values in an outline are not checked against the declarations. ``ScenarioReader`` checks the names and
/// values for a run, and a test checks all built-in files.
public struct ScenarioOutline: Sendable {
  /// A claim of a scenario, with its check as a text.
  public struct Claim: Sendable, Hashable {
    /// The claim in words.
    public let says: String
    /// The identifiers of the sentences that the claim supports if the claim is true.
    public let bears: [String]
    /// The identifiers of the sentences that the claim contradicts if the claim is true.
    public let contradicts: [String]
    /// The kind of the claim.
    public let kind: Laboratory.Claim.Kind
    /// The text of the check in the file.
    public let check: String

    /// The identifiers of all sentences that the claim supports or contradicts; empty for a claim of the lesson alone.
    public var sentenceIDs: [String] { bears + contradicts }

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
  /// The title of the scenario: the question that the scenario answers.
  public let title: String
  /// The tags of the scenario, beginning with the family.
  public let tags: [String]
  /// The claims, in the order of the file; empty if the claims were not read.
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

extension ScenarioReader {
  /// Returns the outline from the parsed content of the file.
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
