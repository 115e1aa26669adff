#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The whole text of a file; nil when it cannot be read. For small files, `/proc` included.
public func readFile(_ path: String) -> String? { try? readBytes(path).text }

/// The bytes of a file.
///
/// - Throws: ``SystemError`` when it cannot be opened or read.
public func readBytes(_ path: String) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError(errno, "read \(path)") }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count == 0 { return bytes }
    if count > 0 { bytes += buffer[..<count] } else if errno != EINTR { throw SystemError(errno, "read \(path)") }
  }
}

/// The names in a directory but for `.` and `..`, in no order; nil when it cannot be read.
public func namesInDirectory(_ path: String) -> [String]? {
  guard let directory = opendir(path) else { return nil }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

extension [UInt8] {
  /// The bytes as UTF-8 text, with what is not UTF-8 replaced.
  public var text: String { String(decoding: self, as: UTF8.self) }
}

/// Writes all bytes of `text` to an open descriptor.
///
/// - Throws: ``SystemError`` when the device is full, the pipe closed, …
public func writeAll(_ text: String, to descriptor: Int32) throws(SystemError) {
  var text = text
  let status: Int32 = text.withUTF8 { bytes in
    var written = 0
    while written < bytes.count {
      let count = write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count >= 0 { written += count } else if errno != EINTR { return errno }
    }
    return 0
  }
  guard status == 0 else { throw SystemError(status, "write") }
}
