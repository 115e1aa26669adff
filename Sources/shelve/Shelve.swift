// This import links the library that CDispatchSupport calls.
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command `shelve OUTPUT FILE…`. The plugin `Shelve` runs this command. The command writes Swift source with the
/// text of the files, and with the content of the YAML files in a form that a lab reads without a YAML parser
/// (``ShelvedFile``).
@main enum Shelve {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let output = arguments.first else { ToolFile.fail("usage: shelve OUTPUT FILE...") }
    let files = arguments.dropFirst().flatMap { path -> [(name: String, text: String)] in
      let (name, text) = (
        String(path.split(separator: "/").last ?? ""), String(decoding: ToolFile.read(path), as: UTF8.self)
      )
      let parsed = name.hasSuffix(".yml") ? ShelvedFile.text(of: text) : nil
      return [(name, text)] + (parsed.map { [(name + ".shelved", $0)] } ?? [])
    }
    let entries = files.map { "    (\"\($0.name)\", \(literal($0.text))),\n" }
    ToolFile.save(
      """
      /// The scenarios, as text and parsed, and the sources that were compiled, by file name.
      enum Shelf {
        static let files: [(name: String, text: String)] = [
      \(entries.joined())  ]
      }

      """, to: output)
  }

  /// Returns a raw string literal with as many `#` as the text requires. A control character other than a line feed or
  /// a tab is written as a Unicode escape, since Swift rejects the character in source code or reads it as another
  /// character.
  private static func literal(_ text: String) -> String {
    var marks = "#"
    while text.contains("\"\"\"" + marks) || text.contains("\\" + marks) { marks += "#" }
    var written = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.value < 0x20, scalar != "\n", scalar != "\t" {
        written += "\\\(marks)u{\(String(scalar.value, radix: 16))}".unicodeScalars
      } else {
        written.append(scalar)
      }
    }
    return "\(marks)\"\"\"\n\(String(written))\n\"\"\"\(marks)"
  }
}
