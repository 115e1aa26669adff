// So that what CDispatchSupport calls is linked.
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `shelve OUTPUT FILE…`: writes Swift source that holds the text of the files; run by the plugin of that name.
@main enum Shelve {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let output = arguments.first else { fail("usage: shelve OUTPUT FILE...") }
    let entries = arguments.dropFirst().map { path in
      let name = path.split(separator: "/").last ?? ""
      return "    (\"\(name)\", \(literal(read(path)))),\n"
    }
    save(
      """
      /// The scenarios and the sources that were compiled, by file name.
      enum Shelf {
        static let files: [(name: String, text: String)] = [
      \(entries.joined())  ]
      }

      """, to: output)
  }

  /// A raw literal with as many `#` as keep everything in it text.
  private static func literal(_ text: String) -> String {
    var marks = "#"
    while text.contains("\"\"\"" + marks) || text.contains("\\" + marks) { marks += "#" }
    return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
  }

  private static func read(_ path: String) -> String {
    guard let file = fopen(path, "r") else { fail("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func save(_ text: String, to path: String) {
    guard let file = fopen(path, "w"), fputs(text, file) >= 0, fclose(file) == 0 else { fail("cannot write \(path)") }
  }

  private static func fail(_ reason: String) -> Never {
    let line = "shelve: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
