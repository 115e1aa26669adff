/// The source documents and their sentences, as `documents.yml` lists them: each sentence is settled by claims of
/// scenarios, by the strength with which its document says it, or has the reason why nothing can try it.
public struct Documents: Sendable {
  /// A document.
  public struct Document: Sendable {
    /// Its short name, the first part of its sentences' identifiers: `guide`.
    public let name: String
    /// Its title.
    public let title: String
    /// Who wrote it; nil where that is not known.
    public let author: String?
    /// Where it can be read; nil where no public address is known.
    public let address: String?
    /// Its sentences, in its order.
    public let sentences: [Sentence]
  }

  /// How strongly a document says something, which decides what settles it.
  public enum Strength: String, Sendable, Codable, CaseIterable {
    /// Of every run: one counterexample refutes it.
    case always
    /// A tendency: rounds of the common case bear it out or refute it.
    case usually
    /// Possible: one sighting bears it out, and nothing that was merely not seen refutes it.
    case may
    /// The document's own code or advice: kept in all trials, or one that did not keep it refutes it.
    case recipe
  }

  /// A statement of a document about how Dispatch behaves, in the lab's own words.
  public struct Sentence: Sendable {
    /// `guide.34`.
    public let id: String
    /// What the document says.
    public let says: String
    /// How strongly it says so; nil only where nothing can try it.
    public let said: Strength?
    /// Why nothing can try it; nil when something can.
    public let reason: String?
    /// Which part of it holds and which does not, where claims speak for it and others against it; nil where such a
    /// sentence is refuted as a whole.
    public let partly: String?
    /// Why no Dispatch could fail it: it is true of the document's own code by reading it. Nil where Dispatch could.
    public let byConstruction: String?
    /// What the lab built, and tries, where a system lacks what the document speaks of, by the name of that system:
    /// `Linux`.
    public let standIns: [String: String]
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
    try self.init(try PlacedNode(yaml: yaml, place: place))
  }

  /// Reads what was parsed.
  init(_ content: PlacedNode) throws(InputError) {
    let root = try Mapping(content, "the documents")
    try root.allow(["documents"])
    var documents: [Document] = []
    var byName: [String: Sentence] = [:]
    for node in try root.list("documents") {
      let fields = try Mapping(node, "a document")
      try fields.allow(["document", "title", "author", "address", "sentences"])
      let name = try fields.text("document")
      var sentences: [Sentence] = []
      for node in try fields.list("sentences") {
        let sentence = try Self.sentence(try Mapping(node, "a sentence"), place: node.place)
        guard sentence.id.hasPrefix(name + ".") else {
          throw node.error("'\(sentence.id)' is no sentence of '\(name)'")
        }
        guard byName[sentence.id] == nil else { throw node.error("'\(sentence.id)' stands twice") }
        byName[sentence.id] = sentence
        sentences.append(sentence)
      }
      documents.append(
        Document(
          name: name, title: try fields.text("title"), author: try fields.optionalText("author"),
          address: try fields.optionalText("address"), sentences: sentences
        ))
    }
    self.documents = documents
    self.byName = byName
  }

  private static let keys = ["id", "says", "said", "reason", "partly", "by-construction", "stand-in"]
  private static let systems = ["linux": "Linux", "darwin": "Darwin"]

  private static func sentence(_ fields: Mapping, place: String) throws(InputError) -> Sentence {
    try fields.allow(keys)
    var standIns: [String: String] = [:]
    for entry in try fields.entries("stand-in") {
      guard let system = systems[entry.key] else {
        throw InputError(
          "stand-in: unknown system '\(entry.key)'", at: entry.value.place, near: entry.key,
          among: systems.keys.sorted())
      }
      standIns[system] = try entry.value.scalar(entry.key)
    }
    let sentence = Sentence(
      id: try fields.text("id"), says: try fields.text("says"), said: try strength(fields),
      reason: try fields.optionalText("reason"), partly: try fields.optionalText("partly"),
      byConstruction: try fields.optionalText("by-construction"), standIns: standIns, place: place)
    guard (sentence.said == nil) == (sentence.reason != nil) else {
      throw InputError(
        "'\(sentence.id)' needs either 'said' (how strongly the document says it) or the 'reason' why nothing can try it",
        at: place)
    }
    return sentence
  }

  private static func strength(_ fields: Mapping) throws(InputError) -> Strength? {
    guard let word = try fields.optionalText("said") else { return nil }
    let known = Strength.allCases.map(\.rawValue)
    guard let strength = Strength(rawValue: word) else {
      throw InputError(
        "said: found '\(word)' (allowed: \(known.joined(separator: ", ")))", at: fields.node("said").place, near: word,
        of: known)
    }
    return strength
  }
}
