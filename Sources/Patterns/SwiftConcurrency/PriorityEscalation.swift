import Dispatch
import Instruments
import Synchronization

/// Is the priority of a task raised if a task of higher priority waits for it, and which handlers are called?
///
/// ```swift
/// let task = Task(priority: .low) { … }
/// await task.value  // in a task of high priority
/// ```
///
/// Each task begins with low priority, and runs until the trial has raised the task's priority, or until a time limit
/// has passed. A trial records the priority that Swift reports, and the calls of the handlers of
/// `withTaskPriorityEscalationHandler`. The pattern `queue-priority` examines which thread the system runs first.
///
/// Source: SE-0304, Priority escalation; SE-0462, Task priority escalation APIs.
struct PriorityEscalation: Pattern {
  static let name = "priority-escalation"

  let tasks = Parameter.count("tasks", 1...100_000, default: 200, "tasks that are raised, one after the other")

  let unraised = Metric.count("unraised", "tasks that did not report the higher priority")
  let raised = Metric.count("raised", "tasks that reported the higher priority")
  let uncalled = Metric.count(
    "uncalled", "handlers that were not called; if they are installed after the raise, only those of raised tasks")
  let repeated = Metric.count("repeated", "calls of a handler beyond the number of times that its task was raised")
  let lowered = Metric.count(
    "lowered", "calls of a handler with a priority that was not higher than all previous priorities")
  let insideFirst = Metric.count(
    "inside-first", "inner handlers that were called before the outer one, which was called later")
  let forgotten = Metric.count("forgotten", "tasks that reported a lower priority later")
  let notice = Metric.latency("notice", "from before the task is awaited or raised until its handler is called")

  var variants: [Variant] {
    Variant("awaited", .documented, "a task that a task of high priority awaits", runEachTask()) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await work.awaitEscalationAndHandler()
        } onPriorityEscalated: { old, new in
          work.recordHandlerCall(old, new)
        }
        await work.recordPriorityAfterYield()
      }
      await work.awaitBegin()
      await Task.detached(priority: .high) {
        work.recordEscalation()
        await task.value
      }.value
    }
    Variant("raised", .modern, "a task that is raised twice, and not lowered", runEachTask(raised: 2)) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await work.awaitEscalationAndHandler()
        } onPriorityEscalated: { old, new in
          work.recordHandlerCall(old, new)
        }
        await work.awaitLastEscalation()
        await work.recordPriorityAfterYield()
      }
      await work.awaitBegin()
      work.recordEscalation()
      task.escalatePriority(to: .medium)
      task.escalatePriority(to: .medium)
      task.escalatePriority(to: .high)
      task.escalatePriority(to: .low)
      work.recordLastEscalation()
      await task.value
    }
    Variant("raised-task", .modern, "a task that inherits from its creator, raised twice", runEachTask(raised: 2)) {
      work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await work.awaitEscalationAndHandler()
        } onPriorityEscalated: { old, new in
          work.recordHandlerCall(old, new)
        }
        await work.awaitLastEscalation()
        await work.recordPriorityAfterYield()
      }
      await work.awaitBegin()
      work.recordEscalation()
      task.escalatePriority(to: .medium)
      task.escalatePriority(to: .medium)
      task.escalatePriority(to: .high)
      task.escalatePriority(to: .low)
      work.recordLastEscalation()
      await task.value
    }
    Variant("raised-by-many", .modern, "a task that several threads raise to one priority at once", runEachTask()) {
      work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await work.awaitEscalationAndHandler()
          await work.awaitLastEscalation()
        } onPriorityEscalated: { old, new in
          work.recordHandlerCall(old, new)
        }
        await work.recordPriorityAfterYield()
      }
      await work.awaitBegin()
      work.recordEscalation()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in task.escalatePriority(to: .high) }
      work.recordLastEscalation()
      await task.value
    }
    Variant("child-task", .documented, "a child task whose parent is awaited", runEachInnerHandler()) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await withTaskGroup(of: Void.self) { group in
            group.addTask {
              await withTaskPriorityEscalationHandler {
                await work.awaitEscalationAndHandler()
              } onPriorityEscalated: { old, new in
                work.recordHandlerCall(old, new)
              }
            }
          }
        } onPriorityEscalated: { _, _ in
          work.outerHandlerIsCalled()
        }
      }
      await work.awaitBegin()
      await Task.detached(priority: .high) {
        work.recordEscalation()
        await task.value
      }.value
    }
    Variant("async-let", .documented, "a child task by async let, whose parent is awaited", runEachInnerHandler()) {
      work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          async let child: Void = withTaskPriorityEscalationHandler {
            await work.awaitEscalationAndHandler()
          } onPriorityEscalated: { old, new in
            work.recordHandlerCall(old, new)
          }
          await child
        } onPriorityEscalated: { _, _ in
          work.outerHandlerIsCalled()
        }
      }
      await work.awaitBegin()
      await Task.detached(priority: .high) {
        work.recordEscalation()
        await task.value
      }.value
    }
    Variant("nested", .documented, "an awaited task with a handler within another one", runEachInnerHandler()) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await withTaskPriorityEscalationHandler {
            await work.awaitEscalationAndHandler()
          } onPriorityEscalated: { old, new in
            work.recordHandlerCall(old, new)
          }
        } onPriorityEscalated: { _, _ in
          work.outerHandlerIsCalled()
        }
      }
      await work.awaitBegin()
      await Task.detached(priority: .high) {
        work.recordEscalation()
        await task.value
      }.value
    }
    Variant("handler-too-late", .broken, "a task raised before it installs a handler", runEachRaisedBefore()) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await work.awaitEscalation()
        await withTaskPriorityEscalationHandler {
          await Task.yield()
        } onPriorityEscalated: { old, new in
          work.recordHandlerCall(old, new)
        }
      }
      await work.awaitBegin()
      task.escalatePriority(to: .high)
      await task.value
    }
    Variant(
      "loose-task", .broken, "a task of low priority that an awaited task waits for by a continuation",
      runEachLooseTask()
    ) { work in
      guard #available(macOS 26, *) else { throw Unavailable.escalationHandler }
      let task = Task.detached(priority: .low) {
        await withTaskPriorityEscalationHandler {
          await withCheckedContinuation { answer in
            Task.detached(priority: .low) {
              await work.awaitOuterHandler()
              await work.awaitEscalation()
              answer.resume()
            }
          }
        } onPriorityEscalated: { _, _ in
          work.outerHandlerIsCalled()
        }
      }
      await work.awaitBegin()
      await Task.detached(priority: .high) {
        work.recordEscalation()
        await task.value
      }.value
    }
  }

  /// Returns an upper bound for the duration of a trial: 5 milliseconds for each task, plus 30 seconds.
  func longest(_ trial: Trial) -> Duration? { .milliseconds(5) * trial[tasks] + .seconds(30) }
}
