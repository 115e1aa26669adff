/// The source documents and their sentences, as `documents.yml` lists them: each sentence is graded by the claim of a scenario,
/// or has the reason why nothing can try it, or awaits the scenario that will.
public struct Documents: Sendable {
  /// A document.
  public struct Document: Sendable {
    /// Its short name, the first part of its sentences' identifiers: `guide`.
    public let name: String
    /// Its title.
    public let title: String
    /// Its sentences, in its order.
    public let sentences: [Sentence]
  }

  /// A statement of a document about how Dispatch behaves, in the lab's own words.
  public struct Sentence: Sendable {
    /// `guide.34`.
    public let id: String
    /// What the document says.
    public let says: String
    /// Why nothing can try it; nil when something can.
    public let reason: String?
    /// The scenarios to come that will try it; empty when some does, or nothing can.
    public let awaits: [String]
    /// Where it stands, for errors.
    public let place: String
  }

  /// The documents, in the order of the file.
  public let documents: [Document]
  private let byName: [String: Sentence]

  /// All sentences.
  public var sentences: [Sentence] { documents.flatMap(\.sentences) }
  /// The sentence with an identifier.
  public func sentence(_ id: String) -> Sentence? { byName[id] }

  /// Reads the text of the file, which errors call `place`.
  ///
  /// - Throws: ``InputError`` with file and line.
  public init(place: String, yaml: String) throws(InputError) {
    // The same reader as for scenario files, for its errors with a place.
    let file = ScenarioFile(place: place, patterns: [])
    let root = try file.mapping(try file.compose(yaml), "the documents")
    try root.allow(["documents"])
    var documents: [Document] = []
    var byName: [String: Sentence] = [:]
    for node in try root.list("documents") {
      let fields = try file.mapping(node, "a document")
      try fields.allow(["document", "title", "sentences"])
      let name = try fields.text("document")
      var sentences: [Sentence] = []
      for node in try fields.list("sentences") {
        let sentence = try Self.sentence(try file.mapping(node, "a sentence"), place: node.place)
        guard sentence.id.hasPrefix(name + ".") else {
          throw file.error(node, "'\(sentence.id)' is no sentence of '\(name)'")
        }
        guard byName[sentence.id] == nil else { throw file.error(node, "'\(sentence.id)' stands twice") }
        byName[sentence.id] = sentence
        sentences.append(sentence)
      }
      documents.append(Document(name: name, title: try fields.text("title"), sentences: sentences))
    }
    self.documents = documents
    self.byName = byName
  }

  private static func sentence(_ fields: Mapping, place: String) throws(InputError) -> Sentence {
    try fields.allow(["id", "says", "reason", "awaits"])
    let sentence = Sentence(
      id: try fields.text("id"), says: try fields.text("says"), reason: try fields.optionalText("reason"),
      awaits: try fields.list("awaits").map(\.text), place: place)
    if sentence.reason != nil, !sentence.awaits.isEmpty {
      throw InputError("'\(sentence.id)' has a reason why nothing tries it, and awaits a scenario", at: place)
    }
    return sentence
  }
}
