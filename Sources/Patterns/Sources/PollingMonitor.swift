import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a dispatch source replaces: a thread that sleeps, looks at the file's status and compares.
///
/// Two changes between two looks are one to it, and what a status does not show it never sees.
final class PollingMonitor: FileMonitoring {
  private let isCancelled = Atomic(false)

  convenience init(path: String, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError) {
    try self.init(path: path, interval: 10_000_000, handler: handler)
  }

  init(path: String, interval: UInt64, handler: @escaping @Sendable (FileChange, UInt64) -> Void) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(errno, "watch \(path)") }
    let first = Look(descriptor, path)
    do {
      _ = try SystemThread { [self] in
        var last = first
        while !isCancelled.load(ordering: .relaxed) {
          usleep(UInt32(clamping: interval / 1000))
          let look = Look(descriptor, path)
          if let change = look.change(since: last) { handler(change, MonotonicClock.now()) }
          last = look
        }
        close(descriptor)
      }
    } catch {
      close(descriptor)
      throw error
    }
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// What one look shows.
  private struct Look {
    private var status = stat()
    private let hasItsName: Bool

    init(_ descriptor: Int32, _ path: String) {
      fstat(descriptor, &status)
      var named = stat()
      hasItsName = stat(path, &named) == 0 && named.st_ino == status.st_ino
    }

    func change(since last: Look) -> FileChange? {
      if status.st_nlink == 0, last.status.st_nlink != 0 { return .delete }
      if hasItsName != last.hasItsName { return .rename }
      if status.st_size > last.status.st_size { return .extend }
      if status.modified != last.status.modified { return .write }
      if status.st_nlink != last.status.st_nlink { return .link }
      if status.changed != last.status.changed { return .attrib }
      return nil
    }
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
