import Synchronization

/// The threads of this process that are ours (``SystemThread``), by their numbers. A thread that is neither one of
/// them, nor the main thread, nor the one that waits for Dispatch's events, Dispatch has started for its pool: so they
/// are told where it gives them no names.
enum OwnThreads {
  private static let numbers = Mutex<Set<Int>>([])
  private static let peak = Atomic<Int>(0)

  /// The most of them that there were at once.
  static var most: Int { peak.load(ordering: .relaxed) }

  /// Runs `body` on the calling thread, which is ours meanwhile.
  static func during(_ body: () -> Void) {
    let number = ThreadCensus.currentThread
    numbers.withLock {
      $0.insert(number)
      peak.max($0.count, ordering: .relaxed)
    }
    body()
    numbers.withLock { _ = $0.remove(number) }
  }

  /// Whether the thread of this number is ours.
  static func contains(_ number: Int) -> Bool { numbers.withLock { $0.contains(number) } }
}
