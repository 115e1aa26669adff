// The import links the library that CDispatchSupport calls.
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs `preload CLANG FOLDER OUTPUT SOURCE…`: compiles the recorder of `FOLDER` to a shared library, and writes Swift
/// source with the library's bytes. The plugin Preload runs it.
@main enum Preload {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > 3 else { fail("usage: preload CLANG FOLDER OUTPUT SOURCE...") }
    let (clang, folder, output) = (arguments[0], arguments[1], arguments[2])
    let library = output + ".so"
    // Frame pointers and tables for unwinding: stacks are walked, and unwound, through the recorder. Symbols that the
    // library does not have are found at their first call, if ever.
    compile(
      clang,
      [
        "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-fvisibility=hidden", "-fno-omit-frame-pointer", "-fexceptions",
        "-ftls-model=initial-exec", "-DGCDLAB_PRELOADED", "-I\(folder)", "-I\(folder)/include", "-Wl,-z,lazy",
        "-Wl,-z,noexecstack", "-Wl,-s", "-o", library,
      ] + arguments[3...])
    let digits = Array("0123456789abcdef".utf8)
    let text = String(decoding: read(library).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    unlink(library)
    save(
      """
      /// The recorder as a shared library, in hexadecimal digits.
      enum RecorderLibrary {
        static let text: StaticString = "\(text)"
      }

      """, to: output)
  }

  private static func compile(_ clang: String, _ arguments: [String]) {
    var process = pid_t()
    let words = ([clang] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    guard posix_spawn(&process, clang, nil, nil, words, environ) == 0 else { fail("cannot start \(clang)") }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { fail("\(clang) failed") }
  }

  private static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fail("cannot read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
  }

  /// Writes the file unless it has this text already: what is built from an unchanged file stays as it is, although the
  /// build system runs this tool again whenever its environment differs.
  private static func save(_ text: String, to path: String) {
    guard access(path, R_OK) != 0 || read(path) != Array(text.utf8) else { return }
    guard let file = fopen(path, "w"), fputs(text, file) >= 0, fclose(file) == 0 else { fail("cannot write \(path)") }
  }

  private static func fail(_ reason: String) -> Never {
    let line = "preload: \(reason)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
  }
}
