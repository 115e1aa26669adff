import Exploration
import Instruments

/// A call of the asynchronous function that computes an average, with a record of the result.
final class AverageCall: @unchecked Sendable {
  private let results = Variable("the result", 0)
  private let mayCompute = DispatchSemaphore(value: 0)
  private var isHeldBack = false

  /// Creates the queue on which the caller receives the result.
  func makeQueue() -> DispatchQueue { DispatchQueue(label: "results") }

  /// Creates a counted queue with one reference. The first block of the queue runs until the last reference has been
  /// released.
  func makeCountedQueue() -> CountedQueue { CountedQueue() }

  /// Holds the computation: ``average()`` then waits for a call of ``continueComputation()``.
  func holdComputation() { isHeldBack = true }

  /// Resumes the computation that waits in ``average()``.
  func continueComputation() { mayCompute.signal() }

  /// Returns the average, which is always 42. If the computation is held, waits first.
  func average() -> Int {
    if isHeldBack { mayCompute.wait() }
    return 42
  }

  /// Records that a result has arrived. A result other than 42 is a broken promise.
  func noteResult(_ average: Int) {
    results.value = average
    if average != 42 { Execution.breaks("a wrong result") }
  }

  /// Waits until the result has arrived.
  func awaitResult() { Execution.wait("waits for the result") { [results] in results.atEnd == 42 } }

  fileprivate func judge() { if results.atEnd != 42 { Execution.breaks("the result never arrives") } }
}

/// A queue with a reference count. A use of the queue after the release of its last reference is a broken promise.
final class CountedQueue: @unchecked Sendable {
  private let queue = DispatchQueue(label: "results")
  private let lastRelease = DispatchSemaphore(value: 0)
  private var references = 1

  /// Creates the queue with one reference, and submits its first block.
  init() {
    let lastRelease = lastRelease
    queue.async { lastRelease.wait() }
  }

  /// Increments the reference count.
  func retain() {
    Execution.step("retains the queue")
    use()
    references += 1
  }

  /// Decrements the reference count. The last release ends the first block of the queue.
  func release() {
    Execution.step("releases the queue")
    use()
    references -= 1
    if references == 0 { lastRelease.signal() }
  }

  /// Submits a block to the queue.
  func async(_ block: @escaping @Sendable () -> Void) {
    Execution.step("uses the queue")
    use()
    queue.async(execute: block)
  }

  private func use() { if references == 0 { Execution.breaks("uses a queue without references") } }
}

extension CompletionBlock {
  static let exploration = Self.explored()

  func measure(namesQueue: Bool) -> Probe<@Sendable (AverageCall) -> Void> {
    Probe { _, body in
      let call = AverageCall()
      body(call)
      Execution.settle()
      call.judge()
    }
  }

  var measureAsTask: Probe<@Sendable (AverageCall) async -> Void> {
    Probe { _, body in
      try waitFor {
        let call = AverageCall()
        await body(call)
        call.judge()
      }
    }
  }
}
