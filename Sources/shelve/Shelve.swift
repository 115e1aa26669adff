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
    guard let output = arguments.first else { fail("usage: shelve OUTPUT FILE...") }
    let files = arguments.dropFirst().flatMap { path -> [(name: String, text: String)] in
      let (name, text) = (String(path.split(separator: "/").last ?? ""), read(path))
      let parsed = name.hasSuffix(".yml") ? ShelvedFile.text(of: text) : nil
      return [(name, text)] + (parsed.map { [(name + ".shelved", $0)] } ?? [])
    }
    let entries = files.map { "    (\"\($0.name)\", \(literal($0.text))),\n" }
    save(
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

  private static func read(_ path: String) -> String {
    guard let file = fopen(path, "r") else { fail("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the file, unless the file already contains this text. The build system runs this tool whenever the
  /// environment changes, and does not rebuild dependents of an unchanged file.
  private static func save(_ text: String, to path: String) {
    guard access(path, R_OK) != 0 || read(path) != text else { return }
    guard let file = fopen(path, "w"), fputs(text, file) >= 0, fclose(file) == 0 else { fail("cannot write \(path)") }
  }

  private static func fail(_ reason: String) -> Never {
    let line = "shelve: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
