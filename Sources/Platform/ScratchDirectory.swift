import Dispatch
import Synchronization

/// A directory for the files of a trial, with a name that the system chooses. The lab opens directories without
/// following links, and changes or removes only directories that the lab created.
///
/// A worker creates its directories inside the directory of its trial, whose name is unknown to other programs until
/// the directory exists. When the worker ends, or when the worker detects that the lab has ended, the worker removes
/// everything that the trial created. If the worker was killed, the lab removes everything that the trial created.
public struct ScratchDirectory: Sendable {
  /// The path of the directory.
  public let path: String
  private let device: UInt64
  private let inode: UInt64

  /// Creates an empty directory in the directory of the trial, if this process runs a trial; otherwise in ``parent``.
  ///
  /// - Throws: ``SystemError`` if the directory cannot be created.
  public init() throws(SystemError) {
    func failure() -> SystemError { SystemError(errno, "make a directory in \(Self.parent)") }
    var place = "\(Self.parent)/gcdlab-"
    if let name = Self.trial.withLock({ $0 }) {
      // The trial's directory may exist already, since a trial can have several directories.
      guard mkdir("\(Self.parent)/\(name)", 0o700) == 0 || errno == EEXIST else { throw failure() }
      place = "\(Self.parent)/\(name)/"
    }
    var template = Array("\(place)XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw failure() }
    path = String(cString: made)
    guard let directory = OpenDirectory(path) else { throw failure() }
    (device, inode) = (directory.device, directory.inode)
  }

  /// Verifies that ``parent`` is a directory with a sufficiently short path. Otherwise every trial would fail.
  ///
  /// - Throws: ``SystemError`` if ``parent`` is not a directory, or if its path is too long for the paths inside it.
  public static func requirePlace() throws(SystemError) {
    let action = "use \(parent) for the files of trials (TMPDIR)"
    var status = stat()
    guard stat(parent, &status) == 0 else { throw SystemError(errno, action) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(ENOTDIR, action) }
    guard parent.utf8.count + longestPath < Int(PATH_MAX) else { throw SystemError(ENAMETOOLONG, action) }
  }

  /// An upper bound, in bytes, of the length of a path below ``parent``. The path consists of the names of a trial's
  /// directory, of a directory inside it, and of a file in the inner directory.
  private static let longestPath = 256

  /// Returns the path of the file `name` in this directory.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the directory and everything in it. Has no effect if another directory has replaced this directory.
  public func remove() {
    guard let directory = OpenDirectory(path), (directory.device, directory.inode) == (device, inode) else { return }
    directory.empty()
    rmdir(path)
  }

  // MARK: The directory of a trial, in its worker

  private static let trial = Mutex<String?>(nil)

  /// Sets the directory name of this process's trial. The process then creates all its directories inside that
  /// directory.
  public static func use(trial name: String) { trial.withLock { $0 = name } }

  /// Removes everything that this process's trial created.
  public static func removeAll() {
    if let name = trial.withLock({ $0 }) { remove(trial: name) }
  }

  // MARK: The directories of trials, in the lab

  /// The names of the trial directories of this lab that have not been removed yet.
  private static let begun = Mutex<Set<String>>([])
  /// A group that each trial enters, and leaves once its directory is removed.
  private static let trials = DispatchGroup()

  /// Begins a trial, and returns a new, unguessable name for the trial's directory. Balance each call with a call of
  /// ``endTrial(_:)``.
  public static func beginTrial() -> String {
    let words = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }
    let name = "gcdlab-\(words.joined(separator: "-"))"
    begun.withLock { _ = $0.insert(name) }
    trials.enter()
    return name
  }

  /// Ends a trial whose worker has ended, and removes all files that the trial created.
  public static func endTrial(_ name: String) {
    remove(trial: name)
    begun.withLock { _ = $0.remove(name) }
    trials.leave()
  }

  /// Removes the files of all trials. Call this method in a lab that has killed its workers and is about to exit. First
  /// waits for at most `limit` until all trials have ended, and can create no further files.
  public static func endTrials(within limit: DispatchTimeInterval) {
    _ = trials.wait(timeout: .now() + limit)
    for name in begun.withLock({ $0 }) { remove(trial: name) }
  }

  // MARK: Both sides

  private static func remove(trial name: String) {
    let (path, over) = ("\(parent)/\(name)", "\(parent)/\(name)-over")
    // A worker that was killed while it removed its directory had already renamed the directory.
    if let left = OpenDirectory(over), left.owner == geteuid() { remove(left, at: over) }
    guard let directory = OpenDirectory(path), directory.owner == geteuid() else { return }
    // The worker may still be running if it ends by itself after the lab has ended. The directory is renamed first, so
    // that such a worker creates no further files in the directory.
    guard rename(path, over) == 0, let renamed = OpenDirectory(over),
      (renamed.device, renamed.inode) == (directory.device, directory.inode)
    else { return }
    remove(directory, at: over)
  }

  private static func remove(_ directory: OpenDirectory, at path: String) {
    // A thread that had looked up the old name before the renaming may still create one file in the directory.
    for _ in 0..<1000 {
      directory.empty()
      if rmdir(path) == 0 || errno != ENOTEMPTY { return }
    }
  }

  /// The directory in which the lab and its workers create their directories: `TMPDIR`, or `/tmp` if `TMPDIR` is not
  /// set. Errors contain this path and not that of a trial's directory. Trials that fail for the same reason thus
  /// report the same message.
  public static var parent: String { Terminal.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp" }
}

/// An open directory, which remains the same directory if it is renamed.
private final class OpenDirectory {
  private let descriptor: Int32
  private var status = stat()
  var device: UInt64 { UInt64(truncatingIfNeeded: status.st_dev) }
  var inode: UInt64 { UInt64(status.st_ino) }
  var owner: uid_t { status.st_uid }

  /// Opens the directory `name` in `parent`; nil if the directory cannot be opened, or if `name` is a link.
  init?(_ name: UnsafePointer<CChar>, in parent: Int32 = AT_FDCWD) {
    descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Removes all entries of the directory, including the contents of its subdirectories. Links are removed, not the
  /// files that they lead to.
  func empty() {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard let stream = fdopendir(copy) else {
      if copy >= 0 { close(copy) }
      return
    }
    // The stream owns the copy of the descriptor, and closes the copy.
    defer { closedir(stream) }
    // The copy of a descriptor shares the position at which the last reading ended.
    rewinddir(stream)
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // The name is passed as bytes, since it need not be text.
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { name in
          guard strcmp(name, ".") != 0, strcmp(name, "..") != 0, unlinkat(descriptor, name, 0) != 0 else { return }
          OpenDirectory(name, in: descriptor)?.empty()
          unlinkat(descriptor, name, AT_REMOVEDIR)
        }
      }
    }
  }
}
