/// A chain of names that are joined by dots in a line of code, for example `library.append`.
struct NameChain {
  let names: [Substring]
  /// Whether a dot precedes the first name. If the value is true, the first name is a member of an unknown type.
  let isMember: Bool

  /// Returns the chains in a line of code, from left to right.
  static func all(in line: Substring) -> [NameChain] {
    line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }.compactMap { word in
      let names = word.split(separator: ".")
      // A label or a number is not a name.
      let isLabel = names.count == 1 && line[word.endIndex...].first == ":"
      guard let first = names.first?.first, !first.isNumber, !isLabel else { return nil }
      return NameChain(names: names, isMember: word.hasPrefix("."))
    }
  }

  /// Returns a line of code without its string literals and its comment.
  static func code(of line: String) -> Substring {
    let parts = line.replacing("?.", with: ".").split(separator: "\"", omittingEmptySubsequences: false)
    let code = parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined(separator: " ")
    return code.firstRange(of: "//").map { code[..<$0.lowerBound] } ?? code[...]
  }
}
