/// A program that the lab starts repeatedly. The program's file must not be replaced between two starts: a new build at
/// the program's path is a different program.
public struct ExecutableFile: Sendable {
  /// The path from which the program is started.
  public let path: String
  /// The value of `argv[0]`, which `ps` displays as the name of the process.
  public let name: String
  private let identity: Identity?

  /// The identity of a file: its device, its inode and its size.
  private struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(status.st_ino)
      size = Int64(status.st_size)
    }
  }

  /// Creates a reference to the file that is at `path` now.
  public init(_ path: String) {
    self.path = path
    name = path
    identity = Identity(path)
  }

  /// Creates a reference to the program of this process. If `isSure` is true, the system guarantees that `path` always
  /// refers to this program, even if the program's file is replaced.
  init(ownAt path: String, name: String, isSure: Bool) {
    self.path = path
    self.name = name
    identity = isSure ? nil : Identity(path)
  }

  /// Verifies that the path still refers to the file that was there when this reference was created. A reference
  /// is not verified if the system guarantees its identity, or if no file existed at the path at that time.
  ///
  /// - Throws: ``SystemError`` if the path now refers to another file, or if no file exists at the path.
  public func requireUnchanged() throws(SystemError) {
    guard let identity else { return }
    guard Identity(path) == identity else { throw SystemError(ESTALE, "start \(path), which was replaced") }
  }
}
