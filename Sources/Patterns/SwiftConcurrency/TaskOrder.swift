import Dispatch
import Instruments
import Synchronization

/// In which order do tasks reach an actor, and in which order do child tasks end?
///
/// ```swift
/// for item in items {
///   Task { await log.append(item) }
/// }
/// ```
///
/// Each item has a number, and the trial records in which order the items arrive. In the variants whose tasks may
/// overtake each other, the first round of a trial suspends the task of the first item until a later item has arrived,
/// or until a time limit has passed. The task is suspended before it calls the actor; in a task group, before it ends.
/// The other rounds are timed.
///
/// Source: SE-0306, Actors; SE-0431, isolated function types; SE-0314, AsyncStream; The Swift Programming Language.
struct TaskOrder: Pattern {
  static let name = "task-order"

  let items = Parameter.count("items", 2...100_000, default: 200, "items, each of which a task sends")
  let repeats = Parameter.count("repeats", 1...10_000, default: 10, "rounds of a trial, each with a new actor")
    .ofMeasurement

  let inversions = Metric.count("inversions", "items that arrived after a later item")
  let overtaken = Metric.count(
    "overtaken", "items of the lower priority that arrived after a later item of the higher priority")
  let lost = Metric.count("lost", "items that did not arrive")
  let perItem = Metric.latency("per-item", "time from the first task or item to the last item, divided by the items")

  /// A global actor whose tasks record the items.
  @globalActor actor LogActor {
    static let shared = LogActor()
  }

  var variants: [Variant] {
    Variant("tasks", .broken, "a task for each item calls the actor", runEachRound) { round in
      actor Log {
        func append(_ item: OrderRound.Item) { item.recordArrival() }
      }
      let log = Log()
      for item in round.items {
        Task {
          await item.waitIfFirst()
          await log.append(item)
        }
      }
      round.allHaveStarted()
    }
    Variant(
      "child-tasks", .broken, "a child task for each item; the group reads the items as the tasks end", runEachRound
    ) { round in
      await withTaskGroup(of: OrderRound.Item.self) { group in
        for item in round.items {
          group.addTask {
            await item.waitIfFirst()
            return item
          }
        }
        round.allHaveStarted()
        for await item in group { item.recordArrival() }
      }
    }
    Variant("priorities", .broken, "tasks of a busy actor, the later ones of higher priority", runEachMixedRound) {
      round in
      Task { @LogActor in round.blockActor() }
      await round.waitUntilActorIsBlocked()
      for item in round.items {
        Task(priority: item.isInSecondHalf ? .high : .low) { @LogActor in item.recordArrival() }
      }
      round.unblockActor()
    }
    Variant("isolated", .modern, "tasks that are isolated to a global actor", runEachRound) { round in
      for item in round.items { Task { @LogActor in item.recordArrival() } }
    }
    Variant("main-actor", .documented, "tasks that are isolated to the main actor", runEachRound) { round in
      for item in round.items { Task { @MainActor in item.recordArrival() } }
    }
    Variant(
      "main-priorities", .documented, "tasks of the busy main actor, the later ones of higher priority",
      runEachMixedRound
    ) { round in
      Task { @MainActor in round.blockActor() }
      await round.waitUntilActorIsBlocked()
      for item in round.items {
        Task(priority: item.isInSecondHalf ? .high : .low) { @MainActor in item.recordArrival() }
      }
      round.unblockActor()
    }
    Variant("implicit", .modern, "tasks of an actor's method, which use the actor", runEachRound) { round in
      actor Log {
        func append(_ item: OrderRound.Item) { item.recordArrival() }
        func start(_ items: [OrderRound.Item]) {
          for item in items {
            Task { append(item) }
          }
        }
      }
      await Log().start(round.items)
    }
    Variant("stream", .modern, "one task that reads the items from an AsyncStream", runEachRound) { round in
      actor Log {
        func append(_ item: OrderRound.Item) { item.recordArrival() }
      }
      let log = Log()
      let (stream, items) = AsyncStream.makeStream(of: OrderRound.Item.self)
      Task { for await item in stream { await log.append(item) } }
      for item in round.items { items.yield(item) }
      items.finish()
    }
    Variant("serial-queue", .documented, "a serial queue, to which each item is sent by async", runEachRound) { round in
      let queue = DispatchQueue(label: "log")
      for item in round.items { queue.async { item.recordArrival() } }
    }
  }

  /// Returns an upper bound for the duration of a trial: 20 microseconds for each item of all rounds, plus 20 seconds.
  func longest(_ trial: Trial) -> Duration? {
    .microseconds(20) * trial[items] * (trial[repeats] + 1) + .seconds(20)
  }
}
