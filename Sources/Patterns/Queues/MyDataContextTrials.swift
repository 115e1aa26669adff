import Dispatch
import Instruments
import Synchronization

/// The data that a program stores for a queue, with the trial's observations of the data.
final class MyDataContext: Sendable {
  /// The data that the current task or one of its ancestors has bound; nil if no data is bound.
  @TaskLocal static var current: MyDataContext?

  /// The number of finalizers that ran without a context in this process.
  static let cleanUpsWithout = Tally()
  private let isCleanedUp: TimedGate
  private let whileReferenced: TimedGate
  private let afterwards: TimedGate
  private let hasEnded = DispatchSemaphore(value: 0)
  let state = WaitableValue(State())
  private let end = Moment()
  private let cleaning = Moment()

  struct State {
    /// The number of times that the data was cleaned up.
    var cleanUps = 0
    var cleaner: Int?
    /// Whether a later block or task found the data.
    var wasSeen = false
    /// Whether the data was cleaned up before the last release, or before the end of the last block.
    var wasEarly = false
  }

  /// Creates data that has not been found or cleaned up yet.
  ///
  /// - Parameter limit: the maximum duration of each wait for a clean-up that must not happen.
  init(observedFor limit: Duration = .zero) {
    isCleanedUp = TimedGate(limit: limit)
    whileReferenced = TimedGate(limit: limit)
    afterwards = TimedGate(limit: limit)
  }

  // MARK: For the blocks that look for the data

  /// Records that a block has found this data, if `found` is this data.
  func recordMatch(in found: MyDataContext?) { if found === self { state.note { $0.wasSeen = true } } }

  /// Records that a block has found the data at `context`, unless `context` is nil.
  static func found(_ context: UnsafeMutableRawPointer?) {
    let found = at(context)
    found.recordMatch(in: found)
  }

  // MARK: The end of the queue

  /// A pointer to the data, for a C function. Each access of the property retains the data, and nothing releases the
  /// data. The data is therefore never freed, and a second run of a finalizer can be counted.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// Returns the data at a pointer, or new data if the pointer is nil.
  static func at(_ context: UnsafeMutableRawPointer?) -> MyDataContext {
    guard let context else { return MyDataContext() }
    return Unmanaged<MyDataContext>.fromOpaque(context).takeUnretainedValue()
  }

  /// Counts a finalizer that ran without a context.
  static func cleanUpWithout() { cleanUpsWithout.add() }

  /// Records that a finalizer, or a replacement for a finalizer, cleans up the data.
  func cleanUp() {
    cleaning.set()
    isCleanedUp.open()
    whileReferenced.open()
    state.note { state in
      state.cleanUps += 1
      state.cleaner = ThreadCensus.currentThread
    }
  }

  /// Waits, while the queue is referenced, until the data is cleaned up or a time limit has passed. Records a clean-up
  /// before the end of the wait as too early.
  func lookWhileReferenced() {
    whileReferenced.startTimeLimit()
    if whileReferenced.wait() { state.note { $0.wasEarly = true } }
  }

  /// Runs the last block of the queue, which waits until the data is cleaned up or a time limit has passed. Records a
  /// clean-up before the end of the block as too early.
  func lastBlock() {
    if isCleanedUp.wait() { state.note { $0.wasEarly = true } }
    end.set()
    hasEnded.signal()
  }

  /// Records that the last reference to the queue was released, and starts the time limit of the last block's wait.
  func wasReleased() { isCleanedUp.startTimeLimit() }

  /// Waits until the last block has ended. Then waits for the clean-up, but no longer than `patience`.
  func awaitEnd(within patience: Duration) {
    hasEnded.wait()
    awaitCleanUp(within: patience)
  }

  /// Waits until the data is cleaned up, but no longer than `patience`.
  func awaitCleanUp(within patience: Duration) {
    state.wait(within: patience) { $0.cleanUps > 0 }
  }

  /// Waits for a short time after the clean-up. Finalizers that run during this time are counted, too.
  func lookAfterwards() {
    afterwards.startTimeLimit()
    afterwards.wait()
  }

  /// Whether the calling thread cleaned up the data.
  var isCleanedUpHere: Bool { state.cleaner == ThreadCensus.currentThread }
  /// The nanoseconds from the end of the last block to the clean-up; nil if either event did not occur.
  var timeToCleanUp: UInt64? { cleaning.since(end) }
}

/// A thread-local variable that contains an unowned reference to an object.
///
/// Conformance to `Sendable` is unchecked: each thread reads and writes its own value.
final class ThreadKey<Value: AnyObject & Sendable>: @unchecked Sendable {
  private var key = pthread_key_t()

  /// Creates a variable that is nil on every thread.
  init() { pthread_key_create(&key, nil) }

  deinit { pthread_key_delete(key) }

  /// The value of the variable on the calling thread; nil if the thread has not stored an object.
  var value: Value? {
    get { pthread_getspecific(key).map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() } }
    set { pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
  }
}
