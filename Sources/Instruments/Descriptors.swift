import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which file a descriptor is of: a pipe or a socket, too.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// The identity of an open descriptor; one that no file has, when it is not open.
  public init(of descriptor: Int32) {
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    device = isOpen ? UInt64(truncatingIfNeeded: status.st_dev) : 0
    inode = isOpen ? UInt64(status.st_ino) : 0
  }
}

/// Descriptors of another file, which take the lowest numbers that are free: somebody else's, as any code of a program
/// may open them at any time.
public struct UnrelatedFiles: Sendable {
  private let path: String
  // As many as surely fill the gaps between the few that a worker has.
  private var descriptors = [Int32](repeating: -1, count: 16)
  private var identity = FileIdentity(of: -1)

  /// Opens them.
  public init(of path: String = Host.executablePath) {
    self.init(toOpen: path)
    open()
  }

  /// None yet.
  public init(toOpen path: String) { self.path = path }

  /// Opens them, and allocates nothing. A handler that is told of a hang-up on Linux is to allocate nothing before the
  /// manager thread is through with it: libdispatch frees a note of the descriptor there that the manager still uses
  /// (its issue 949).
  public mutating func open() {
    for index in descriptors.indices { descriptors[index] = systemOpen(path) }
    identity = FileIdentity(of: descriptors[0])
  }

  /// How many of them somebody has closed.
  public var closed: Int { descriptors.count { $0 >= 0 && FileIdentity(of: $0) != identity } }

  /// Closes the others.
  public func close() {
    for descriptor in descriptors where descriptor >= 0 && FileIdentity(of: descriptor) == identity {
      systemClose(descriptor)
    }
  }
}

/// The files, pipes and sockets that a trial has opened, and which of them are open still, by the system's table: what
/// others in the process open and close is not the trial's.
public final class OpenedHere: Sendable {
  private struct State {
    var identities: Set<FileIdentity> = []
    var highest: Int32 = 0
  }
  private let state = Mutex(State())
  private let margin: Int32

  /// Nothing opened yet.
  ///
  /// - Parameter margin: how far above the highest number that was seen it looks: the lowest free number is given out
  ///   first, and what others made copies of lies hardly above.
  public init(above margin: Int32 = 64) { self.margin = margin }

  /// The trial has opened this.
  public func include(_ descriptor: Int32) {
    state.withLock { state in
      state.identities.insert(FileIdentity(of: descriptor))
      state.highest = max(state.highest, descriptor)
    }
  }

  /// How many descriptors of them are open now.
  public var count: Int {
    let (identities, highest) = state.withLock { ($0.identities, $0.highest) }
    return (0...highest + margin).count { identities.contains(FileIdentity(of: $0)) }
  }
}

// The methods of the same names hide them.
private func systemClose(_ descriptor: Int32) { close(descriptor) }
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
