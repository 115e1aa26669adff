import Dispatch
import Instruments
import Synchronization

/// Where and when does the isolated deinitializer of an object run?
///
/// ```swift
/// @QueueActor final class Holder {
///   isolated deinit { … }
/// }
/// ```
///
/// The executor of the global actor ``QueueActor`` is a queue. The deinitializer records whether it runs on that queue.
/// The variants release the last reference in different places. A task-local value is set during the release, and the
/// deinitializer reads that value.
///
/// Source: SE-0371, Isolated synchronous deinit.
struct IsolatedDeinit: Pattern {
  static let name = "isolated-deinit"

  let objects = Parameter.count(
    "objects", 1...1_000_000, default: 500, "objects that are released, one after the other")

  let onActor = Metric.count("on-actor", "deinitializers that ran on the actor of their class")
  let offActor = Metric.count("off-actor", "deinitializers that ran elsewhere")
  let moved = Metric.count(
    "moved",
    "objects whose deinitializer did not run exactly once, on the thread of the last release and outside the actor")
  let inline = Metric.count("inline", "deinitializers that had run when the last release returned")
  let deferred = Metric.count("deferred", "deinitializers that had not run when the last release returned")
  let inherited = Metric.count("inherited", "deinitializers that found the task-local value of the last release")
  let missing = Metric.count("missing", "deinitializers that did not run exactly once")
  let delay = Metric.latency("delay", "from the last release to the deinitializer")

  /// A global actor whose executor is a dispatch queue.
  @globalActor actor QueueActor {
    static let shared = QueueActor()
    nonisolated let executor = QueueExecutor(queue: ObjectEnd.actorQueue)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  }

  var variants: [Variant] {
    Variant("by-thread", .documented, "isolated deinit, released by a thread", runEachObject) { ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      var holder: Holder? = Holder(ending)
      ending.releases { if holder != nil { holder = nil } }
    }
    Variant("by-task", .documented, "isolated deinit, released by a task of the pool", runEachObject) { ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      try waitFor {
        var holder: Holder? = Holder(ending)
        ending.releases { if holder != nil { holder = nil } }
      }
    }
    Variant("of-deinit", .documented, "a global actor at the deinit alone, released by a thread", runEachObject) {
      ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      final class Holder {
        let ending: ObjectEnd
        init(_ ending: ObjectEnd) { self.ending = ending }
        @QueueActor deinit { ending.deinitRuns() }
      }
      var holder: Holder? = Holder(ending)
      ending.releases { if holder != nil { holder = nil } }
    }
    Variant("on-actor", .documented, "isolated deinit, released on the actor", runEachObject) { ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      try waitFor {
        await Task { @QueueActor in
          var holder: Holder? = Holder(ending)
          ending.releases { if holder != nil { holder = nil } }
        }.value
      }
    }
    Variant("on-queue", .broken, "isolated deinit, released by a block on the queue of the actor", runEachObject) {
      ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      ObjectEnd.actorQueue.sync {
        var holder: Holder? = Holder(ending)
        ending.releases { if holder != nil { holder = nil } }
      }
    }
    Variant("while-busy", .documented, "isolated deinit, released by a thread while the actor is busy", runEachObject) {
      ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      Task { @QueueActor in ending.blockActor() }
      ending.waitUntilActorIsBlocked()
      var holder: Holder? = Holder(ending)
      ending.releases { if holder != nil { holder = nil } }
      ending.unblockActor()
    }
    Variant(
      "default-actor", .documented, "isolated deinit of an idle actor, released by a thread",
      runEachObjectOfDefaultActor
    ) { ending in
      guard #available(macOS 15.4, *) else { throw Unavailable.isolatedDeinit }
      actor Holder {
        let ending: ObjectEnd
        init(_ ending: ObjectEnd) { self.ending = ending }
        isolated deinit { ending.deinitRuns() }
      }
      var holder: Holder? = Holder(ending)
      ending.releases { if holder != nil { holder = nil } }
    }
    Variant("plain", .broken, "an ordinary, nonisolated deinit, released by a thread", runEachObject) { ending in
      @QueueActor final class Holder {
        let ending: ObjectEnd
        nonisolated init(_ ending: ObjectEnd) { self.ending = ending }
        deinit { ending.deinitRuns() }
      }
      var holder: Holder? = Holder(ending)
      ending.releases { if holder != nil { holder = nil } }
    }
  }

  /// Returns an upper bound for the duration of a trial: 200 microseconds for each object, plus 20 seconds.
  func longest(_ trial: Trial) -> Duration? { .microseconds(200) * trial[objects] + .seconds(20) }
}
