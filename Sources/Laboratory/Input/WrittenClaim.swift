/// A claim of a scenario file. A claim with the key `for` is written once in the file, and is read once for each of the
/// listed variants.
///
/// ```yaml
/// - for: {mutex: A Mutex, actor: An actor}
///   says: "{variant} prevents torn reads."
///   check: "{variant}.torn-reads == 0"
/// ```
struct WrittenClaim {
  /// A variant of the key `for`.
  struct Subject {
    /// The name of the variant, which replaces `{variant}` in the check.
    let variant: String
    /// The words that replace `{variant}` in the sentence; the name of the variant if `for` is a list of names.
    let words: String
    /// The place of the variant in the file.
    let node: PlacedNode
  }

  /// The keys and values of the claim.
  let fields: Mapping
  /// The variant that the claim is read for; nil if the claim has no key `for`.
  let subject: Subject?

  private static let placeholder = "{variant}"

  /// Returns the claims of a scenario file, in the order of the file.
  static func all(in root: Mapping) throws(InputError) -> [WrittenClaim] {
    var claims: [WrittenClaim] = []
    for (index, node) in try root.list("claims").enumerated() {
      let fields = try Mapping(node, "a claim", part: "claim \(index + 1)")
      guard let subjects = try subjects(fields) else {
        claims.append(WrittenClaim(fields: fields, subject: nil))
        continue
      }
      claims += subjects.map { WrittenClaim(fields: fields, subject: $0) }
    }
    return claims
  }

  private static func subjects(_ fields: Mapping) throws(InputError) -> [Subject]? {
    guard fields.entries.contains(where: { $0.key == "for" }) else { return nil }
    let node = fields.node("for")
    var subjects: [Subject] = []
    if node.node.pairs != nil {
      for entry in try fields.entries("for") {
        subjects.append(Subject(variant: entry.key, words: try entry.value.scalar(entry.key), node: entry.value))
      }
    } else {
      for item in try node.list("for") {
        let name = try item.scalar("for")
        guard !subjects.contains(where: { $0.variant == name }) else {
          throw item.error("for: '\(name)' appears twice")
        }
        subjects.append(Subject(variant: name, words: name, node: item))
      }
    }
    guard !subjects.isEmpty else { throw node.error("for: names no variant") }
    return subjects
  }

  /// Returns the sentence of the claim, with the words of the subject in place of `{variant}`.
  func says() throws(InputError) -> String { try text("says", subject?.words) }

  /// Returns the text of the check, with the name of the subject's variant in place of `{variant}`.
  func check() throws(InputError) -> String { try text("check", subject?.variant) }

  private func text(_ key: String, _ replacement: String?) throws(InputError) -> String {
    let text = try fields.text(key)
    guard let replacement else { return text }
    guard text.contains(Self.placeholder) else {
      throw fields.node(key).error("\(key): '\(Self.placeholder)' is missing, which stands for each variant of 'for'")
    }
    return text.replacing(Self.placeholder, with: replacement)
  }
}
