import Platform

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is changed in every way a monitor knows.
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
    guard descriptor >= 0 else { throw SystemError(errno, "create \(path)") }
    append()
  }

  func overwrite() { pwrite(descriptor, "x", 1, 0) }

  func append() {
    var status = stat()
    fstat(descriptor, &status)
    pwrite(descriptor, "x", 1, status.st_size)
  }

  func toggleMode() {
    mode ^= 0o040
    fchmod(descriptor, mode)
  }

  func addLink() { link(path, linkPath) }

  func removeLink() { unlink(linkPath) }

  func rename() {
    let other = path == names[0] ? names[1] : names[0]
    if systemRename(path, other) == 0 { path = other }
  }

  func remove() { unlink(path) }

  func close() {
    if descriptor >= 0 { systemClose(descriptor) }
    descriptor = -1
  }
}

// The methods of the same name hide them.
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
@discardableResult private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
