import Exploration
import Instruments

/// A call of the function: its result, and the owner of the queue on which the caller wants the result.
///
/// Unchecked: everything happens on the thread that explores.
final class AverageCall: @unchecked Sendable {
  private let results = Variable("the result", 0)
  private let mayGoOn = DispatchSemaphore(value: 0)
  private var isHeldBack = false

  /// Creates the queue on which the caller wants the result.
  func makeQueue() -> DispatchQueue { DispatchQueue(label: "results") }

  /// Holds the computation until the caller lets it continue.
  func holdsBack() { isHeldBack = true }

  /// Lets the computation continue.
  func goesOn() { mayGoOn.signal() }

  /// Computes the average.
  func average() -> Int {
    if isHeldBack { mayGoOn.wait() }
    return 42
  }

  /// Notes a result that has arrived.
  func arrives(_ average: Int) {
    results.value = average
    if average != 42 { Execution.breaks("a wrong result") }
  }

  /// Waits until the result has arrived.
  func awaitResult() { Execution.wait("waits for the result") { [results] in results.atEnd == 42 } }

  fileprivate func judge() { if results.atEnd != 42 { Execution.breaks("the result never arrives") } }
}

extension CompletionBlock {
  static let exploration = Self.explored()

  func measure(_ trial: Trial, _ wrongQueue: Measure<Int>? = nil, _ body: (AverageCall) -> Void) {
    let call = AverageCall()
    body(call)
    Execution.settle()
    call.judge()
  }

  func measureAsTask(_ trial: Trial, _ body: (AverageCall) async -> Void) async {
    let call = AverageCall()
    await body(call)
    call.judge()
  }
}
