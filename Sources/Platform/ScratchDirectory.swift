#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A directory for the files of one trial, named by its process, so that whoever survives can remove it: the worker
/// itself when it ends or finds the lab gone, the lab when the worker was killed.
public struct ScratchDirectory: Sendable {
  /// Where it is.
  public let path: String

  /// A new empty directory of this process, under `TMPDIR` or `/tmp`.
  ///
  /// - Throws: ``SystemError`` when it cannot be made.
  public init() throws(SystemError) {
    path = Self.path(of: getpid())
    // What a dead process of the same number left behind is nobody's.
    Self.remove(of: getpid())
    guard mkdir(path, 0o700) == 0 else { throw SystemError(errno, "make a directory in \(Self.parent)") }
  }

  /// The path of `name` in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes it with all its files.
  public func remove() { Self.remove(of: getpid()) }

  /// Removes what the process `pid` has left; nothing when it left nothing.
  public static func remove(of pid: pid_t) {
    let path = path(of: pid)
    guard let names = namesInDirectory(path) else { return }
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Where the directories of all processes are. What goes wrong in one is told of this place, so that many trials with the
  /// same trouble say the same.
  public static var parent: String { Terminal.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp" }

  private static func path(of pid: pid_t) -> String { "\(parent)/gcdlab-\(pid)" }
}
