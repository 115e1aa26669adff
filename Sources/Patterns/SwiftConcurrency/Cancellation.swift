import Dispatch
import Instruments
import Synchronization

/// When and how often does a cancellation handler run, and to which other tasks does a cancellation propagate?
///
/// ```swift
/// await withTaskCancellationHandler {
///   …
/// } onCancel: {
///   …
/// }
/// ```
///
/// The variants about handlers cancel their task at different times: before the task registers its handler, during the
/// registration, during the operation, or after the operation. In one variant, the task cancels itself. An operation
/// that is running during the cancellation lasts until `cancel` has returned.
///
/// In the variants about scopes, child tasks begin, and the scope that created them is then left or cancelled. In most
/// of these variants, each child task waits until its scope is left, but no longer than the time `patience`. A scope
/// that is left before a child task has ended did not wait for that task.
///
/// Source: SE-0304, Structured concurrency, and SE-0317, async let bindings.
struct Cancellation: Pattern {
  static let name = "cancellation"

  let tasks = Parameter.count("tasks", 1...100_000, default: 500, "tasks with a handler, each of which is cancelled")
  let scopes = Parameter.count("scopes", 1...10_000, default: 20, "scopes with child tasks, one after the other")
  let children = Parameter.count("children", 2...1000, default: 4, "child tasks of a scope")
  let patience = Parameter.duration(
    "patience", .zero ... .seconds(1), default: .milliseconds(1),
    "how long a child task waits before it ends, unless its scope is left earlier"
  ).ofMeasurement

  let reaction = Metric.latency(
    "reaction", "from the call of cancel, or of withTaskCancellationHandler in a cancelled task, to the first handler")
  let missed = Metric.count("missed", "handlers that did not run")
  let repeated = Metric.count("repeated", "handlers that ran more than once")
  let late = Metric.count(
    "late", "handlers that had not run when cancel had returned and their operation began or continued")
  let skipped = Metric.count("skipped", "operations that did not run")
  let needless = Metric.count("needless", "handlers that ran, although the task was cancelled after their operation")
  let unended = Metric.count("unended", "child tasks that had not ended when their scope was left")
  let cancelled = Metric.count("cancelled", "child tasks that were cancelled")
  let uncancelled = Metric.count("uncancelled", "child tasks that were not cancelled")
  let added = Metric.count(
    "added", "child tasks that addTaskUnlessCancelled reported as added to a cancelled group, and those that ran")
  let slept = Metric.count("slept", "sleeps of an hour that ended without an error")

  let atOnce = Metric.count(
    "at-once", "scopes that cancelled a child task before the other, which was declared later, had ended")

  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()

  var problem: [any Declaration] { [tasks, scopes, children] }

