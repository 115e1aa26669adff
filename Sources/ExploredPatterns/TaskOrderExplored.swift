import Exploration
import Instruments
import Synchronization

/// Two items that tasks send, and a record of the order in which they arrive.
final class OrderRound: @unchecked Sendable {
  private var arrivals: [Int] = []

  /// The items, in the order in which they are sent.
  var items: [Item] { [Item(round: self, index: 0), Item(round: self, index: 1)] }

  /// An item that a task sends.
  struct Item: Sendable {
    fileprivate let round: OrderRound
    fileprivate let index: Int

    /// Whether the item belongs to the second half of the items.
    var isInSecondHalf: Bool { index > 0 }
    /// Records that a task has received the item. In a trial, this method can suspend the task.
    func waitIfFirst() async { Execution.note("takes item \(index + 1)") }
    /// Records that the item has arrived. If the second item has already arrived, the arrival of the first item is a
    /// broken promise.
    func recordArrival() {
      Execution.note("item \(index + 1) arrives")
      if round.arrivals.contains(where: { $0 > index }) { Execution.breaks("item \(index + 1) arrives out of order") }
      round.arrivals.append(index)
    }
  }

  func allHaveStarted() {}

  // An exploration executes every order of the tasks, so no task needs to occupy the actor until all tasks have
  // arrived.
  func blockActor() {}
  func waitUntilActorIsBlocked() async {}
  func unblockActor() {}

  fileprivate func judge() { if arrivals.count != 2 { Execution.breaks("an item does not arrive") } }
}

extension TaskOrder {
  static let exploration = Self.explored(
    ["main-actor": realMainActor, "main-priorities": realMainActor],
    leavesOut:
      "What Swift's runtime and an actor do within a step is not explored: a step is a task up to its next await.")

  private static let realMainActor = "the main actor has the real main queue, which an execution does not control"

  /// A lock that allows only one execution at a time to use the global actor, which belongs to the process.
  private static let recorder = Mutex<Void>(())

  var runEachRound: Probe<@Sendable (OrderRound) async -> Void> {
    Probe { _, body in
      try Self.recorder.withLock { _ in
        let round = OrderRound()
        try waitFor { await body(round) }
        Execution.settle()
        round.judge()
      }
    }
  }

  var runEachMixedRound: Probe<@Sendable (OrderRound) async -> Void> { runEachRound }
}
