/// The source documents and their sentences, as `documents.yml` lists them. Claims of scenarios support or contradict
/// the sentences. The list gives the reason for each sentence that cannot be tested.
public struct SourceDocuments: Sendable {
  /// A source document with its sentences.
  public struct Document: Sendable {
    /// The short name of the document, for example `guide`. The name is the prefix of the sentences' identifiers.
    public let name: String
    /// The title of the document.
    public let title: String
    /// The era of the document, such as that of Swift concurrency; nil if the list of documents has no eras.
    public let era: Era?
    /// The author of the document; nil if the author is unknown.
    public let author: String?
    /// The public address of the document; nil if the address is unknown.
    public let address: String?
    /// The sentences, in the order of the document.
    public let sentences: [Sentence]
  }

  /// The era of a document: that of Grand Central Dispatch, or that of Swift concurrency.
  public enum Era: String, Sendable, Codable, CaseIterable {
    /// The documents on Grand Central Dispatch, from 2010 to 2015.
    case dispatch = "then"
    /// The proposals and the book on Swift concurrency.
    case swiftConcurrency = "now"
  }

  /// The strength of a document's sentence. The strength decides which results support or refute the sentence.
  public enum Strength: String, Sendable, Codable, CaseIterable {
    /// The sentence is about every run: one counterexample refutes the sentence.
    case always
    /// The sentence states a tendency: the rounds of the common case support or refute the sentence.
    case usually
    /// The sentence states a possibility: one occurrence supports the sentence, and the absence of occurrences does not
    /// refute the sentence.
    case may
    /// The sentence is the document's own code or advice: the sentence is supported if its promise is kept in all
    /// trials, and refuted if one trial breaks the promise.
    case recipe
  }

  /// A statement of a document about the behaviour of Dispatch or Swift concurrency, in the lab's own words.
  public struct Sentence: Sendable {
    /// The identifier, for example `guide.34`.
    public let id: String
    /// The statement of the document, in the lab's own words.
    public let says: String
    /// The place of the sentence in the document: the heading, and the number of the paragraph, point or step below the
    /// heading.
    public let place: String
    /// The strength with which the document states the sentence; nil only if the sentence cannot be tested.
    public let strength: Strength?
    /// The word of the document that expresses the strength, or the form of the sentence, such as `imperative` or
    /// `code`.
    public let word: String
    /// The configurations in which the sentence was tested; empty only if the sentence cannot be tested.
    public let conditions: [String]
    /// The reason why the sentence cannot be tested; nil if the sentence can be tested.
    public let reason: String?
    /// A description of the part that is true and of the part that is false, for a sentence that some claims support
    /// and other claims contradict; nil if such a sentence is refuted as a whole.
    public let partly: String?
    /// The reason why the sentence is true for every implementation of Dispatch, as the document's own code shows; nil
    /// if an implementation could contradict the sentence.
    public let byConstruction: String?
    /// The facts from which the lab infers the sentence; nil if trials show the sentence itself.
    public let byInference: String?
    /// The lab's replacements for the feature that the document describes. The key is the name of a system without this
    /// feature, for example `Linux`.
    public let standIns: [String: String]
    /// The identifiers of the sentences in today's documents that concern the same subject as this sentence; empty if
    /// no document answers the question.
    public let today: [String]
    /// The file and the line of the sentence, for errors.
    public let line: String
  }

  /// The documents, in the order of the file.
  public let documents: [Document]
  private let byName: [String: Sentence]

  /// The sentences of all documents.
  public var sentences: [Sentence] { documents.flatMap(\.sentences) }
  /// Returns the sentence with the identifier `id`; nil if no sentence has this identifier.
  public func sentence(_ id: String) -> Sentence? { byName[id] }

  /// The names of the eras with documents, in the order of ``Era``.
  public var eras: [String] { Era.allCases.filter { era in documents.contains { $0.era == era } }.map(\.rawValue) }

  /// Returns the sentences in documents of the other era that concern the same subject as `sentence`.
  public func answers(to sentence: Sentence) -> [Sentence] {
    sentence.today.compactMap(self.sentence) + sentences.filter { $0.today.contains(sentence.id) }
  }

