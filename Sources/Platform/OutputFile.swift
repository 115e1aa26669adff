import CDispatchSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is written whole or not at all: beside its place first, then renamed over it. It keeps the mode and the
/// owner of the file that was there. A link is written through, as a shell does; what is no file, as a pipe, is written
/// as it is.
public struct OutputFile: Sendable {
  /// Where it goes.
  public let path: String
  /// The same without a link at its end.
  private let target: String
  /// What is written as it is. Open from the beginning: of a pipe, closing it would be the end.
  private let stream: Stream?

  /// A file to be, which must be possible to write.
  ///
  /// - Parameter followingLinks: whether a link at the path is written through, and a pipe written to; else a regular
  ///   file takes the place of either.
  /// - Throws: ``SystemError`` when it could not be written now, so that a long run is not made in vain.
  public init(_ path: String, followingLinks: Bool = true) throws(SystemError) {
    self.path = path
    var status = stat()
    // The system may refuse to follow a link, as that of another user in /tmp. Then it is not followed by hand either.
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
    // Permission bits do not tell a read-only or full file system; creating a file does.
    let probe = try openDraft()
    close(probe.descriptor)
    if probe.isNamed { unlink(draft) }
  }

  /// Writes the whole text.
  ///
  /// - Throws: ``SystemError``; what was at the path before is still there then.
  public func write(_ text: String) throws(SystemError) {
    if let stream { return try writeAll(text, to: stream.descriptor, as: path) }
    let (descriptor, isNamed) = try openDraft()
    defer { close(descriptor) }
    var status = stat()
    if lstat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      // Only root can give a file away.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      fchmod(descriptor, status.st_mode & 0o777)
    }
    do { try writeAll(text, to: descriptor, as: path) } catch {
      if isNamed { unlink(draft) }
      throw error
    }
    if !isNamed {
      if gcdlab_name_file(descriptor, target) == 0 { return }
      // The name is taken: only a rename puts a file in the place of another.
      guard errno == EEXIST, gcdlab_name_file(descriptor, draft) == 0 else {
        throw SystemError(errno, "write \(path)")
      }
    }
    guard rename(draft, target) != 0 else { return }
    let code = errno
    unlink(draft)
    throw SystemError(code, "write \(path)")
  }

  /// What tells whether two are the same file, by whatever names; nil for a device, which may be written to twice.
  public var identity: String? {
    var status = stat()
    if let stream {
      guard fstat(stream.descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFCHR else { return nil }
    } else if lstat(target, &status) != 0 {
      // There is none yet: a name in a directory.
      guard stat(directory.isEmpty ? "." : String(directory), &status) == 0 else { return nil }
      return "\(status.st_dev) \(status.st_ino) \(target[directory.endIndex...])"
    }
    return "\(status.st_dev) \(status.st_ino)"
  }

  /// A file to write beside the target. Without a name where the system can do that: then nothing of it is left,
  /// whatever ends the process.
  private func openDraft() throws(SystemError) -> (descriptor: Int32, isNamed: Bool) {
    let unnamed = gcdlab_open_unnamed(String(directory.isEmpty ? "." : directory))
    if unnamed >= 0 { return (unnamed, false) }
    // Nobody else's file and no link: one that is there is of a dead process of the same number.
    unlink(draft)
    let named = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard named >= 0 else { throw SystemError(errno, "write \(path)") }
    return (named, true)
  }

  /// Where a path leads whose last name may be a link, to a link even. There need not be anything yet.
  private static func target(of path: String) throws(SystemError) -> String {
    var target = path
    // As many as the system follows.
    for _ in 0..<40 {
      guard let link = linked(target) else { return target }
      target = link.hasPrefix("/") ? link : directory(of: target) + link
    }
    throw SystemError(ELOOP, "write \(path)")
  }

  /// What a link holds; nil when it is none.
  private static func linked(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    return count >= 0 ? buffer.withUnsafeBytes { String(decoding: $0[..<count], as: UTF8.self) } : nil
  }

  /// With its slash; empty for the working directory.
  private static func directory(of path: String) -> Substring {
    path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)]
  }

  private var directory: Substring { Self.directory(of: target) }

  /// In the same directory, so that the rename is atomic; named by the process, so that two labs do not meet.
  private var draft: String { "\(directory).\(target[directory.endIndex...]).gcdlab-\(getpid())" }
}

/// A pipe or a device, open for writing as long as it is needed.
private final class Stream: Sendable {
  let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    // A pipe is not waited for: nobody might ever read it.
    descriptor = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SystemError(errno, errno == ENXIO ? "write \(path), which nobody reads" : "write \(path)")
    }
    // Who reads may take his time.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

private func writeAll(_ text: String, to descriptor: Int32, as path: String) throws(SystemError) {
  do { try writeAll(text, to: descriptor) } catch { throw SystemError(error.code, "write \(path)") }
}
