import Platform
import Synchronization

/// Which thread ran how much, by the numbers under which the system lists the threads. It takes a lock and a system call
/// each time: for a run that is not timed.
final class ThreadShares: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  /// The calling thread ran `amount` more.
  func add(_ amount: Int = 1) {
    let thread = ThreadCensus.currentThread
    counts.withLock { $0[thread, default: 0] += amount }
  }

  /// How much each thread ran.
  var byThread: [Int: Int] { counts.withLock { $0 } }

  /// The threads' shares of `whole` in percent, the largest first.
  func percentages(of whole: Int) -> [Double] {
    byThread.values.sorted(by: >).map { 100 * Double($0) / Double(max(whole, 1)) }
  }
}
