import CDispatchSupport
import Synchronization

/// The threads of this process that the lab has started (``SystemThread``). All other threads belong to Dispatch's
/// pool, except the main thread and Dispatch's event thread. The lab can therefore identify the pool's threads even if
/// Dispatch does not name them.
///
/// A thread is identified by its handle, which is available without a system call. A system call would delay the start
/// of a thread, and the lab measures that delay.
enum OwnThreads {
  private static let handles = Mutex(Set<UInt>(minimumCapacity: 1024))
  private static let peak = Atomic<Int>(0)

  /// The highest number of the lab's threads that existed at the same time.
  static var most: Int { peak.load(ordering: .relaxed) }

  /// Executes `body`, whose threads do not count towards ``most``.
  static func withoutPeak<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let before = most
    defer { peak.store(before, ordering: .relaxed) }
    try body()
  }

  /// Whether the lab has started the calling thread.
  static var hasCurrent: Bool { gcdlab_is_own_thread()?.pointee ?? false }

  /// Executes `body` on the calling thread. The thread counts as one of the lab's threads while `body` runs.
  static func during(_ body: () -> Void) {
    gcdlab_is_own_thread()?.pointee = true
    let handle = gcdlab_current_thread()
    handles.withLock {
      $0.insert(handle)
      peak.max($0.count, ordering: .relaxed)
    }
    body()
    handles.withLock { _ = $0.remove(handle) }
  }

  /// The system's numbers of the lab's threads that exist now.
  static var numbers: Set<Int> { handles.withLock { Set($0.map { Int(gcdlab_id_of_thread($0)) }) } }
}
