/// A model of a dispatch group.
public final class ModelGroup: @unchecked Sendable {
  private let execution = Execution.now
  private let object: Int
  private var entered = 0
  private var notifications: [(queue: ModelQueue, body: () -> Void)] = []

  /// Creates an empty group.
  public init() { object = execution.makeObject() }

  /// Enters the group.
  public func enter() {
    execution.step(self.enteringFootprint, "enters the group")
    count()
    execution.describe("enters the group")
  }

  var enteringFootprint: Footprint { .incrementing(object) }

  func count() { entered += 1 }

  /// Leaves the group. An unbalanced call has the outcome ``ExecutionOutcome/trap(_:)``.
  public func leave() { leave("leaves the group") }

  func leaveAfterBlock() { leave("ends, and leaves the group") }

  private func leave(_ words: String) {
    // The last call of `leave` submits the notifications.
    execution.step(
      self.notifications.reduce(.decrementing(self.object)) { $0.union(.changing($1.queue.order)) }, "leaves the group")
    execution.describe(words)
    guard entered > 0 else { return execution.fail(.trap("unbalanced call to dispatch_group_leave")) }
    entered -= 1
    if entered == 0 { submitNotifications() }
  }

  private func submitNotifications() {
    let due = notifications
    notifications = []
    for (queue, body) in due {
      let block = queue.enqueue(body)
      execution.describe("the group is empty: submits \(block.name) to \(queue.name)")
    }
  }

  /// Registers a block. The block is submitted to `queue` once the group is empty.
  public func notify(queue: ModelQueue, execute body: @escaping @Sendable () -> Void) {
    execution.step(.changing([self.object] + queue.order), "asks the group to notify")
    execution.describe("asks the group to notify \(queue.name)")
    notifications.append((queue, body))
    if entered == 0 { submitNotifications() }
  }

  /// Waits until the group is empty.
  public func wait() {
    execution.step(.changing(self.object), "waits for the group") { self.entered == 0 }
    execution.describe("finds the group empty")
  }
}
