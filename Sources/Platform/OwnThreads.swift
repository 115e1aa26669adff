import CDispatchSupport
import Synchronization

/// The threads of this process that are ours (``SystemThread``). A thread that is neither one of them, nor the main
/// thread, nor the one that waits for Dispatch's events, Dispatch has started for its pool: so they are told where it
/// gives them no names.
///
/// A thread is known by its handle, which it has without asking the kernel: that would be part of what is measured
/// where it is measured what starting a thread takes.
enum OwnThreads {
  private static let handles = Mutex(Set<UInt>(minimumCapacity: 1024))
  private static let peak = Atomic<Int>(0)

  /// The most of them that there were at once.
  static var most: Int { peak.load(ordering: .relaxed) }

  /// Whether the calling thread is one of them.
  static var hasCurrent: Bool { gcdlab_is_own_thread()?.pointee ?? false }

  /// Runs `body` on the calling thread, which is ours meanwhile.
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

  /// The numbers under which the system lists those that there are now.
  static var numbers: Set<Int> { handles.withLock { Set($0.map { Int(gcdlab_id_of_thread($0)) }) } }
}
