#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files that a tool of the build reads and writes. The targets `shelve` and `preload` share this source file.
enum ToolFile {
  /// Returns the bytes of a file; ends the tool if the file cannot be read.
  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fail("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  /// Writes a file, unless the file already contains this text. The build system runs the tool again whenever the
  /// environment changes, and does not rebuild the dependents of an unchanged file. Ends the tool if the file cannot be
  /// written.
  static func save(_ text: String, to path: String) {
    guard access(path, R_OK) != 0 || read(path) != Array(text.utf8) else { return }
    guard let file = fopen(path, "w"), fputs(text, file) >= 0, fclose(file) == 0 else { fail("cannot write \(path)") }
  }

  /// Ends the tool with an error.
  static func fail(_ reason: String) -> Never {
    let tool = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "tool"
    let line = "\(tool): \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
