/// The files that a lab was built with: scenarios and documents (`.yml`), each with what it says as it was parsed then
/// (`.yml.parsed`) or without, and the patterns' sources (`.swift`).
struct BuiltInFiles: Sendable {
  /// The file with the documents.
  static let documents = "documents.yml"
  /// How the names of the files of scenarios end.
  static let scenarioEnding = ".yml"

  private let files: [(name: String, text: String)]

  init(_ files: [(name: String, text: String)]) { self.files = files }

  /// The names of the scenarios, in the order of their files.
  var scenarios: [String] {
    files.map(\.name).filter { $0.hasSuffix(Self.scenarioEnding) && $0 != Self.documents }
      .map { String($0.dropLast(Self.scenarioEnding.count)) }
  }

  /// The text of a file; nil where the lab was built without it.
  func text(_ name: String) -> String? { files.first { $0.name == name }?.text }

  /// What a file of YAML says: as it was parsed when the lab was built, else parsed now; nil where there is no such
  /// file.
  ///
  /// - Throws: ``InputError`` when it is broken.
  func content(_ name: String) throws(InputError) -> PlacedNode? {
    guard let yaml = text(name) else { return nil }
    guard let parsed = text(name + ShelvedNode.fileEnding), let node = ShelvedNode(parsed) else {
      return try PlacedNode(yaml: yaml, place: name)
    }
    return PlacedNode(node: .shelved(node), file: name, fallbackLine: 1)
  }
}
