import CDispatchSupport

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
    let probe = try openDraft()
    close(probe.descriptor)
    if probe.isNamed { unlink(draft) }
  }

  /// Writes the whole text.
  ///
  /// - Throws: ``SystemError``; what was at the path before is still there then.
  public func write(_ text: String) throws(SystemError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG { return try writeInPlace(text) }
    let (descriptor, isNamed) = try openDraft()
    defer { close(descriptor) }
    do { try writeAll(text, to: descriptor) } catch {
      if isNamed { unlink(draft) }
      throw SystemError(error.code, "write \(path)")
    }
    if !isNamed {
      if gcdlab_name_file(descriptor, path) == 0 { return }
      // The name is taken: only a rename puts a file in the place of another.
      guard errno == EEXIST, gcdlab_name_file(descriptor, draft) == 0 else {
        throw SystemError(errno, "write \(path)")
      }
    }
    guard rename(draft, path) != 0 else { return }
    let code = errno
    unlink(draft)
    throw SystemError(code, "write \(path)")
  }

  /// A file to write beside the path. Without a name where the system can do that: then nothing of it is left, whatever
  /// ends the process.
  private func openDraft() throws(SystemError) -> (descriptor: Int32, isNamed: Bool) {
    let unnamed = gcdlab_open_unnamed(String(directory.isEmpty ? "." : directory))
    if unnamed >= 0 { return (unnamed, false) }
    let named = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard named >= 0 else { throw SystemError(errno, "write \(path)") }
    return (named, true)
  }

  private func writeInPlace(_ text: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(errno, "write \(path)") }
    defer { close(descriptor) }
    do { try writeAll(text, to: descriptor) } catch { throw SystemError(error.code, "write \(path)") }
  }

  /// With its slash; empty for the working directory.
  private var directory: Substring {
    path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)]
  }

  /// In the same directory, so that the rename is atomic; named by the process, so that two labs do not meet.
  private var draft: String { "\(directory).\(path[directory.endIndex...]).gcdlab-\(getpid())" }
}
