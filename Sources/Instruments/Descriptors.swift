import Platform
import Synchronization

/// The identity of the file, pipe or socket that a descriptor refers to.
public struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Creates the identity of an open descriptor's file. For a descriptor that is not open, the identity differs from
  /// that of every file.
  public init(of descriptor: Int32) {
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    device = isOpen ? UInt64(truncatingIfNeeded: status.st_dev) : 0
    inode = isOpen ? UInt64(status.st_ino) : 0
  }
}

/// Descriptors of a file that the trial does not use. These descriptors occupy the lowest free numbers, like
/// descriptors that other code of a program may open at any time.
public struct UnrelatedFiles: Sendable {
  private let path: String
  // The number of descriptors is large enough to fill the gaps between the few descriptors that a worker has.
  private var descriptors = [Int32](repeating: -1, count: 16)
  private var identity = FileIdentity(of: -1)

  /// Opens the descriptors of the file at `path`.
  public init(of path: String = Host.executable.path) {
    self.init(toOpen: path)
    open()
  }

  /// Prepares descriptors of the file at `path` without opening them.
  public init(toOpen path: String) { self.path = path }

  /// Opens the descriptors without allocating memory. On Linux, a handler that is called for a hang-up must not
  /// allocate memory until Dispatch's manager thread has finished with the event: libdispatch frees a record of the
  /// descriptor that the manager thread still uses (issue 949 of libdispatch).
  public mutating func open() {
    for index in descriptors.indices { descriptors[index] = systemOpen(path) }
    identity = FileIdentity(of: descriptors[0])
  }

  /// The number of these descriptors that other code has closed or replaced.
  public var closed: Int { descriptors.count { $0 >= 0 && FileIdentity(of: $0) != identity } }

  /// Closes the descriptors that other code has not closed or replaced.
  public func close() {
    for descriptor in descriptors where descriptor >= 0 && FileIdentity(of: descriptor) == identity {
      systemClose(descriptor)
    }
  }
}

/// The files, pipes and sockets that a trial has opened, with a count of the open descriptors that refer to these
/// files, pipes and sockets.
public final class OpenedDescriptors: Sendable {
  private struct State {
    var identities: Set<FileIdentity> = []
    var highest: Int32 = 0
  }
  private let state = Mutex(State())
  private let margin: Int32

  /// Creates an empty record.
  ///
  /// - Parameter margin: the number of descriptors to examine above the highest included descriptor. The system assigns
  ///   the lowest free number first, so copies that other code has made seldom have higher numbers.
  public init(above margin: Int32 = 64) { self.margin = margin }

  /// Adds a descriptor that the trial has opened.
  public func include(_ descriptor: Int32) {
    state.withLock { state in
      state.identities.insert(FileIdentity(of: descriptor))
      state.highest = max(state.highest, descriptor)
    }
  }

  /// The number of open descriptors that refer to the included files. Descriptors whose numbers exceed the highest
  /// included descriptor by more than the margin are not counted.
  public var count: Int {
    let (identities, highest) = state.withLock { ($0.identities, $0.highest) }
    return (0...highest + margin).count { identities.contains(FileIdentity(of: $0)) }
  }
}

// These functions call `open` and `close` of the C library, which the methods of the same names hide.
private func systemClose(_ descriptor: Int32) { close(descriptor) }
private func systemOpen(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }
