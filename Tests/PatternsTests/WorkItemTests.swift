import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct WorkItemTests {
  private static let pattern = WorkItem()
  private static let few: [String: ParameterValue] = ["items": .integer(3)]

  @Test(
    arguments: [
      ("cancel-queued", 0, 0), ("cancel-running", 3, 3), ("cancel-checked", 3, 0), ("never-submitted", 0, 0),
      ("task-queued", 3, 3), ("task-running", 3, 3), ("task-checked", 3, 0), ("task-sleep", 3, 0),
    ])
  func `the expected numbers of work items run and end`(_ variant: String, _ ran: Int, _ finished: Int) async throws {
    // The process is the test's own, so that no other test uses the threads of Swift's pool.
    await #expect(processExitsWith: .success) {
      [variant = variant as String, ran = ran as Int, finished = finished as Int] in
      var settings = Self.few
      if variant == "never-submitted" { settings["patience"] = .integer(0) }
      let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, settings)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("ran") == ran && attempt.total("skipped") == 3 - ran)
      #expect(attempt.total("finished") == finished && attempt.total("cut-short") == ran - finished)
      #expect(attempt.total("unfinished") == 3 - finished && attempt.total("not-cut-short") == 3 - (ran - finished))
      let isNotified = variant != "never-submitted"
      #expect(attempt.total("not-notified") == (isNotified ? 0 : 3))
      if !variant.hasPrefix("task") { #expect(attempt.total("wait-timed-out") == (isNotified ? 0 : 3)) }
      #expect(attempt.areAll(.held, .witnessed))
    }
  }

  @Test func `a work item's weak reference to itself does not retain it`() {
    let own = WeakWorkItem()
    do {
      let item = DispatchWorkItem {}
      own.item = item
      #expect(own.item === item)
    }
    #expect(own.item == nil)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    func red(_ check: String, _ body: @escaping @Sendable (CancelledWork) -> Void) -> Red {
      Red(check, String(check.prefix { $0 != "." }), of: pattern, few) { trial in
        if trial.variant == "never-submitted" {
          try pattern.runEachUnsubmittedItem(notificationWithin: .milliseconds(1))(trial) { work, _ in body(work) }
        } else if trial.variant.hasPrefix("task") {
          try pattern.runEachTask(trial, body)
        } else {
          try pattern.runEachItem(trial, body)
        }
      }
    }
    /// Submits a work item that is not cancelled.
    @Sendable func isNotCancelled(_ work: CancelledWork) {
      let item = DispatchWorkItem {
        work.begins()
        work.ends()
      }
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      DispatchQueue(label: "items").async(execute: item)
      work.recordCancellation {}
      work.wait(for: item)
    }
    /// Creates a work item that is neither submitted nor reported.
    @Sendable func isForgotten(_ work: CancelledWork) {
      let item = DispatchWorkItem {}
      work.recordCancellation { item.cancel() }
      work.wait(for: item, within: .milliseconds(1))
    }
    /// Cancels a work item while another block of its queue runs, so that the item is skipped.
    @Sendable func isSkipped(_ work: CancelledWork) {
      let queue = DispatchQueue(label: "items")
      queue.async { work.holdUpOthers() }
      let item = DispatchWorkItem { work.begins() }
      item.notify(queue: work.notifyQueue) { work.recordNotification() }
      queue.async(execute: item)
      work.recordCancellation { item.cancel() }
      work.wait(for: item)
    }
    /// Returns a body that drops every other work item, so that the remaining items are recorded.
    func isForgottenEveryOtherTime() -> @Sendable (CancelledWork) -> Void {
      let turns = RoundRobin(count: 2)
      return { work in turns.next() == 0 ? isForgotten(work) : isSkipped(work) }
    }
    /// Executes a task that stops once it is cancelled.
    @Sendable func looks(_ work: CancelledWork) {
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
    /// Executes a task that ignores its cancellation.
    @Sendable func doesNotLook(_ work: CancelledWork) {
      let task = Task {
        work.begins()
        work.ends()
      }
      work.recordCancellation { task.cancel() }
      work.awaitEnd(of: task)
    }
    /// Returns a body whose every other task has not returned when its result is recorded, as a sleep that its
    /// cancellation does not end. The remaining tasks are recorded.
    func sleepsOnEveryOtherTime() -> @Sendable (CancelledWork) -> Void {
      let turns = RoundRobin(count: 2)
      return { work in
        guard turns.next() == 0 else { return looks(work) }
        work.begins()
        work.recordCancellation {}
      }
    }
    return [
      red("cancel-queued.ran == 0", isNotCancelled),
      red("cancel-queued.wait-timed-out == 0", isForgottenEveryOtherTime()),
      red("cancel-running.unfinished == 0", looks), red("cancel-running.unfinished == 0", isSkipped),
      red("cancel-running.unflagged == 0", isNotCancelled),
      red("cancel-checked.not-cut-short == 0", isNotCancelled), red("cancel-checked.not-cut-short == 0", isSkipped),
      red("never-submitted.wait-timed-out > 0", isSkipped), red("never-submitted.not-notified > 0", isSkipped),
      Red("wait-twice.trapped == 1", "wait-twice", of: pattern) { _ in
        let item = DispatchWorkItem {}
        DispatchQueue(label: "items").async(execute: item)
        item.wait()
      },
      red("task-queued.skipped == 0", isSkipped), red("task-queued.unfinished == 0", looks),
      red("task-queued.unfinished == 0", isSkipped), red("task-running.unfinished == 0", looks),
      red("task-checked.not-cut-short == 0", doesNotLook), red("task-checked.not-cut-short == 0", isSkipped),
      red("task-sleep.not-cut-short == 0", doesNotLook), red("task-sleep.not-cut-short == 0", sleepsOnEveryOtherTime()),
    ]
      + [
        "cancel-queued.not-notified == 0", "cancel-running.not-notified == 0", "cancel-checked.not-notified == 0",
        "task-checked.not-notified == 0",
      ].map { red($0, isForgottenEveryOtherTime()) } + [
        red("never-submitted.not-notified-when-freed == 0", isForgotten),
        // The notify block runs before the item is freed.
        red("never-submitted.not-notified-when-freed == 0", isSkipped),
      ]
  }
}
