import CDispatchSupport

/// A file that is written completely or not at all. The text is written to a draft in the same directory, and the draft
/// is then renamed. The new file has the mode of the old file, and the owner of the old file if the system permits
/// this. By default, the destination of a link is replaced, and a pipe or a device is written directly.
public struct OutputFile: Sendable {
  /// The path of the file.
  public let path: String
  /// The path to replace: the path after resolution of a link at its end, or the path itself if links are not followed.
  private let target: String
  /// The pipe or device that is written directly; nil for a regular file. The stream stays open between two writes,
  /// since closing a pipe would end the pipe for its reader.
  private let stream: Stream?

  /// Prepares the file and verifies that it can be written.
  ///
  /// - Parameter followingLinks: whether to follow a link at the path and to write into a pipe. If false, a regular
  ///   file replaces the link or the pipe.
  /// - Throws: ``SystemError`` if the file cannot be written now. A caller that prepares the file before a long run
  ///   learns of the problem before there are results to lose.
  public init(_ path: String, followingLinks: Bool = true) throws(SystemError) {
    self.path = path
    var status = stat()
    // The system may refuse to follow a link, for instance another user's link in /tmp. The lab then does not resolve
    // the link itself either.
    let exists = (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0
    if !exists, errno != ENOENT { throw SystemError(errno, "write \(path)") }
    if followingLinks, exists, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      stream = try Stream(path)
      target = path
      return
    }
    stream = nil
    target = followingLinks ? try Self.target(of: path) : path
    if exists {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(EISDIR, "write \(path)") }
      guard !followingLinks || access(path, W_OK) == 0 else { throw SystemError(errno, "write \(path)") }
    }
    // Permission bits do not reveal a read-only or full file system, but creating a file does.
    let probe = try openDraft()
    close(probe.descriptor)
    if probe.isNamed { unlink(draft) }
  }

  /// Writes the whole text.
  ///
  /// - Throws: ``SystemError`` if the text cannot be written. The old content of a regular file is then unchanged.
  public func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }

  /// Writes all bytes.
  ///
  /// - Throws: ``SystemError`` if the bytes cannot be written. The old content of a regular file is then unchanged.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    if let stream { return try writeAll(bytes, to: stream.descriptor, as: path) }
    let (descriptor, isNamed) = try openDraft()
    defer { close(descriptor) }
    var status = stat()
    if lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      // Only root can change the owner of a file.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      fchmod(descriptor, status.st_mode & 0o777)
    }
    do { try writeAll(bytes, to: descriptor, as: path) } catch {
      if isNamed { unlink(draft) }
      throw error
    }
    if !isNamed {
      if gcdlab_name_file(descriptor, target) == 0 { return }
      // If a file exists at the target, only a rename replaces the file.
      guard errno == EEXIST, gcdlab_name_file(descriptor, draft) == 0 else {
        throw SystemError(errno, "write \(path)")
      }
    }
    guard rename(draft, target) != 0 else { return }
    let code = errno
    unlink(draft)
    throw SystemError(code, "write \(path)")
  }

  /// A string that is equal for two paths to the same file; nil for a device, to which several outputs may be written,
  /// or if the system does not report the file.
  public var identity: String? {
    var status = stat()
    if let stream {
      guard fstat(stream.descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFCHR else { return nil }
    } else if lstat(target, &status) != 0 {
      // A file that does not exist yet is identified by its directory and its name.
      guard stat(directory.isEmpty ? "." : String(directory), &status) == 0 else { return nil }
      return "\(status.st_dev) \(status.st_ino) \(target[directory.endIndex...])"
    }
    return "\(status.st_dev) \(status.st_ino)"
  }

  /// Opens a draft in the target's directory. If the system supports files without a name, the draft has no name, and
  /// the system removes the draft when the process ends for any reason.
  private func openDraft() throws(SystemError) -> (descriptor: Int32, isNamed: Bool) {
    let unnamed = gcdlab_open_unnamed(String(directory.isEmpty ? "." : directory))
    if unnamed >= 0 { return (unnamed, false) }
    // The draft must not be a link or a file that another process created. An existing file of that name is the draft
    // of an ended process that had the identifier of this process.
    unlink(draft)
    let named = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard named >= 0 else { throw SystemError(errno, "write \(path)") }
    return (named, true)
  }

  /// Returns the path after resolution of its last component, which may be a link or a chain of links. The final file
  /// need not exist.
  ///
  /// - Throws: ``SystemError`` if the chain has more than 39 links.
  private static func target(of path: String) throws(SystemError) -> String {
    var target = path
    // The system, too, limits the number of links.
    for _ in 0..<40 {
      guard let link = linked(target) else { return target }
      target = link.hasPrefix("/") ? link : directory(of: target) + link
    }
    throw SystemError(ELOOP, "write \(path)")
  }

  /// Returns the destination of a link; nil if the path is not a link.
  private static func linked(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    return count >= 0 ? buffer.withUnsafeBytes { String(decoding: $0[..<count], as: UTF8.self) } : nil
  }

  /// Returns the directory part of a path including its slash; an empty string for the working directory.
  private static func directory(of path: String) -> Substring {
    path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)]
  }

  private var directory: Substring { Self.directory(of: target) }

  /// The path of a draft with a name. The draft is in the target's directory, since a rename is atomic only within a
  /// file system. The name of the draft contains the process identifier, since two labs must not use the same draft.
  private var draft: String { "\(directory).\(target[directory.endIndex...]).gcdlab-\(getpid())" }
}

/// A pipe or a device, which stays open for writing as long as the stream exists.
private final class Stream: Sendable {
  let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    // Opening a pipe must not wait for a reader, since a reader might never appear.
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SystemError(errno, errno == ENXIO ? "write \(path), which nobody reads" : "write \(path)")
    }
    // Writes wait for a slow reader.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

private func writeAll(_ bytes: [UInt8], to descriptor: Int32, as path: String) throws(SystemError) {
  do { try writeAll(bytes, to: descriptor) } catch { throw SystemError(error.code, "write \(path)") }
}
