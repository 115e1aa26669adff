/// What a scenario file says without its pattern being asked: enough for `list` and `documents`, and soon read.
///
/// Nothing of it is checked against the pattern; that is ``ScenarioFile``'s, which a run reads by, and a test holds of
/// all built-in files.
public struct ScenarioOutline: Sendable {
  /// What a claim says of the documents' sentences.
  public struct Claim: Sendable, Hashable {
    /// The claim in words.
    public let says: String
    /// The sentences that it bears out where it is true.
    public let bears: [String]
    /// The sentences that it contradicts where it is true.
    public let contradicts: [String]
    /// What kind of promise it is.
    public let kind: Laboratory.Claim.Kind
    /// The check as it is written.
    public let check: String

    /// The sentences that it speaks for or against; empty for a claim of the lesson alone.
    public var grades: [String] { bears + contradicts }

    /// A claim.
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

  /// The scenario's name.
  public let name: String
  /// Its pattern.
  public let pattern: any Pattern
  /// What it asks.
  public let title: String
  /// Its tags, the family first.
  public let tags: [String]
  /// Its claims, in the order of the file, where they were read.
  public let claims: [Claim]

  /// An outline.
  public init(name: String, pattern: any Pattern, title: String, tags: [String], claims: [Claim]) {
    self.name = name
    self.pattern = pattern
    self.title = title
    self.tags = tags
    self.claims = claims
  }
}

extension ScenarioFile {
  /// The outline of what was parsed.
  func outline(of content: PlacedNode, withClaims: Bool) throws(InputError) -> ScenarioOutline {
    let root = try Mapping(content, "a scenario file")
    try root.allow(Self.keys)
    var claims: [ScenarioOutline.Claim] = []
    for node in withClaims ? try root.list("claims") : [] {
      let fields = try Mapping(node, "a claim")
      claims.append(
        ScenarioOutline.Claim(
          says: try fields.text("says"), bears: try fields.list("bears").map { $0.text },
          contradicts: try fields.list("contradicts").map { $0.text },
          kind: try ClaimReader.kind(fields), check: try fields.text("check")))
    }
    return ScenarioOutline(
      name: try root.text("scenario"), pattern: try pattern(of: root), title: try root.text("title"),
      tags: try root.list("tags").map { $0.text }, claims: claims)
  }
}
