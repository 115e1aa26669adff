/// A model of a dispatch work item. A work item that is cancelled before it begins does not run.
public final class ModelWorkItem: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private let body: () -> Void
  private var isCancelled = false

  /// Creates a work item that executes `block`.
  public init(block: @escaping () -> Void) {
    object = execution.makeObject()
    body = block
  }

  /// Cancels the work item.
  public func cancel() {
    execution.step(.changing(self.object), "cancels the work item")
    execution.describe("cancels the work item")
    isCancelled = true
  }

  /// Executes the block, unless the work item is cancelled.
  func perform() {
    execution.step(.reading(self.object), "begins the work item")
    if isCancelled { return execution.describe("finds the work item cancelled") }
    execution.describe("begins the work item")
    body()
  }
}
