import Dispatch
import Instruments

/// The estimated duration of a trial, which is the same for all variants of this pattern.
extension SourceLifecycle {
  /// Returns the longest time that a trial takes on an idle machine. A handler may have to wait for a free thread, and
  /// a trial waits up to three seconds for a late handler call.
  func longest(_ trial: Trial) -> Duration? { .seconds(5) }
}

/// Closures that send an event to a source, cancel the source, and change its target queue.
struct SourceControls {
  /// A closure that sends an event.
  let add: () -> Void
  /// A closure that cancels the source.
  let cancel: () -> Void
  /// A closure that sets the target queue of the source. The default closure does nothing.
  var retarget: (DispatchQueue) -> Void = { _ in }
}

/// A record of the handler calls of a source that the trial activates, suspends or cancels.
final class SourceLife: Sendable {
  /// The queue of the source's handlers.
  let queue = DispatchQueue(label: "events")
  /// The number of events that are sent before the handler may run.
  let events: Int
  /// The hold that blocks a call of the event handler.
  let handler = Hold()
  private let limit: Duration
  private let state = WaitableValue(State())
  private let resumption = Moment()
  private let firstBegan = Moment()
  private let ended = Moment()
  private let cancelled = Moment()

  /// The counts of the handler calls so far.
  struct Log {
    /// The number of event handler calls.
    var runs = 0
    /// The number of event handler calls that ended.
    var completed = 0
    /// The sum of the data that the event handler received.
    var sum: UInt = 0
    /// The number of event handler calls that began before the source was activated or resumed.
    var early = 0
    /// The number of event handler calls that began after `cancel` had returned.
    var afterCancel = 0
    /// The number of cancellation handler calls.
    var ends = 0
    /// The number of times that a handler call began, or that an event handler call ended, after the first cancellation
    /// handler call had begun.
    var afterEnd = 0
  }

  private struct State {
    var log = Log()
    /// Whether the next call suspends the source.
    var suspends = true
    var isSuspended = false
    var isResumed = false
    var isCancelled = false
  }

  /// Creates a record without handler calls.
  ///
  /// - Parameters:
  ///   - events: the number of events that are sent before the handler may run.
  ///   - limit: the maximum time for which ``look()`` waits for a handler call.
  init(events: Int, observedFor limit: Duration = .zero) {
    self.events = events
    self.limit = limit
  }

  // MARK: For the handlers

  /// Records a call of the event handler with its data, and blocks the call if the trial holds the handler.
  func received(_ data: UInt) {
    // The calls of a source's handler do not overlap.
    if !firstBegan.isSet { firstBegan.set() }
    let isHeld = state.note { state in
      state.log.runs += 1
      state.log.sum += data
      if !state.isResumed { state.log.early += 1 }
      if state.isCancelled { state.log.afterCancel += 1 }
      if state.log.ends > 0 { state.log.afterEnd += 1 }
      return handler.catches()
    }
    if isHeld { handler.stay() }
    ended.set()
    state.note { state in
      state.log.completed += 1
      if state.log.ends > 0 { state.log.afterEnd += 1 }
    }
  }

  /// Executes `suspend` at the first call of the event handler, and records all later calls.
  func received(_ data: UInt, _ suspend: () -> Void) {
    let isFirst = state.note { state in
      defer { state.suspends = false }
      return state.suspends
    }
    guard isFirst else { return received(data) }
    suspend()
    state.note { $0.isSuspended = true }
  }

  /// Records a call of the cancellation handler.
  func cancelHandler() {
    cancelled.set()
    state.note { state in
      if state.log.ends > 0 { state.log.afterEnd += 1 }
      state.log.ends += 1
    }
  }

  // MARK: For the variants

  /// Waits until the handler has suspended its source, but no longer than 20 seconds.
  func awaitSuspension() { state.wait(within: .seconds(20), until: \.isSuspended) }

  /// Waits for a handler call, but no longer than the time limit that the initializer received. No handler call may
  /// happen before the source is activated or resumed.
  func look() { wait(within: limit) { $0.runs > 0 } }

  /// Records the time, and executes `resume`, which activates or resumes the source or unblocks its queue.
  func lettingGo(_ resume: () -> Void) {
    state.note { $0.isResumed = true }
    resumption.set()
    resume()
  }

  // MARK: For the trial

  /// Records that `cancel` has returned.
  func cancelReturned() { state.note { $0.isCancelled = true } }

  /// The counts of the handler calls so far.
  var log: Log { state.log }

  /// Waits until the log meets a condition, but no longer than `patience`.
  func wait(within patience: Duration, until condition: @escaping @Sendable (Log) -> Bool) {
    state.wait(within: patience) { condition($0.log) }
  }

  /// The nanoseconds from ``lettingGo(_:)`` to the beginning of the first handler call; nil if that call began before
  /// ``lettingGo(_:)``, or if no call began.
  var resumeToRun: UInt64? { log.early > 0 ? nil : firstBegan.since(resumption) }
  /// The nanoseconds from the end of the last event handler call to the cancellation handler call; nil if either
  /// call is missing.
  var toEnd: UInt64? { cancelled.since(ended) }
}
