/// The files that the lab was built with: scenarios and documents (`.yml`), and the sources of the patterns (`.swift`).
/// For each `.yml` file, a second file may contain the content that was parsed when the lab was built (`.yml.shelved`).
struct BuiltInFiles: Sendable {
  /// The name of the file that contains the documents.
  static let documents = "documents.yml"
  /// The suffix of the names of scenario files.
  static let scenarioEnding = ".yml"

  private let files: [(name: String, text: String)]

  init(_ files: [(name: String, text: String)]) { self.files = files }

  /// The names of the scenarios, without the suffix of the files, in the order of the files.
  var scenarios: [String] {
    files.map(\.name).filter { $0.hasSuffix(Self.scenarioEnding) && $0 != Self.documents }
      .map { String($0.dropLast(Self.scenarioEnding.count)) }
  }

  /// Returns the text of the file called `name`; nil if the lab was built without this file.
  func text(_ name: String) -> String? { files.first { $0.name == name }?.text }

  /// Returns the content of a YAML file, parsed either now or when the lab was built; nil if the file does not exist.
  ///
  /// - Throws: ``InputError`` if the file cannot be parsed.
  func content(_ name: String) throws(InputError) -> PlacedNode? {
    guard let yaml = text(name) else { return nil }
    guard let parsed = text(name + ShelvedNode.fileEnding), let node = ShelvedNode(parsed) else {
      return try PlacedNode(yaml: yaml, place: name)
    }
    return PlacedNode(node: .shelved(node), file: name, fallbackLine: 1)
  }
}
