import CDispatchSupport
import Platform
import Synchronization

/// Which thread ran how much, by the numbers under which the system lists the threads. It takes a lock each time,
/// mostly one that no other thread wants: for a run that is not timed.
public final class ThreadShares: Sendable {
  private static let places = 64
  private let counts = Slots(count: places, padded: true) { _ in Mutex<[Int: Int]>([:]) }

  /// Nothing ran yet.
  public init() {}

  /// The calling thread ran `amount` more.
  public func add(_ amount: Int = 1) {
    let thread = Self.currentThread
    counts[thread % Self.places].withLock { $0[thread, default: 0] += amount }
  }

  /// The number of the calling thread. The system is asked once: of a hundred thousand short blocks that would be half
  /// the time.
  private static var currentThread: Int {
    guard let number = gcdlab_thread_number() else { return ThreadCensus.currentThread }
    if number.pointee == 0 { number.pointee = ThreadCensus.currentThread }
    return number.pointee
  }

  /// How much each thread ran.
  public var byThread: [Int: Int] {
    (0..<Self.places).reduce(into: [:]) { all, place in all.merge(counts[place].withLock { $0 }) { $0 + $1 } }
  }

  /// The threads' shares of `whole` in percent, the largest first.
  public func percentages(of whole: Int) -> [Double] {
    byThread.values.sorted(by: >).map { 100 * Double($0) / Double(max(whole, 1)) }
  }
}