  /// Returns the error for the name of a sentence that does not exist (`guide.99`), or for the name of a document in
  /// place of a sentence; nil if `name` exists, or if `name` does not resemble the name of a sentence or a document.
  public func slip(inSentence name: String) -> InputError? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard sentence(name) == nil, parts.count <= 2, parts.count == 1 || Int(parts[1]) != nil else { return nil }
    guard let document = documents.first(where: { $0.name == parts[0] }) else {
      let near = parts.count > 1 ? documents.map(\.name).nearest(to: parts[0]) : nil
      return near.map { .unknown("sentence", name, known: ["\($0).\(parts[1])"], listing: .nothing) }
    }
    let (count, first) = (document.sentences.count, document.sentences.first?.id ?? "")
    guard parts.count > 1 else {
      return InputError(
        "'\(name)' is a document of \(count) sentences: name one, as in \(first), or list them by documents \(name)")
    }
    return InputError(
      "unknown sentence '\(name)': \(parts[0]) has \(count) sentences, \(first) to \(document.sentences.last?.id ?? "")"
    )
  }

  /// Creates documents from the text of a file. Error messages use `place` as the name of the file.
  ///
  /// - Throws: ``InputError`` with the file and the line, if the text is not valid.
  public init(place: String, yaml: String) throws(InputError) {
    try self.init(try PlacedNode(yaml: yaml, place: place))
  }

  /// Creates documents from the parsed content of a file.
  init(_ content: PlacedNode) throws(InputError) {
    let root = try Mapping(content, "the documents")
    try root.allow(["documents"])
    var documents: [Document] = []
    var byName: [String: Sentence] = [:]
    for node in try root.list("documents") {
      let fields = try Mapping(node, "a document")
      try fields.allow(["document", "title", "era", "author", "address", "sentences"])
      let name = try fields.text("document")
      var sentences: [Sentence] = []
      for node in try fields.list("sentences") {
        let sentence = try Self.sentence(try Mapping(node, "a sentence"), line: node.place)
        guard sentence.id.hasPrefix(name + ".") else {
          throw node.error("'\(sentence.id)' is not a sentence of '\(name)'")
        }
        guard byName[sentence.id] == nil else { throw node.error("'\(sentence.id)' appears twice") }
        byName[sentence.id] = sentence
        sentences.append(sentence)
      }
      documents.append(
        Document(
          name: name, title: try fields.text("title"), era: try Self.word("era", fields),
          author: try fields.optionalText("author"),
          address: try fields.optionalText("address"), sentences: sentences
        ))
    }
    self.documents = documents
    self.byName = byName
    let today = documents.filter { $0.era == .swiftConcurrency }.flatMap(\.sentences).map(\.id)
    for sentence in sentences {
      for id in sentence.today where !today.contains(id) {
        throw InputError(
          "today: '\(id)' is not a sentence of today's documents", at: sentence.line, near: id, of: today)
      }
    }
  }

  private static let keys = [
    "id", "says", "place", "said", "word", "conditions", "reason", "partly", "by-construction", "by-inference",
    "stand-in", "today",
  ]
  private static let systems = ["linux": "Linux", "darwin": "Darwin"]

  private static func sentence(_ fields: Mapping, line: String) throws(InputError) -> Sentence {
    try fields.allow(keys)
    var standIns: [String: String] = [:]
    for entry in try fields.entries("stand-in") {
      guard let system = systems[entry.key] else {
        throw InputError.unknown(
          "system", entry.key, at: entry.value.place, known: systems.keys.sorted(), listing: .unlessNear
        ).about("stand-in")
      }
      standIns[system] = try entry.value.scalar(entry.key)
    }
    let sentence = Sentence(
      id: try fields.text("id"), says: try fields.text("says"), place: try fields.text("place"),
      strength: try word("said", fields), word: try fields.text("word"), conditions: try texts("conditions", fields),
      reason: try fields.optionalText("reason"), partly: try fields.optionalText("partly"),
      byConstruction: try fields.optionalText("by-construction"),
      byInference: try fields.optionalText("by-inference"), standIns: standIns, today: try texts("today", fields),
      line: line)
    guard (sentence.strength == nil) == (sentence.reason != nil) else {
      throw InputError(
        "'\(sentence.id)' needs either 'said' (the strength of the sentence) or 'reason' (why no scenario can try the sentence)",
        at: line)
    }
    guard sentence.conditions.isEmpty == (sentence.strength == nil) else {
      throw InputError(
        sentence.strength == nil
          ? "'\(sentence.id)' has a reason why no scenario can try the sentence: found 'conditions', expected none"
          : "'\(sentence.id)' needs 'conditions': found none, expected a list of the configurations in which it was tried",
        at: line)
    }
    return sentence
  }

  /// Returns the texts of the list at `key`; an empty array if the key is absent. Throws an error for a text that
  /// occurs twice.
  private static func texts(_ key: String, _ fields: Mapping) throws(InputError) -> [String] {
    var texts: [String] = []
    for node in try fields.list(key) {
      let text = try node.scalar(key)
      guard !texts.contains(text) else { throw node.error("\(key): '\(text)' appears twice") }
      texts.append(text)
    }
    return texts
  }

  /// Returns the value at `key`, which is one of the words of a type; nil if the key is absent. Throws an error for any
  /// other word.
  private static func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String, _ fields: Mapping)
    throws(InputError) -> Word?
  {
    guard let text = try fields.optionalText(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw InputError(
        "\(key): found '\(text)'", at: fields.node(key).place, near: text, of: Word.allCases.map(\.rawValue),
        listing: .all(as: "allowed"))
    }
    return word
  }
}
