import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is changed in every way a monitor knows.
///
/// A change that the machine does not allow (a full device, a limit on file sizes, a file system without links) is an
/// error: no monitor could have heard of it.
final class WatchedFile {
  private(set) var path: String
  private let names: [String]
  private let linkPath: String
  private var descriptor: Int32 = -1
  private var mode: mode_t = 0o600

  init(in scratch: ScratchDirectory) throws(SystemError) {
    names = [scratch.file("watched"), scratch.file("renamed")]
    path = names[0]
    linkPath = scratch.file("link")
    try create()
  }

  /// A new file at the first name.
  func create() throws(SystemError) {
    close()
    path = names[0]
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try done(descriptor >= 0, "create")
    try append()
  }

  func overwrite() throws(SystemError) { try done(pwrite(descriptor, "x", 1, 0) == 1, "write") }

  func append() throws(SystemError) {
    var status = stat()
    fstat(descriptor, &status)
    try done(pwrite(descriptor, "x", 1, status.st_size) == 1, "write")
  }

  func toggleMode() throws(SystemError) {
    mode ^= 0o040
    try done(fchmod(descriptor, mode) == 0, "change the mode of")
  }

  func addLink() throws(SystemError) { try done(link(path, linkPath) == 0, "link") }

  func removeLink() throws(SystemError) { try done(unlink(linkPath) == 0, "remove") }

  func rename() throws(SystemError) {
    let other = path == names[0] ? names[1] : names[0]
    try done(systemRename(path, other) == 0, "rename")
    path = other
  }

  func remove() throws(SystemError) { try done(unlink(path) == 0, "remove") }

  private func done(_ isDone: Bool, _ action: String) throws(SystemError) {
    if !isDone { throw SystemError(errno, "\(action) a file in \(ScratchDirectory.parent)") }
  }

  func close() {
    if descriptor >= 0 { systemClose(descriptor) }
    descriptor = -1
  }
}

// The methods of the same name hide them.
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
@discardableResult private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
