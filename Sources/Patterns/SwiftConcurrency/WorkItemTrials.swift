import Dispatch
import Instruments
import Synchronization

extension WorkItem {
  /// A probe that runs the variant's body for each work item in turn, and records how many items began, ended and
  /// notified their waiters.
  var runEachItem: Probe<@Sendable (CancelledWork) -> Void> {
    Probe(reads: [items], records: runs + [waitTimedOut, unflagged, cancelLatency]) { trial, body in
      let results = try each(trial, body)
      trial.record(waitTimedOut, results.notWaited)
      trial.record(unflagged, results.unflagged)
      trial.record(cancelLatency, results.notificationTimes)
    }
  }

  /// A probe that runs the variant's body for each task in turn, and records how many tasks began, ended and resumed
  /// the awaiting task.
  var runEachTask: Probe<@Sendable (CancelledWork) -> Void> {
    Probe(reads: [items], records: runs + [cancelLatency]) { trial, body in
      trial.record(cancelLatency, try each(trial, body).notificationTimes)
    }
  }

  /// Returns a probe for a body that creates a work item without submitting it. The item is freed when the body
  /// returns.
  ///
  /// - Parameter limit: the longest time that the trial waits for a notification after an item is freed.
  func runEachUnsubmittedItem(
    notificationWithin limit: Duration = CancelledWork.limit
  ) -> Probe<@Sendable (CancelledWork, _ patience: Duration) -> Void> {
    Probe(
      reads: [items, patience], records: runs + [waitTimedOut, notNotifiedWhenFreed],
      // The trial waits twice for each item and for the warm-up: for the end of the item, and for its notify block.
      longest: { trial in (longest(trial) ?? .zero) + trial[patience] * (2 * (trial[items] + 1)) }
    ) { trial, body in
      let patience = trial[patience]
      let results = try each(trial, notificationWithin: limit) { body($0, patience) }
      trial.record(waitTimedOut, results.notWaited)
      trial.record(notNotifiedWhenFreed, results.notNotifiedWhenFreed)
    }
  }

  /// The metrics of every trial that ends.
  private var runs: [any Declaration] { [ran, skipped, finished, cutShort, unfinished, notCutShort, notNotified] }

  private struct ItemResults {
    var (ran, finished, cutShort, notWaited, unflagged, notNotified, notNotifiedWhenFreed) = (0, 0, 0, 0, 0, 0, 0)
    var notificationTimes: [UInt64] = []
  }

  private func each(
    _ trial: Trial, notificationWithin limit: Duration = .zero, _ body: (CancelledWork) -> Void
  ) throws -> ItemResults {
    try SystemThread.requireCapacity(for: 8)
    let count = trial[items]
    // The first use of a queue and of the pool is expensive, so the first item is a warm-up.
    body(CancelledWork())
    var results = ItemResults()
    for _ in 0..<count {
      let work = CancelledWork()
      body(work)
      if work.hasBegun { results.ran += 1 }
      if work.hasEnded { results.finished += 1 }
      if work.wasCutShort { results.cutShort += 1 }
      if !work.waitSucceeded { results.notWaited += 1 }
      if !work.reportsCancellation { results.unflagged += 1 }
      let time = work.notificationTime
      if let time { results.notificationTimes.append(time) } else { results.notNotified += 1 }
      if time != nil || !work.isNotified(within: limit) { results.notNotifiedWhenFreed += 1 }
    }
    trial.record(ran, results.ran)
    trial.record(skipped, count - results.ran)
    trial.record(finished, results.finished)
    trial.record(cutShort, results.cutShort)
    trial.record(unfinished, count - results.finished)
    trial.record(notCutShort, count - results.cutShort)
    trial.record(notNotified, results.notNotified)
    return results
  }
}

/// A work item or task that is cancelled, with records of its progress.
final class CancelledWork: Sendable {
  /// The maximum time that a trial waits for an expected event.
  static let limit = Duration.seconds(20)

  /// The queue of the notify blocks.
  let notifyQueue = DispatchQueue(label: "notify")
  private let begun = Moment()
  private let ended = Moment()
  private let cancelled = Moment()
  private let notified = Moment()
  private let beginSignal = DispatchSemaphore(value: 0)
  private let holdUpSignal = DispatchSemaphore(value: 0)
  private let notificationSignal = DispatchSemaphore(value: 0)
  private let cancellationGate = TimedGate()
  private let outcome = Mutex((waitSucceeded: false, reportsCancellation: false, notificationTime: UInt64?.none))

  // MARK: For the code that runs

  /// Records that the item begins to run.
  func begins() {
    begun.set()
    beginSignal.signal()
  }
  /// Records that the item has run to its end.
  func ends() { ended.set() }
  /// Blocks the queue or actor until the item under test is cancelled. Later items wait during this time.
  func holdUpOthers() {
    holdUpSignal.signal()
    cancellationGate.wait()
  }
  /// Blocks the item until it is cancelled.
  func blockUntilCancelled() { cancellationGate.wait() }
  /// Suspends the task until it is cancelled.
  func suspendUntilCancelled() async { await cancellationGate.wait() }
  /// Records that the notify block runs, or that the awaiting task has resumed.
  func recordNotification() {
    notified.set()
    notificationSignal.signal()
  }

  // MARK: For the code that cancels

  /// Waits until ``holdUpOthers()`` blocks the queue or actor, but no longer than 20 seconds.
  func waitUntilHeldUp() { holdUpSignal.wait(within: Self.limit) }
  /// Waits until the item runs, but no longer than 20 seconds.
  func waitUntilItRuns() { beginSignal.wait(within: Self.limit) }
  /// Executes `cancel`, which cancels the item, and then releases the blocks and tasks that wait for the cancellation.
  func recordCancellation(_ cancel: () -> Void) {
    cancelled.set()
    cancel()
    cancellationGate.open()
  }
  /// Waits until `item` has ended, but no longer than `limit`, and records whether `item` then reports that it is
  /// cancelled. Then waits up to `limit` for its notify block.
  func wait(for item: DispatchWorkItem, within limit: Duration = limit) {
    let result = item.wait(timeout: .after(limit))
    let isCancelled = item.isCancelled
    outcome.withLock { outcome in
      outcome.waitSucceeded = result == .success
      outcome.reportsCancellation = isCancelled
    }
    awaitNotification(within: limit)
  }
  /// Awaits `task` in another task, and waits until the awaiting task has resumed, but no longer than 20 seconds.
  func awaitEnd<Failure>(of task: Task<Void, Failure>) {
    Task {
      _ = await task.result
      recordNotification()
    }
    awaitNotification(within: Self.limit)
  }

  private func awaitNotification(within limit: Duration) {
    guard isNotified(within: limit) else { return }
    outcome.withLock { $0.notificationTime = notified.since(cancelled) }
  }

  // MARK: Results

  /// Whether the item began to run.
  var hasBegun: Bool { begun.isSet }
  /// Whether the item ran to its end.
  var hasEnded: Bool { ended.isSet }
  /// Whether `wait` returned because the item had ended.
  var waitSucceeded: Bool { outcome.withLock { $0.waitSucceeded } }
  /// Whether the item began, and has returned before its end. A task has returned if its awaiter has resumed.
  var wasCutShort: Bool { hasBegun && !hasEnded && (waitSucceeded || notificationTime != nil) }
  /// Whether the item reported that it is cancelled after the wait for its end.
  var reportsCancellation: Bool { outcome.withLock { $0.reportsCancellation } }
  /// The nanoseconds from the cancellation until the notify block ran or the awaiting task resumed; nil if neither
  /// happened during the wait.
  var notificationTime: UInt64? { outcome.withLock { $0.notificationTime } }
  /// Waits until the notify block has run or the awaiting task has resumed, but no longer than `limit`. Returns whether
  /// one of these events happened.
  func isNotified(within limit: Duration) -> Bool {
    guard notificationSignal.wait(within: limit) else { return false }
    notificationSignal.signal()
    return true
  }
}

/// A weak reference through which a block accesses its own work item.
///
/// Conformance to `Sendable` is unchecked: the item is stored before it is submitted, and only read afterwards.
final class WeakWorkItem: @unchecked Sendable {
  /// The work item; nil until the item is stored, and once the item is freed.
  weak var item: DispatchWorkItem?
}
