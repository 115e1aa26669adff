/// A model of the predicate of `dispatch_once`. The first closure is executed, and other callers wait until this
/// closure has returned.
public final class ModelOnce: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var isRunning = false
  private var isDone = false

  /// Creates a predicate for which no closure has been executed.
  public init() { object = execution.makeObject() }

  /// Waits while another closure is running. Then executes `body` if no closure has been executed.
  public func once(_ body: () -> Void) {
    execution.step(.changing(self.object), "waits for the end of dispatch_once") { !self.isRunning }
    if isDone { return execution.describe("finds that dispatch_once is done") }
    execution.describe("begins dispatch_once")
    isRunning = true
    execution.hold([object])
    body()
    isRunning = false
    isDone = true
    execution.release([object])
  }
}
