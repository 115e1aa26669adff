import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file in a directory of its own. The directory is removed at the end.
final class TemporaryFile: Sendable {
  let path: String
  private let directory: String

  init(_ name: String, _ text: String? = nil) throws {
    var template = Array("\(ScratchDirectory.parent)/gcdlab-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(errno, "make a directory") }
    directory = String(cString: made)
    path = "\(directory)/\(name)"
    if let text { try OutputFile(path).write(text) }
  }

  /// The names in the file's directory.
  var neighbours: [String] { (namesInDirectory(directory) ?? []).sorted() }

  deinit {
    for name in neighbours { unlink("\(directory)/\(name)") }
    rmdir(directory)
  }
}
