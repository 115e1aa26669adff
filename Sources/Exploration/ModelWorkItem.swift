/// A model of a work item, which does not run if it is cancelled before it begins.
///
/// Unchecked: everything happens on the thread that explores.
public final class ModelWorkItem: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private let body: () -> Void
  private var isCancelled = false

  /// Creates a work item.
  public init(block: @escaping () -> Void) {
    object = execution.makeObject()
    body = block
  }

  /// Cancels the work item.
  public func cancel() {
    execution.step(.changing(self.object), "cancels the work item")
    execution.says("cancels the work item")
    isCancelled = true
  }

  /// Runs the body, unless the work item is cancelled.
  func perform() {
    execution.step(.reading(self.object), "begins the work item")
    if isCancelled { return execution.says("finds the work item cancelled") }
    execution.says("begins the work item")
    body()
  }
}
