import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How many blocks Dispatch runs at once.
///
/// On Linux it may go by the cores that are online, and not by those that the process may use: with `taskset -c 0`, or in a container
/// with some of the processors, its pool is wider then than the cores are many.
public enum PoolWidth {
  /// So often in a row all other threads must be found asleep: a thread that is about to begin does not sleep.
  private static let looks = 3
  /// However many looks it takes, no more than these, half a millisecond apart.
  private static let mostLooks = 4000

  /// As many iterations of a parallel loop as are begun at once; nil where all cores that are online may be used, so that
  /// there is nothing to tell apart.
  public static func measured() -> Int? {
    let online = Host.onlineCores
    guard online != Host.cores else { return nil }
    let gate = DispatchSemaphore(value: 0)
    let begun = Atomic(0)
    let width = Atomic(0)
    let caller = ThreadCensus.currentThread
    DispatchQueue.concurrentPerform(iterations: online) { _ in
      begun.add(1, ordering: .acquiringAndReleasing)
      // What comes behind the count has no thread of its own.
      guard width.load(ordering: .acquiring) == 0 else { return }
      // The caller has its part in the loop, and looks while the others wait.
      guard ThreadCensus.currentThread == caller else {
        gate.wait()
        gate.signal()
        return
      }
      awaitRest { begun.load(ordering: .acquiring) == online }
      width.store(begun.load(ordering: .acquiring), ordering: .releasing)
      gate.signal()
    }
    return width.load(ordering: .acquiring)
  }

  /// Waits until all has happened that will, by what the other threads do.
  private static func awaitRest(or hasHappened: () -> Bool) {
    var asleep = 0
    for _ in 0..<mostLooks where asleep < looks && !hasHappened() {
      // Where the system does not tell, the time it takes to look so often must do.
      asleep = ProcessState.ofOtherThreads()?.isAsleep == true ? asleep + 1 : 0
      usleep(500)
    }
  }
}
