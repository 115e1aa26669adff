#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A program to start again and again, which must stay the same meanwhile: a build that comes to stand in its place is
/// another program.
public struct Image: Sendable {
  /// What to start.
  public let path: String
  /// What it is called to its face, as `ps` shows it.
  public let name: String
  private let identity: Identity?

  /// Which file has a name.
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

  /// The file that has this path now.
  public init(_ path: String) {
    self.path = path
    name = path
    identity = Identity(path)
  }

  /// The program of this process. `path` leads to it whatever becomes of its file, where the system has such a path.
  init(ownAt path: String, name: String, isSure: Bool) {
    self.path = path
    self.name = name
    identity = isSure ? nil : Identity(path)
  }

  /// Makes sure that starting it starts what was there when this was made.
  ///
  /// - Throws: ``SystemError`` when another file has its place, or none.
  public func requireUnchanged() throws(SystemError) {
    guard let identity else { return }
    guard Identity(path) == identity else { throw SystemError(ESTALE, "start \(path), which was replaced") }
  }
}
