import Dispatch
import Instruments
import Platform
import Synchronization

extension AsyncMain {
  private static let isMainQueue = DispatchSpecificKey<Bool>()

  /// Executes `run` with an observer. Records the time per await, the numbers of observations outside the main thread
  /// and outside the main queue, and the number of threads.
  func observe(_ trial: Trial, _ run: @Sendable (ThreadObserver) async -> Void) async throws {
    DispatchQueue.main.setSpecific(key: Self.isMainQueue, value: true)
    let observer = ThreadObserver(count: trial[awaits]) { DispatchQueue.getSpecific(key: Self.isMainQueue) == true }
    let begin = MonotonicClock.now()
    await run(observer)
    trial.record(perAwait, MonotonicClock.now() - begin, over: observer.count)
    record(trial, observer)
  }

  /// Records the observations as metrics of the trial.
  func record(_ trial: Trial, _ observer: ThreadObserver) {
    trial.record(offMain, observer.offMain.count)
    trial.record(offQueue, observer.offQueue.count)
    trial.record(threads, observer.threads)
  }
}

/// Runs the main queue as Swift's runtime does once an async main function suspends. Call this function on the main
/// thread. The function does not return.
@_silgen_name("swift_task_asyncMainDrainQueue")
private func drainAsAsyncMain() -> Never

/// Runs the main queue as Swift's runtime does for an async main function, and never returns. Call this function on the
/// main thread.
func drainMainQueueAsAsyncMain() { drainAsAsyncMain() }

/// An observer of the threads and queues on which a task runs.
final class ThreadObserver: Sendable {
  let count: Int
  private let isOnMainQueue: @Sendable () -> Bool
  private let isMainThread: @Sendable () -> Bool
  private let seen = Mutex<Set<Int>>([])

  /// Creates an observer for `count` observations.
  ///
  /// - Parameters:
  ///   - count: the number of observations.
  ///   - isMainThread: a closure that returns whether the caller runs on the main thread. A test may replace the
  ///     closure.
  ///   - isOnMainQueue: a closure that returns whether the caller runs on the main queue.
  init(
    count: Int, isMainThread: @escaping @Sendable () -> Bool = { MainThread.isCurrent },
    isOnMainQueue: @escaping @Sendable () -> Bool
  ) {
    (self.count, self.isMainThread, self.isOnMainQueue) = (count, isMainThread, isOnMainQueue)
  }

  /// The indices of the observations.
  var all: Range<Int> { 0..<count }

  /// Records the thread of the caller, and whether the caller runs on the main thread and on the main queue.
  func observe() {
    if !isMainThread() { offMain.add() }
    if !isOnMainQueue() { offQueue.add() }
    seen.withLock { _ = $0.insert(ThreadCensus.currentThread) }
  }

  let offMain = Tally()
  let offQueue = Tally()
  var threads: Int { seen.withLock { $0.count } }
}
