import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory for files of a trial, under a name that the system makes up. Nobody else's is ever touched: what is
/// removed is opened without following links and must be the very directory that was made.
///
/// In a worker it is in the directory of its trial, whose name is the lab's secret until it is there. So whoever
/// survives removes all that the trial has made: the worker when it ends or finds the lab gone, the lab when the worker
/// was killed.
public struct ScratchDirectory: Sendable {
  /// Where it is.
  public let path: String
  private let device: UInt64
  private let inode: UInt64

  /// A new empty directory, under `TMPDIR` or `/tmp`.
  ///
  /// - Throws: ``SystemError`` when it cannot be made.
  public init() throws(SystemError) {
    func failure() -> SystemError { SystemError(errno, "make a directory in \(Self.parent)") }
    var place = "\(Self.parent)/gcdlab-"
    if let name = Self.trial.withLock({ $0 }) {
      // It may be there already: a trial can have several.
      guard mkdir("\(Self.parent)/\(name)", 0o700) == 0 || errno == EEXIST else { throw failure() }
      place = "\(Self.parent)/\(name)/"
    }
    var template = Array("\(place)XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw failure() }
    path = String(cString: made)
    guard let directory = OpenDirectory(path) else { throw failure() }
    (device, inode) = (directory.device, directory.inode)
  }

  /// Makes sure that directories can have a place: what is wrong with it is the same for every trial.
  ///
  /// - Throws: ``SystemError`` when ``parent`` is no directory, or its path so long that none fits behind it.
  public static func requirePlace() throws(SystemError) {
    let action = "use \(parent) for the files of trials (TMPDIR)"
    var status = stat()
    guard stat(parent, &status) == 0 else { throw SystemError(errno, action) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(ENOTDIR, action) }
    guard parent.utf8.count + longestPath < Int(PATH_MAX) else { throw SystemError(ENAMETOOLONG, action) }
  }

  /// The names of a trial's directory, of one in it, and of a file in that.
  private static let longestPath = 256

  /// The path of `name` in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes it with all that is in it.
  public func remove() {
    guard let directory = OpenDirectory(path), (directory.device, directory.inode) == (device, inode) else { return }
    directory.empty()
    rmdir(path)
  }

  // MARK: The directory of a trial, in its worker

  private static let trial = Mutex<String?>(nil)

  /// From now on all directories of this process are in that of its trial.
  public static func use(trial name: String) { trial.withLock { $0 = name } }

  /// Removes all that the trial of this process has made.
  public static func removeAll() {
    if let name = trial.withLock({ $0 }) { remove(trial: name) }
  }

  // MARK: The directories of trials, in the lab

  /// Those that trials of this lab have, which it has not cleared up after.
  private static let begun = Mutex<Set<String>>([])
  /// Left with each trial that is cleared up after.
  private static let trials = DispatchGroup()

  /// A name for the directory of a trial that nobody can guess.
  public static func beginTrial() -> String {
    let words = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }
    let name = "gcdlab-\(words.joined(separator: "-"))"
    begun.withLock { _ = $0.insert(name) }
    trials.enter()
    return name
  }

  /// Removes all that a trial has made, whose worker is dead; nothing where it made nothing.
  public static func endTrial(_ name: String) {
    remove(trial: name)
    begun.withLock { _ = $0.remove(name) }
    trials.leave()
  }

  /// Removes what trials have made, for a lab that ends at once: when their workers, which it has killed, are dead, so
  /// that they make nothing more, or when that takes longer than `limit`.
  public static func endTrials(within limit: DispatchTimeInterval) {
    _ = trials.wait(timeout: .now() + limit)
    for name in begun.withLock({ $0 }) { remove(trial: name) }
  }

  // MARK: Both

  private static func remove(trial name: String) {
    let (path, over) = ("\(parent)/\(name)", "\(parent)/\(name)-over")
    guard let directory = OpenDirectory(path), directory.owner == geteuid() else { return }
    // Under another name first: who goes on meanwhile, in a worker that ends because its lab is gone, makes nothing
    // more in it.
    guard rename(path, over) == 0, let renamed = OpenDirectory(over),
      (renamed.device, renamed.inode) == (directory.device, directory.inode)
    else { return }
    // A file whose making had found the old name before is made in it yet: once for each thread that was about to.
    for _ in 0..<1000 {
      directory.empty()
      if rmdir(over) == 0 || errno != ENOTEMPTY { return }
    }
  }

  /// Where the directories of all processes are. What goes wrong in one is told of this place, so that many trials with
  /// the same trouble say the same.
  public static var parent: String { Terminal.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp" }
}

/// A directory that stays the same whatever becomes of its name.
private final class OpenDirectory {
  private let descriptor: Int32
  private var status = stat()
  var device: UInt64 { UInt64(truncatingIfNeeded: status.st_dev) }
  var inode: UInt64 { UInt64(status.st_ino) }
  var owner: uid_t { status.st_uid }

  /// The directory `name` in another, or of a path; nil where there is none, or a link.
  init?(_ name: UnsafePointer<CChar>, in parent: Int32 = AT_FDCWD) {
    descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Removes all that is in it; links themselves, not what they lead to.
  func empty() {
    // The descriptor is closed with the stream.
    guard let stream = fdopendir(dup(descriptor)) else { return }
    defer { closedir(stream) }
    // A copy of a descriptor goes on where the last reading ended.
    rewinddir(stream)
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        // As bytes: a name need not be text.
        pointer.withMemoryRebound(to: CChar.self, capacity: 1) { name in
          guard strcmp(name, ".") != 0, strcmp(name, "..") != 0, unlinkat(descriptor, name, 0) != 0 else { return }
          OpenDirectory(name, in: descriptor)?.empty()
          unlinkat(descriptor, name, AT_REMOVEDIR)
        }
      }
    }
  }
}
