import Dispatch
import Instruments
import NonisolatedBefore
import NonisolatedToday

/// Does asynchronous code that an actor calls run on the actor or elsewhere?
///
/// ```swift
/// nonisolated func load() async { … }
/// ```
///
/// A set of functions is compiled in two modules, one without and one with the upcoming feature
/// `NonisolatedNonsendingByDefault` of Swift 6.2. In most variants, two actors call the code: an actor whose executor
/// is a serial queue, and the main actor. The queue on which code runs shows whether the code runs on the actor. Each
/// asynchronous function checks its queue twice: at its beginning, and after a suspension.
///
/// Source: SE-0338, SE-0461, SE-0472; SE-0304, detached tasks.
struct WhereCodeRuns: Pattern {
  static let name = "where-code-runs"

  let calls = Parameter.count("calls", 1...1_000_000, default: 500, "calls from each of the two actors")

  let onActor = Metric.count("on-actor", "observations on the actor of the caller")
  let offActor = Metric.count("off-actor", "observations elsewhere")
  let unseen = Metric.count("unseen", "calls whose code recorded no observation")
  let hops = Metric.count("hops", "calls whose code began on another thread than the caller's")
  let late = Metric.count("late", "tasks that had not begun when their creation returned")
  let call = Metric.latency("call", "from before the call until the code begins")

  /// The second of the two actors that call the code. A test replaces the main actor, since the main queue does not run
  /// in tests.
  var second = CallingActor.main

  var variants: [Variant] {
    Variant("isolated", .documented, "a closure that is isolated to the actor", runEachCall) { actor, code in
      code.look()
      await Task.yield()
      code.look()
    }
    Variant("plain-before", .documented, "a nonisolated async function, compiled without the feature", runEachCall) {
      actor, code in
      await NonisolatedBefore.plain(code.look)
    }
    Variant("plain-today", .modern, "a nonisolated async function, compiled with the feature", runEachCall) {
      actor, code in
      await NonisolatedToday.plain(code.look)
    }
    Variant(
      "nonsending-before", .modern, "a nonisolated(nonsending) function, compiled without the feature", runEachCall
    ) { actor, code in
      await NonisolatedBefore.nonsending(code.look)
    }
    Variant("nonsending-today", .modern, "a nonisolated(nonsending) function, compiled with the feature", runEachCall) {
      actor, code in
      await NonisolatedToday.nonsending(code.look)
    }
    Variant("concurrent-before", .modern, "a @concurrent function, compiled without the feature", runEachCall) {
      actor, code in
      await NonisolatedBefore.concurrent(code.look)
    }
    Variant("concurrent-today", .modern, "a @concurrent function, compiled with the feature", runEachCall) {
      actor, code in
      await NonisolatedToday.concurrent(code.look)
    }
    Variant("inheriting", .modern, "a function with an isolated parameter that is #isolation", runEachCall) {
      actor, code in
      await NonisolatedBefore.inheriting(actor, code.look)
    }
    Variant("synchronous", .yardstick, "a nonisolated synchronous function", runEachCall) { actor, code in
      NonisolatedBefore.synchronous(code.look)
    }
    Variant("task", .documented, "a task that captures the actor", runEachTask) { actor, code in
      let task = Task {
        _ = actor
        code.look()
      }
      code.recordCreation()
      await task.value
    }
    Variant("task-without", .broken, "a task that does not capture the actor", runEachTask) { actor, code in
      let task = Task { code.look() }
      code.recordCreation()
      await task.value
    }
    Variant(
      "task-of-global", .documented, "a task in a function of a global actor, which captures no actor",
      runEachTaskOfGlobal
    ) { _, code in
      await Self.startTask(code)
    }
    Variant("detached", .documented, "a detached task", runEachTask) { actor, code in
      let task = Task.detached {
        _ = actor
        code.look()
      }
      code.recordCreation()
      await task.value
    }
    Variant("immediate", .modern, "an immediate task", runEachTask) { actor, code in
      guard #available(macOS 26, *) else { throw Unavailable.immediateTask }
      let task = Task.immediate {
        _ = actor
        code.look()
      }
      code.recordCreation()
      await task.value
    }
    Variant("immediate-elsewhere", .broken, "an immediate task that is isolated to another actor", runEachTask) {
      actor, code in
      guard #available(macOS 26, *) else { throw Unavailable.immediateTask }
      let task = Task.immediate { @Desk in code.look() }
      code.recordCreation()
      await task.value
    }
  }

  /// A global actor whose executor is a queue.
  @globalActor actor Desk {
    static let shared = Desk()
    static let queue = DispatchQueue(label: "desk")
    nonisolated let executor = QueueExecutor(queue: queue)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  }

  /// Starts a task on the global actor, and waits until the task has ended.
  @Desk private static func startTask(_ code: CalledCode) async {
    let task = Task { code.look() }
    code.recordCreation()
    await task.value
  }

  /// Returns an upper bound for the duration of a trial: 200 microseconds for each call, plus ten seconds.
  func longest(_ trial: Trial) -> Duration? { .microseconds(200) * trial[calls] + .seconds(10) }
}
