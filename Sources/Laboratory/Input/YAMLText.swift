import Yams

extension PlacedNode {
  /// Creates a node by parsing a YAML text. Errors call the text `place`.
  ///
  /// - Throws: ``InputError`` if the text is empty, is not valid YAML or contains too many aliases; the error contains
  ///   the line if the parser reports it.
  init(yaml: String, place: String) throws(InputError) {
    // A byte order mark, which some editors write, has no meaning in UTF-8.
    let yaml = yaml.unicodeScalars.first == "\u{feff}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
    try Self.refuseAliasBomb(yaml, place)
    let root: Node?
    // The caller determines the type of each value. If Yams guessed the types, the parsing would take 50 % longer.
    // Without an explicit encoding, Yams reads the environment.
    do { root = try Yams.compose(yaml: yaml, .basic, .default, .utf8) } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw InputError("not valid YAML: \(YAMLMistake.words(problem, yaml, mark.line))", at: "\(place):\(mark.line)")
      case .duplicatedKeysInMapping(let duplicates, let context):
        let keys = duplicates.map { "\($0)" }.joined(separator: ", ")
        throw InputError("the key \(keys) appears twice", at: "\(place):\(context.mark.line)")
      default: throw InputError("not valid YAML: \(error)", at: place)
      }
    } catch { throw InputError("not valid YAML: \(error)", at: place) }
    guard let root else { throw InputError("the file is empty", at: place) }
    self.init(node: .yaml(root), file: place, fallbackLine: 1)
  }

  /// Throws an error for a file with too many aliases. An alias repeats a node. If each list contains several aliases
  /// of the previous list, a few lines stand for millions of nodes, and Yams visits each of them. This is the "billion
  /// laughs" attack.
  private static func refuseAliasBomb(_ yaml: String, _ place: String) throws(InputError) {
    let most = 16
    var found = 0
    guard yaml.utf8.contains(UInt8(ascii: "*")) else { return }
    let lines = yaml.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      var last: UInt8 = UInt8(ascii: " ")
      var isOpen = false
      for byte in line {
        // An alias is a star at the start of a value, directly before a name. The star in `0.9 * apply` is not an
        // alias.
        if isOpen, byte > UInt8(ascii: " ") { found += 1 }
        isOpen = byte == UInt8(ascii: "*") && " \t[{,:-?".utf8.contains(last)
        last = byte
      }
      guard found <= most else {
        throw InputError(
          "the file has more than \(most) aliases ('*name'); at most \(most) are allowed", at: "\(place):\(number + 1)")
      }
    }
  }
}
