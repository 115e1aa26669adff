import CDispatchSupport
import Platform
import Synchronization

/// The amount of work that each thread did, by the number that the system assigned to the thread. Each call takes a
/// lock, which is usually free. Use this type only in runs that are not timed.
public final class ThreadShares: Sendable {
  private static let places = 64
  private let counts = Slots(count: places, padded: true) { _ in Mutex<[Int: Int]>([:]) }

  /// Creates empty shares.
  public init() {}

  /// Adds `amount` to the share of the calling thread.
  public func add(_ amount: Int = 1) {
    let thread = Self.currentThread
    counts[thread % Self.places].withLock { $0[thread, default: 0] += amount }
  }

  /// The system's number of the calling thread, which is cached for each thread. For a hundred thousand short blocks, a
  /// system call for each block would take half of the time.
  private static var currentThread: Int {
    guard let number = gcdlab_thread_number() else { return ThreadCensus.currentThread }
    if number.pointee == 0 { number.pointee = ThreadCensus.currentThread }
    return number.pointee
  }

  /// The amount of work that each thread did, by the thread's number.
  public var byThread: [Int: Int] {
    (0..<Self.places).reduce(into: [:]) { all, place in all.merge(counts[place].withLock { $0 }) { $0 + $1 } }
  }

  /// Returns the shares of the threads in percent of `whole`, in descending order.
  public func percentages(of whole: Int) -> [Double] {
    byThread.values.sorted(by: >).map { 100 * Double($0) / Double(max(whole, 1)) }
  }
}
