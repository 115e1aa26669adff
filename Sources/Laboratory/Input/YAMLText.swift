import Yams

extension PlacedNode {
  /// The root of a YAML text, which errors call `place`.
  ///
  /// - Throws: ``InputError`` with the line of a scanner or parser problem.
  init(yaml: String, place: String) throws(InputError) {
    // A mark of the byte order, as some editors write it, says nothing in UTF-8.
    let yaml = yaml.unicodeScalars.first == "\u{feff}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
    try Self.refuseAliasBomb(yaml, place)
    let root: Node?
    // What kind of value a word is, the reader decides by what it is for; that Yams guesses it for each takes a third
    // of its time. Without an encoding it reads the environment.
    do { root = try Yams.compose(yaml: yaml, .basic, .default, .utf8) } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw InputError("not valid YAML: \(YAMLSlip.words(problem, yaml, mark.line))", at: "\(place):\(mark.line)")
      case .duplicatedKeysInMapping(let duplicates, let context):
        let keys = duplicates.map { "\($0)" }.joined(separator: ", ")
        throw InputError("the key \(keys) stands twice", at: "\(place):\(context.mark.line)")
      default: throw InputError("not valid YAML: \(error)", at: place)
      }
    } catch { throw InputError("not valid YAML: \(error)", at: place) }
    guard let root else { throw InputError("the file is empty", at: place) }
    self.init(node: .parsed(root), file: place, fallbackLine: 1)
  }

  /// A file may say a thing twice by an alias. A few lines of aliases of lists of aliases, though, stand for millions
  /// of nodes, and Yams visits each of them ("billion laughs").
  private static func refuseAliasBomb(_ yaml: String, _ place: String) throws(InputError) {
    let most = 16
    var found = 0
    guard yaml.utf8.contains(UInt8(ascii: "*")) else { return }
    let lines = yaml.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      var last: UInt8 = UInt8(ascii: " ")
      var isOpen = false
      for byte in line {
        // An alias is a star at the start of a value, right in front of a name; `0.9 * apply` in a check is none.
        if isOpen, byte > UInt8(ascii: " ") { found += 1 }
        isOpen = byte == UInt8(ascii: "*") && " \t[{,:-?".utf8.contains(last)
        last = byte
      }
      guard found <= most else {
        throw InputError(
          "more than \(most) aliases ('*name'), which is more than a scenario needs", at: "\(place):\(number + 1)")
      }
    }
  }
}
