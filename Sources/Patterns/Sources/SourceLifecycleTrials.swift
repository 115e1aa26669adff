import Dispatch
import Instruments

/// The measuring code that all trials share.
extension SourceLifecycle {
  /// The longest time of a trial: a handler may have to wait for a thread if the machine has none to spare, and the
  /// trial that waits for a late call waits for three seconds.
  func longest(_ trial: Trial) -> Duration? { .seconds(5) }
}

/// The ways in which a trial sends an event to a source, cancels the source, or gives it another target queue.
struct SourceControls {
  /// Sends an event.
  let add: () -> Void
  /// Cancels the source.
  let cancel: () -> Void
  /// Gives the source another target queue.
  var retarget: (DispatchQueue) -> Void = { _ in }
}

/// The life of a source that is held back or cancelled, as its handlers report it.
final class SourceLife: Sendable {
  /// The queue of the source's handlers.
  let queue = DispatchQueue(label: "events")
  /// The number of events that are sent while the source is held back.
  let events: Int
  /// Holds the handler in a run.
  let handler = Hold()
  private let bound: Duration
  private let state = WaitableValue(State())
  private let letGo = Moment()
  private let began = Moment()
  private let ended = Moment()
  private let cancelled = Moment()

  /// The events so far.
  struct Log {
    /// The number of handler runs.
    var runs = 0
    /// The number of handler runs that ended.
    var completed = 0
    /// The sum of the reported data.
    var sum: UInt = 0
    /// The number of runs that began before the source was activated or resumed.
    var early = 0
    /// The number of runs that began after `cancel` had returned.
    var afterCancel = 0
    /// The number of runs of the cancellation handler.
    var ends = 0
    /// The number of runs that began or ended after the cancellation handler had begun.
    var afterEnd = 0
  }

  private struct State {
    var log = Log()
    /// Whether the next call suspends the source.
    var suspends = true
    var isSuspended = false
    var isLetGo = false
    var isCancelled = false
  }

  /// Creates a life that has not begun.
  ///
  /// - Parameter bound: how long the trial waits for a run that must not come.
  init(events: Int, looks bound: Duration = .zero) {
    self.events = events
    self.bound = bound
  }

  // MARK: For the handlers

  /// Notes a call of the event handler with its data, and holds the call if the trial asks for that.
  func received(_ data: UInt) {
    began.set()
    state.note { state in
      state.log.runs += 1
      state.log.sum += data
      if !state.isLetGo { state.log.early += 1 }
      if state.isCancelled { state.log.afterCancel += 1 }
      if state.log.ends > 0 { state.log.afterEnd += 1 }
    }
    handler.pass()
    ended.set()
    state.note { state in
      state.log.completed += 1
      if state.log.ends > 0 { state.log.afterEnd += 1 }
    }
  }

  /// Notes a call of the event handler. The first call suspends the source instead, and does not count.
  func received(_ data: UInt, _ suspend: () -> Void) {
    let isFirst = state.note { state in
      defer { state.suspends = false }
      return state.suspends
    }
    guard isFirst else { return received(data) }
    suspend()
    state.note { $0.isSuspended = true }
  }

  /// Notes a call of the cancellation handler.
  func cancelHandler() {
    cancelled.set()
    state.note { state in
      if state.log.ends > 0 { state.log.afterEnd += 1 }
      state.log.ends += 1
    }
  }

  // MARK: For the variants

  /// Waits until the handler has suspended its source.
  func awaitSuspension() { state.wait(within: .seconds(20), until: \.isSuspended) }

  /// Watches for a short time for a handler call that must not come.
  func look() { wait(within: bound) { $0.runs > 0 } }

  /// Notes the time, and activates or resumes the source by `resume`.
  func lettingGo(_ resume: () -> Void) {
    state.note { $0.isLetGo = true }
    letGo.set()
    resume()
  }

  // MARK: For the trial

  /// Notes that `cancel` has returned.
  func cancelReturned() { state.note { $0.isCancelled = true } }

  /// The events so far.
  var log: Log { state.log }

  /// Waits until the log meets a condition.
  func wait(within patience: Duration, until isSo: @escaping @Sendable (Log) -> Bool) {
    state.wait(within: patience) { isSo($0.log) }
  }

  /// The nanoseconds from activating or resuming the source to the first run; nil if a run came before.
  var resumeToRun: UInt64? { log.early > 0 ? nil : began.since(letGo) }
  /// The nanoseconds from the end of the last run to the cancellation handler.
  var toEnd: UInt64? { cancelled.since(ended) }
}
