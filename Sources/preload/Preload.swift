// The import links the library that CDispatchSupport calls.
import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The command `preload CLANG FOLDER OUTPUT INPUT…`. The command compiles the recorder in `FOLDER` to a shared library
/// and to an object file, and writes Swift source with the bytes of both files to `OUTPUT`. The inputs are the source
/// files of the recorder. The plugin Preload runs this command.
@main enum Preload {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count > 3 else { ToolFile.fail("usage: preload CLANG FOLDER OUTPUT INPUT...") }
    let (clang, folder, output) = (arguments[0], arguments[1], arguments[2])
    let number = number(of: arguments[3...].flatMap(ToolFile.read))
    // The recorder needs frame pointers and unwind tables, since stack walks and exceptions pass through its frames.
    // Symbols that the library does not define are resolved at their first call.
    let flags = [
      "-fPIC", "-O2", "-Wall", "-Werror", "-fvisibility=hidden", "-fno-omit-frame-pointer", "-fexceptions",
      "-ftls-model=initial-exec", "-I\(folder)", "-I\(folder)/include",
    ]
    let library = compile(
      clang,
      flags + [
        "-shared", "-DGCDLAB_PRELOADED", "-Wl,-z,lazy", "-Wl,-z,noexecstack", "-Wl,-s", "\(folder)/Trace.c",
        "\(folder)/preloaded/Preloaded.c",
      ], to: output + ".so")
    let object = compile(
      clang,
      flags + ["-c", "-DGCDLAB_LINKED", "-DGCDLAB_NUMBER=\(number)", "\(folder)/preloaded/Linked.c"], to: output + ".o")
    let names = names(in: "\(folder)/Wrapped.h").map { "\"\($0)\"" }.joined(separator: ", ")
    ToolFile.save(
      """
      /// The recorder as a shared library, in hexadecimal digits.
      enum RecorderLibrary {
        static let text: StaticString = "\(hexadecimal(library))"
      }

      /// The recorder as an object file, in hexadecimal digits.
      enum RecorderObject {
        static let text: StaticString = "\(hexadecimal(object))"
        /// The number in the object's note. Each version of the recorder has its own number.
        static let number: UInt32 = \(number)
        /// The names for the linker's --wrap.
        static let names = [\(names)]
      }

      """, to: output)
  }

  /// Returns the FNV-1a hash of the bytes.
  private static func number(of bytes: [UInt8]) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }

  /// Returns the names of the functions that the linker wraps in a static program, from the file at `path`.
  private static func names(in path: String) -> [Substring] {
    String(decoding: ToolFile.read(path), as: UTF8.self).split(separator: "\n").compactMap { line in
      guard let kind = ["BOTH(", "LINKED(", "OTHER("].first(where: line.hasPrefix), line.hasSuffix(")") else {
        return nil
      }
      return line.dropFirst(kind.count).dropLast()
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Runs the compiler, returns the bytes of the file that the compiler writes, and removes the file. Exits the tool if
  /// the compiler fails.
  private static func compile(_ clang: String, _ arguments: [String], to path: String) -> [UInt8] {
    var process = pid_t()
    let words = ([clang] + arguments + ["-o", path]).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    guard posix_spawn(&process, clang, nil, nil, words, environ) == 0 else { ToolFile.fail("cannot start \(clang)") }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { ToolFile.fail("\(clang) failed") }
    defer { unlink(path) }
    return ToolFile.read(path)
  }
}
