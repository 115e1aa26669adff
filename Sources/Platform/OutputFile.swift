#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is written whole or not at all: beside its place first, then renamed over it.
public struct OutputFile: Sendable {
  /// Where it goes.
  public let path: String

  /// A file to be, which must be possible to write.
  ///
  /// - Throws: ``SystemError`` when it could not be written now, so that a long run is not made in vain.
  public init(_ path: String) throws(SystemError) {
    self.path = path
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(EISDIR, "write \(path)") }
      guard access(path, W_OK) == 0 else { throw SystemError(errno, "write \(path)") }
      if status.st_mode & S_IFMT != S_IFREG { return }  // A device or a pipe is written as it is.
    }
    // Permission bits do not tell a read-only or full file system; creating a file does.
    let probe = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard probe >= 0 else { throw SystemError(errno, "write \(path)") }
    close(probe)
    unlink(draft)
  }

  /// Writes the whole text.
  ///
  /// - Throws: ``SystemError``; what was at the path before is still there then.
  public func write(_ text: String) throws(SystemError) {
    var status = stat()
    let replaces = stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    let target = replaces ? draft : path
    let descriptor = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw SystemError(errno, "write \(path)") }
    do { try writeAll(text, to: descriptor) } catch {
      close(descriptor)
      if replaces { unlink(draft) }
      throw SystemError(error.code, "write \(path)")
    }
    close(descriptor)
    guard replaces, rename(draft, path) != 0 else { return }
    let code = errno
    unlink(draft)
    throw SystemError(code, "write \(path)")
  }

  /// In the same directory, so that the rename is atomic; named by the process, so that two labs do not meet.
  private var draft: String {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return path[..<slash] + ".\(path[slash...]).gcdlab-\(getpid())"
  }
}
