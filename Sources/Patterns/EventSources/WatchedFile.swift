import Instruments

/// A file that a trial changes in every way that a monitor can report.
///
/// A method that changes the file throws ``SystemError`` if the machine does not allow the change, since no monitor
/// could report the change. Possible causes are a full device, a limit on file sizes, and a file system without links.
final class WatchedFile {
  /// The current path of the file, without symbolic links.
  private(set) var path: String
  /// The identity of the file, which does not depend on the name of the file.
  let identity: FileIdentity
  private let names: [String]
  private let descriptor: Int32
  private var mode: mode_t = 0o600
  private var renames = 0

  /// Creates a file of one byte in `scratch`.
  ///
  /// - Throws: ``SystemError`` if the file cannot be created.
  init(in scratch: ScratchDirectory) throws(SystemError) {
    let name = "watched"
    descriptor = open(scratch.file(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure("create") }
    let directory = currentPath(of: descriptor).map { String($0.dropLast(name.count)) } ?? scratch.file("")
    names = [name, "renamed", "link"].map { directory + $0 }
    path = names[0]
    identity = FileIdentity(of: descriptor)
    try append()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The directory of the file, with a slash at the end.
  var directory: String { String(path[...(path.lastIndex(of: "/") ?? path.startIndex)]) }

  /// Overwrites one byte, without changing the size.
  func overwrite() throws(SystemError) { try done(pwrite(descriptor, "x", 1, 0) == 1, "write") }

  /// Appends one byte to the file.
  func append() throws(SystemError) {
    var status = stat()
    fstat(descriptor, &status)
    try done(pwrite(descriptor, "x", 1, status.st_size) == 1, "write")
  }

  /// Adds or removes the read permission of the file's group.
  func toggleMode() throws(SystemError) {
    mode ^= 0o040
    try done(fchmod(descriptor, mode) == 0, "change the mode of")
  }

  /// Creates a hard link to the file.
  func addLink() throws(SystemError) { try done(link(path, names[2]) == 0, "link") }

  /// Removes the hard link.
  func removeLink() throws(SystemError) { try done(unlink(names[2]) == 0, "remove") }

  /// Renames the file, alternating between two names.
  func rename() throws(SystemError) { try rename(to: path == names[0] ? names[1] : names[0]) }

  /// Renames the file to a name that the file has never had.
  func renameToNewName() throws(SystemError) {
    renames += 1
    try rename(to: "\(names[1])-\(renames)")
  }

  private func rename(to other: String) throws(SystemError) {
    try done(systemRename(path, other) == 0, "rename")
    path = other
  }

  /// Removes the last name of the file.
  func remove() throws(SystemError) { try done(unlink(path) == 0, "remove") }

  private func done(_ isDone: Bool, _ action: String) throws(SystemError) {
    if !isDone { throw Self.failure(action) }
  }

  private static func failure(_ action: String) -> SystemError {
    SystemError(errno, "\(action) a file in \(ScratchDirectory.parent)")
  }
}

/// The status of a file at one moment.
struct FileStatus: Sendable {
  private let status: stat
  private let hasItsName: Bool

  /// Reads the status of the file that `descriptor` refers to, and checks whether `path` names that file.
  init(of descriptor: Int32, named path: String) {
    var status = stat()
    fstat(descriptor, &status)
    self.status = status
    var named = stat()
    hasItsName = stat(path, &named) == 0 && named.st_ino == status.st_ino
  }

  /// Returns the changes since an earlier status. The status shows neither how often a change occurred nor changes that
  /// were reversed. An extension hides a write, and any other change hides `attrib`. If the last name of the file was
  /// removed, returns only `delete`.
  func changes(since earlier: FileStatus) -> [FileChange] {
    if status.st_nlink == 0, earlier.status.st_nlink != 0 { return [.delete] }
    var changes: [FileChange] = []
    if status.st_size > earlier.status.st_size {
      changes.append(.extend)
    } else if status.modified != earlier.status.modified {
      changes.append(.write)
    }
    if status.st_nlink != earlier.status.st_nlink { changes.append(.link) }
    if hasItsName != earlier.hasItsName { changes.append(.rename) }
    // The other kinds of change also update the time of the last status change.
    if changes.isEmpty, status.changed != earlier.status.changed { changes.append(.attrib) }
    return changes
  }
}

extension stat {
  fileprivate var modified: [Int] {
    #if canImport(Darwin)
      [st_mtimespec.tv_sec, st_mtimespec.tv_nsec]
    #else
      [st_mtim.tv_sec, st_mtim.tv_nsec]
    #endif
  }

  fileprivate var changed: [Int] {
    #if canImport(Darwin)
      [st_ctimespec.tv_sec, st_ctimespec.tv_nsec]
    #else
      [st_ctim.tv_sec, st_ctim.tv_nsec]
    #endif
  }
}

// This function calls the system's `rename`, which the method `rename()` hides.
private func systemRename(_ from: String, _ to: String) -> Int32 { rename(from, to) }
