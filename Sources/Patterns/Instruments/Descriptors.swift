import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which file a descriptor is of: a pipe or a socket, too.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// That of an open descriptor; one that no file has, when it is not open.
  init(of descriptor: Int32) {
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    device = isOpen ? UInt64(truncatingIfNeeded: status.st_dev) : 0
    inode = isOpen ? UInt64(status.st_ino) : 0
  }
}

/// Descriptors of another file, which take the lowest numbers that are free: somebody else's, as any code of a program may open
/// them at any time.
struct Strangers: Sendable {
  private let descriptors: [Int32]
  private let identity: FileIdentity

  /// Opens as many as surely fill the gaps between the few that a worker has.
  init(of path: String = Host.executablePath) {
    descriptors = (0..<16).map { _ in open(path, O_RDONLY | O_CLOEXEC) }.filter { $0 >= 0 }
    identity = FileIdentity(of: descriptors.first ?? -1)
  }

  /// How many of them somebody has closed.
  var closed: Int { descriptors.count { FileIdentity(of: $0) != identity } }

  /// Closes the others.
  func close() {
    for descriptor in descriptors where FileIdentity(of: descriptor) == identity { systemClose(descriptor) }
  }
}

/// The files, pipes and sockets that a trial has opened, and which of them are open still, by the system's table: what others
/// in the process open and close is not the trial's.
final class OpenedHere: Sendable {
  private struct State {
    var identities: Set<FileIdentity> = []
    var highest: Int32 = 0
  }
  private let state = Mutex(State())
  /// The lowest free number is given out first: what is open of these lies hardly above the highest that was seen.
  private static let margin: Int32 = 64

  /// The trial has opened this.
  func include(_ descriptor: Int32) {
    state.withLock { state in
      state.identities.insert(FileIdentity(of: descriptor))
      state.highest = max(state.highest, descriptor)
    }
  }

  /// How many descriptors of them are open now.
  var count: Int {
    let (identities, highest) = state.withLock { ($0.identities, $0.highest) }
    return (0...highest + Self.margin).count { identities.contains(FileIdentity(of: $0)) }
  }
}

// The method of the same name hides it.
private func systemClose(_ descriptor: Int32) { close(descriptor) }
