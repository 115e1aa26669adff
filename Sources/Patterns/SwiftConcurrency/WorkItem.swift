import Dispatch
import Instruments

/// Which work does a cancellation stop, and which waiters are notified?
///
/// A program can cancel a work item, wait for the item, and attach a notify block:
///
/// ```c
/// dispatch_block_t item = dispatch_block_create(0, ^{ … });
/// dispatch_block_notify(item, queue, ^{ … });
/// dispatch_async(serial, item);
/// dispatch_block_cancel(item);
/// ```
///
/// In most variants, an item is cancelled in one of two states. In the first state, the item is queued after a block
/// that occupies the queue until the item is cancelled. In the second state, the item is running, and waits until it is
/// cancelled. The variants in Swift concurrency do the same with a task, and an actor replaces the queue.
///
/// Beyond the documents: the Concurrency Programming Guide (Dispatch Queues) does not describe how to cancel a
/// submitted task.
struct WorkItem: Pattern {
  static let name = "work-item"

  let items = Parameter.count("items", 1...10_000, default: 50, "items, or tasks, each of which is cancelled")
  let patience = Parameter.duration(
    "patience", .zero ... .seconds(1), default: .milliseconds(1),
    "timeout of the wait for an item that is never submitted"
  ).ofMeasurement

  let ran = Metric.count("ran", "items, or tasks, that began to run")
  let skipped = Metric.count("skipped", "items, or tasks, that did not begin")
  let finished = Metric.count("finished", "items, or tasks, that ran to their end")
  let cutShort = Metric.count("cut-short", "items, or tasks, that began and returned before their end")
  let unfinished = Metric.count("unfinished", "items, or tasks, that did not run to their end")
  let notCutShort = Metric.count(
    "not-cut-short", "items, or tasks, that did not begin, that ran to their end, or that had not returned")
  let unflagged = Metric.count("unflagged", "items that did not report their cancellation after their end")
  let waitTimedOut = Metric.count("wait-timed-out", "items for which wait timed out")
  let notNotified = Metric.count(
    "not-notified", "items, not yet freed, whose notify block did not run; tasks whose awaiter did not resume")
  let notNotifiedWhenFreed = Metric.count(
    "not-notified-when-freed", "items whose notify block ran before they were freed, or did not run even then")
  let cancelLatency = Metric.latency(
    "cancel-latency", "from cancel until the notify block runs, or the awaiting task resumes")

  /// A global actor whose tasks wait for one another as the work items of a serial queue do.
  @globalActor actor SerialActor { static let shared = SerialActor() }

  var problem: [any Declaration] { [items] }

  var variants: [Variant] {
    Variant(
      "cancel-queued", .documented, "a work item is cancelled while it is queued behind another block", runEachItem
    ) { work in
      let queue = DispatchQueue(label: "items")
      queue.async { work.holdUpOthers() }
      let item = DispatchWorkItem {
        work.begins()
        work.ends()
      }
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      queue.async(execute: item)
      work.recordCancellation { item.cancel() }
      work.wait(for: item)
    }
    Variant("cancel-running", .documented, "a work item is cancelled while it runs", runEachItem) { work in
      let item = DispatchWorkItem {
        work.begins()
        work.blockUntilCancelled()
        work.ends()
      }
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      DispatchQueue(label: "items").async(execute: item)
      work.waitUntilItRuns()
      work.recordCancellation { item.cancel() }
      work.wait(for: item)
    }
    Variant(
      "cancel-checked", .documented, "a work item is cancelled while it runs, and checks isCancelled", runEachItem
    ) {
      work in
      let weakItem = WeakWorkItem()
      let item = DispatchWorkItem {
        work.begins()
        work.blockUntilCancelled()
        if weakItem.item?.isCancelled == true { return }
        work.ends()
      }
      weakItem.item = item
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      DispatchQueue(label: "items").async(execute: item)
      work.waitUntilItRuns()
      work.recordCancellation { item.cancel() }
      work.wait(for: item)
    }
    Variant("never-submitted", .broken, "a work item is cancelled, and never submitted", runEachUnsubmittedItem()) {
      work, patience in
      let item = DispatchWorkItem {
        work.begins()
        work.ends()
      }
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      work.recordCancellation { item.cancel() }
      work.wait(for: item, within: patience)
    }
    Variant(
      "wait-twice", .broken, "a work item that has run is waited for a second time",
      ends: .trapsAtOnce
    ) { trial in
      let item = DispatchWorkItem {}
      DispatchQueue(label: "items").async(execute: item)
      item.wait()
      trial.hazard()
      item.wait()
    }
    Variant("task-queued", .modern, "a task is cancelled while it waits for another on its actor", runEachTask) {
      work in
      Task { @SerialActor in work.holdUpOthers() }
      work.waitUntilHeldUp()
      let task = Task { @SerialActor in
        work.begins()
        work.ends()
      }
      work.recordCancellation { task.cancel() }
      work.awaitEnd(of: task)
    }
    Variant("task-running", .modern, "a task is cancelled while it runs", runEachTask) { work in
      let task = Task {
        work.begins()
        await work.suspendUntilCancelled()
        work.ends()
      }
      work.waitUntilItRuns()
      work.recordCancellation { task.cancel() }
      work.awaitEnd(of: task)
    }
    Variant("task-checked", .modern, "a task is cancelled while it runs, and calls Task.checkCancellation", runEachTask)
    {
      work in
      let task = Task {
        work.begins()
        await work.suspendUntilCancelled()
        try Task.checkCancellation()
        work.ends()
      }
      work.waitUntilItRuns()
      work.recordCancellation { task.cancel() }
      work.awaitEnd(of: task)
    }
    Variant("task-sleep", .modern, "a task is cancelled while it sleeps in Task.sleep for an hour", runEachTask) {
      work in
      let task = Task {
        work.begins()
        try await Task.sleep(for: .seconds(3600))
        work.ends()
      }
      work.waitUntilItRuns()
      work.recordCancellation { task.cancel() }
      work.awaitEnd(of: task)
    }
  }

  /// Returns an upper bound for the duration of a trial whose items end: one millisecond for each item, plus 20
  /// seconds. The probe ``runEachUnsubmittedItem(notificationWithin:)`` adds the waits for items that never end.
  func longest(_ trial: Trial) -> Duration? { .milliseconds(1) * trial[items] + .seconds(20) }
}
