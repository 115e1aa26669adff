import CDispatchSupport
import SystemPackage

/// Creates a pipe. A program that this process starts inherits an end of the pipe only if the caller passes that end to
/// the program.
///
/// - Throws: ``SystemError`` if no descriptors are left.
public func makePipe() throws(SystemError) -> (reader: Int32, writer: Int32) {
  var ends: [Int32] = [-1, -1]
  guard gcdlab_make_pipe(&ends) == 0 else { throw SystemError(errno, "make a pipe") }
  return (ends[0], ends[1])
}

/// Returns the text of a file; nil if the file cannot be read. Use this function for small files, such as the files in
/// `/proc`.
public func readFile(_ path: String) -> String? { try? readBytes(path, atMost: 1 << 30).text }

/// Returns the bytes of a file or of a pipe. If there are more than `limit` bytes, the result has one byte more than
/// the limit.
///
/// - Throws: ``SystemError`` if the file cannot be opened or read, or if it is neither a regular file nor a pipe. A
///   device is not read, since a device may have no end.
public func readBytes(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var status = stat()
  guard stat(path, &status) == 0 else { throw SystemError(errno, "read \(path)") }
  // The kind is checked before the file is opened, since opening a device may have effects.
  guard [S_IFREG, S_IFIFO, S_IFDIR].contains(status.st_mode & S_IFMT) else {
    throw SystemError(EINVAL, "read \(path), which is not a file or pipe")
  }
  return try read(path, atMost: limit, .closeOnExec)
}

/// Returns the bytes of a regular file. The function does not follow a link at `path` and does not block. If there are
/// more than `limit` bytes, the result has one byte more than the limit.
///
/// - Throws: ``SystemError`` if the file cannot be opened or read, or is not a regular file.
public func readRegularFile(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
  var status = stat()
  guard lstat(path, &status) == 0 else { throw SystemError(errno, "read \(path)") }
  guard status.st_mode & S_IFMT == S_IFREG else {
    throw SystemError(EINVAL, "read \(path), which is not a regular file")
  }
  // Another file may have taken the path since it was checked.
  return try read(path, atMost: limit, [.closeOnExec, .noFollow, .nonBlocking])
}

private func read(
  _ path: String, atMost limit: Int, _ options: FileDescriptor.OpenOptions
) throws(SystemError) -> [UInt8] {
  try system("read \(path)") {
    let file = try FileDescriptor.open(path, .readOnly, options: options)
    return try file.closeAfter {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 16_384)
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

/// Returns the time of the last change of a regular file's contents, in seconds since 1970; nil if there is no such
/// file.
public func timeOfLastChange(_ path: String) -> Int? {
  var status = stat()
  guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
  #if os(Linux)
    return status.st_mtim.tv_sec
  #else
    return status.st_mtimespec.tv_sec
  #endif
}

/// Returns the names of the entries of a directory except `.` and `..`, in no particular order; nil if the directory
/// cannot be read.
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
  /// The bytes as UTF-8 text, with invalid sequences replaced.
  public var text: String { String(decoding: self, as: UTF8.self) }
}

/// Writes all bytes of `text` to an open descriptor.
///
/// - Throws: ``SystemError`` if the write fails, for instance because the device is full or the pipe is closed.
public func writeAll(_ text: String, to descriptor: Int32) throws(SystemError) {
  try writeAll(Array(text.utf8), to: descriptor)
}

func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  try system("write") { _ = try FileDescriptor(rawValue: descriptor).writeAll(bytes) }
}

/// Creates the directory `path` and all missing directories above it. A directory that exists is left unchanged.
///
/// - Throws: ``SystemError`` if a directory cannot be created.
public func makeDirectories(_ path: String, mode: mode_t) throws(SystemError) {
  guard mkdir(path, mode) != 0, errno != EEXIST else { return }
  let code = errno
  guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
    throw SystemError(code, "make \(path)")
  }
  try makeDirectories(String(path[..<slash]), mode: mode)
  guard mkdir(path, mode) == 0 || errno == EEXIST else { throw SystemError(errno, "make \(path)") }
}
