import SystemPackage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A pipe whose ends no program that is started gets, unless it is given one.
///
/// - Throws: ``SystemError`` when there are no descriptors left.
public func makePipe() throws(SystemError) -> (reader: Int32, writer: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { throw SystemError(errno, "make a pipe") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// The whole text of a file; nil when it cannot be read. For small files, `/proc` included.
public func readFile(_ path: String) -> String? { try? readBytes(path, atMost: 1 << 30).text }

/// The bytes of a file or of a pipe. Of one that has more than `limit` it reads just one more, to tell.
///
/// - Throws: ``SystemError`` when it cannot be opened or read, or is something else, as a device, which may have no
///   end.
public func readBytes(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var status = stat()
  guard stat(path, &status) == 0 else { throw SystemError(errno, "read \(path)") }
  // Before it is opened, which may do something to a device.
  guard [S_IFREG, S_IFIFO, S_IFDIR].contains(status.st_mode & S_IFMT) else {
    throw SystemError(EINVAL, "read \(path), which is no file or pipe")
  }
  return try read(path, atMost: limit, .closeOnExec)
}

/// The bytes of a regular file that has this name itself: a link is not followed, and nothing is waited for. Of one
/// that has more than `limit` it reads just one more, to tell.
///
/// - Throws: ``SystemError`` when it cannot be opened or read, or is something else.
public func readRegularFile(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var status = stat()
  guard lstat(path, &status) == 0 else { throw SystemError(errno, "read \(path)") }
  guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL, "read \(path), which is no regular file") }
  // What stands there now may be another one.
  return try read(path, atMost: limit, [.closeOnExec, .noFollow, .nonBlocking])
}

private func read(
  _ path: String, atMost limit: Int, _ options: FileDescriptor.OpenOptions
) throws(SystemError) -> [UInt8] {
  try system("read \(path)") {
    let file = try FileDescriptor.open(FilePath(path), .readOnly, options: options)
    return try file.closeAfter {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while bytes.count <= limit {
        let room = min(buffer.count, limit + 1 - bytes.count)
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: .init(rebasing: $0[..<room])) }
        guard count > 0 else { break }
        bytes += buffer[..<count]
      }
      return bytes
    }
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
  try system("write") { _ = try FileDescriptor(rawValue: descriptor).writeAll(text.utf8) }
}