  var variants: [Variant] {
    Variant("suspended", .documented, "a task is cancelled while its operation is suspended", runEachTask()) { work in
      let task = Task {
        await withTaskCancellationHandler {
          work.beginOperation()
          await work.awaitCancellation()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.waitForOperation()
      work.cancel { task.cancel() }
    }
    Variant("running", .documented, "a task is cancelled while its operation computes", runEachTask()) { work in
      let task = Task {
        await withTaskCancellationHandler {
          work.beginOperation()
          work.computeUntilCancelled()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.waitForOperation()
      work.cancel { task.cancel() }
    }
    Variant("registering", .documented, "a task is cancelled while it registers its handler", runEachTask()) { work in
      let task = Task {
        work.meet()
        await withTaskCancellationHandler {
          work.beginOperation()
          await work.awaitCancellation()
          work.requireHandler()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.meet()
      work.cancel(handlers: 0) { task.cancel() }
    }
    Variant("before", .documented, "a task is cancelled before it registers its handler", runEachTask()) { work in
      let task = Task {
        await work.awaitCancellation()
        work.registers()
        await withTaskCancellationHandler {
          work.requireHandler()
          work.beginOperation()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.cancel(handlers: 0) { task.cancel() }
    }
    Variant(
      "itself", .documented, "a task cancels itself, then registers a second handler",
      runEachTask(handlers: 2, operations: 2)
    ) { work in
      Task {
        await withTaskCancellationHandler {
          work.beginOperation()
          work.cancel { withUnsafeCurrentTask { $0?.cancel() } }
          await withTaskCancellationHandler {
            work.requireHandler(1)
            work.beginOperation(1)
          } onCancel: {
            work.handlerRuns(1)
          }
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
    }
    Variant("nested", .documented, "a task is cancelled within three handlers", runEachTask(handlers: 3)) { work in
      let task = Task {
        await withTaskCancellationHandler {
          await withTaskCancellationHandler {
            await withTaskCancellationHandler {
              work.beginOperation()
              await work.awaitCancellation()
            } onCancel: {
              work.handlerRuns(2)
            }
          } onCancel: {
            work.handlerRuns(1)
          }
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.waitForOperation()
      work.cancel(handlers: 3) { task.cancel() }
    }
    Variant("by-many", .documented, "a task is cancelled by several threads at once", runEachTask()) { work in
      let task = Task {
        await withTaskCancellationHandler {
          work.beginOperation()
          await work.awaitCancellation()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordEnd()
      }
      work.waitForOperation()
      work.cancel { DispatchQueue.concurrentPerform(iterations: 4) { _ in task.cancel() } }
    }
    Variant("afterwards", .documented, "a task is cancelled after its operation", runEachTaskAfterwards) { work in
      let task = Task {
        await withTaskCancellationHandler {
          work.recordOperation()
        } onCancel: {
          work.handlerRuns()
        }
        work.recordReturn()
        await work.awaitCancellation()
        work.recordEnd()
      }
      work.waitForOperation()
      work.cancel(handlers: 0) { task.cancel() }
    }
    Variant(
      "no-handler", .broken, "a task is cancelled at a continuation that is never resumed",
      ends: .hangs(within: .milliseconds(50))
    ) { trial in
      let pending = Mutex<CheckedContinuation<Void, Never>?>(nil)
      let task = Task {
        await withCheckedContinuation { task in
          pending.withLock { $0 = task }
          trial.hazard()
        }
      }
      task.cancel()
      await task.value
    }
    Variant("group-returned", .documented, "the body of a task group returns", runEachScope) { scope in
      await withTaskGroup { group in
        for child in scope.children { group.addTask { await child.awaitExit() } }
        await scope.awaitBegin()
      }
    }
    Variant("group-thrown", .documented, "the body of a task group throws", runEachScope) { scope in
      try await withThrowingTaskGroup { group in
        for child in scope.children {
          group.addTask {
            await child.awaitCancellation()
            await child.awaitExit()
          }
        }
        await scope.awaitBegin()
        throw CancellationError()
      }
    }
    Variant("group-of-cancelled", .documented, "the task of a task group is cancelled", runEachCancelledScope) {
      scope in
      await withTaskGroup { group in
        for child in scope.children {
          group.addTask {
            await child.awaitCancellation()
            await child.awaitExit()
          }
        }
        await scope.awaitBegin()
        withUnsafeCurrentTask { $0?.cancel() }
        group.addTask { await scope.lateChild.recordCancellationAndAwaitExit() }
        scope.recordAddition(group.addTaskUnlessCancelled { scope.recordUnwantedChild() })
      }
    }
    Variant("group-cancelled", .documented, "a task group is cancelled", runEachCancelledScope) { scope in
      await withTaskGroup { group in
        for child in scope.children {
          group.addTask {
            await child.awaitCancellation()
            await child.awaitExit()
          }
        }
        await scope.awaitBegin()
        group.cancelAll()
        group.addTask { await scope.lateChild.recordCancellationAndAwaitExit() }
        scope.recordAddition(group.addTaskUnlessCancelled { scope.recordUnwantedChild() })
      }
    }
    Variant("async-let-returned", .documented, "a function with async let returns", runEachScopeOfTwo) { scope in
      async let _: Void = scope.children[0].awaitCancellationAndExit()
      async let _: Void = scope.children[1].awaitCancellationAndExit()
      await scope.awaitBegin()
    }
    Variant("async-let-thrown", .documented, "a function with async let throws", runEachScopeOfTwo) { scope in
      async let _: Void = scope.children[0].awaitCancellationAndExit()
      async let _: Void = scope.children[1].awaitCancellationAndExit()
      await scope.awaitBegin()
      throw CancellationError()
    }
    Variant(
      "async-let-order", .documented, "a function with async let returns, and the later child task ends slowly",
      runEachPair
    ) { scope in
      async let _: Void = scope.children[0].awaitCancellationAndNotifyOther()
      async let _: Void = scope.children[1].awaitCancellationOfBoth()
      await scope.awaitBegin()
    }
    Variant("loose-tasks", .broken, "a function starts tasks and throws", runEachScope) { scope in
      for child in scope.children { Task { await child.awaitExit() } }
      await scope.awaitBegin()
      throw CancellationError()
    }
    Variant("sleep", .documented, "child tasks sleep in a task group that is cancelled", runEachGroupOfSleepers) {
      scope in
      await withTaskGroup { group in
        for child in scope.children { group.addTask { await child.sleep() } }
        await scope.awaitBegin()
        group.cancelAll()
        group.addTask { await scope.lateChild.sleep() }
      }
    }
  }

  /// Returns an upper bound for the duration of a trial: 30 seconds.
  func longest(_ trial: Trial) -> Duration? { .seconds(30) }
}
