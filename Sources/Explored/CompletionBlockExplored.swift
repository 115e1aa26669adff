import Exploration
import Instruments

/// A call of the function: its result, and the owner of the queue on which the caller wants the result.
///
/// Unchecked: everything happens on the thread that explores.
final class AverageCall: @unchecked Sendable {
  private let results = Variable("the result", 0)
  private let mayCompute = DispatchSemaphore(value: 0)
  private var isHeldBack = false

  /// Creates the queue on which the caller wants the result.
  func makeQueue() -> DispatchQueue { DispatchQueue(label: "results") }

  /// Creates such a queue, with one reference. Its first block runs until the last reference has been released.
  func makeCountedQueue() -> CountedQueue { CountedQueue() }

  /// Holds the computation until the caller lets it continue.
  func holdComputation() { isHeldBack = true }

  /// Lets the computation continue.
  func continueComputation() { mayCompute.signal() }

  /// Computes the average.
  func average() -> Int {
    if isHeldBack { mayCompute.wait() }
    return 42
  }

  /// Notes a result that has arrived.
  func noteResult(_ average: Int) {
    results.value = average
    if average != 42 { Execution.breaks("a wrong result") }
  }

  /// Waits until the result has arrived.
  func awaitResult() { Execution.wait("waits for the result") { [results] in results.atEnd == 42 } }

  fileprivate func judge() { if results.atEnd != 42 { Execution.breaks("the result never arrives") } }
}

/// A queue that does not exist any more once its last reference has been released and its blocks have run.
///
/// Unchecked: everything happens on the thread that explores.
final class CountedQueue: @unchecked Sendable {
  private let queue = DispatchQueue(label: "results")
  private let lastRelease = DispatchSemaphore(value: 0)
  private var references = 1

  /// Creates the queue, with its first block.
  init() {
    let lastRelease = lastRelease
    queue.async { lastRelease.wait() }
  }

  /// Retains the queue.
  func retain() {
    Execution.step("retains the queue")
    use()
    references += 1
  }

  /// Releases the queue.
  func release() {
    Execution.step("releases the queue")
    use()
    references -= 1
    if references == 0 { lastRelease.signal() }
  }

  /// Submits a block.
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
