import Dispatch
import Instruments

/// What all trials share.
extension SourceLifecycle {
  /// A handler may be waited for as long as a machine takes that has no thread to spare.
  func longest(_ trial: Trial) -> Duration? { .seconds(2) }
}

/// How a trial sends an event to a source, cancels it, or gives it another target queue.
struct HeldSource {
  /// Passes a piece of news on.
  let add: () -> Void
  /// Cancels it.
  let cancel: () -> Void
  /// Gives it another queue.
  var retarget: (DispatchQueue) -> Void = { _ in }
}

/// The life of a source, as its handlers tell it.
final class SourceLife: Sendable {
  /// The queue of the source's handlers.
  let queue = DispatchQueue(label: "events")
  /// The number of events that are sent while the source is held back.
  let events: Int
  /// The key by which an object belongs to the source's own queue.
  let key = DispatchSpecificKey<Owned>()
  private let place = DispatchSpecificKey<Place>()
  /// Holds its handler in a run.
  let handler = Hold()
  let state = Noted(State())
  private let isSuspended = DispatchSemaphore(value: 0)
  private let comesEarly: BoundedGate
  private let letGo = Moment()
  private let began = Moment()
  private let ended = Moment()
  private let cancelled = Moment()

  /// One of two queues.
  enum Place: Sendable { case old, new }

  /// What happened so far.
  struct Log {
    /// Handler runs.
    var runs = 0
    /// Those that went on to their end.
    var completed = 0
    /// The sum of what was told.
    var sum: UInt = 0
    /// Runs that began before the source was let go.
    var early = 0
    /// Runs that began when cancel had returned.
    var afterCancel = 0
    /// Runs of the cancel handler.
    var ends = 0
    /// What began or ended when the cancel handler had begun.
    var afterEnd = 0
    /// Where the handler ran.
    var places: [Place?] = []
    /// Whether the queue that ran the handler was the source's own.
    var wasInQueue = false
  }

  struct State {
    var log = Log()
    var suspends = true
    var isLetGo = false
    var isCancelled = false
    var isQueueGone = false
  }

  /// A life that has not begun.
  ///
  /// - Parameter bound: how long a run is waited for that must not come.
  init(events: Int, looks bound: Duration = .zero) {
    self.events = events
    comesEarly = BoundedGate(bound: bound)
  }

  // MARK: For the handlers

  /// Notes a call of the event handler with its data, and holds it where the trial says so.
  func received(_ data: UInt) {
    let (place, isOwn) = (DispatchQueue.getSpecific(key: place), DispatchQueue.getSpecific(key: key) != nil)
    began.set()
    state.note { state in
      state.log.runs += 1
      state.log.sum += data
      state.log.places.append(place)
      state.log.wasInQueue = isOwn
      if !state.isLetGo { state.log.early += 1 }
      if state.isCancelled { state.log.afterCancel += 1 }
      if state.log.ends > 0 { state.log.afterEnd += 1 }
    }
    comesEarly.open()
    handler.pass()
    ended.set()
    state.note { state in
      state.log.completed += 1
      if state.log.ends > 0 { state.log.afterEnd += 1 }
    }
  }

  /// The same; the first time it suspends the source, and that is not counted.
  func received(_ data: UInt, _ suspend: () -> Void) {
    let isFirst = state.note { state in
      defer { state.suspends = false }
      return state.suspends
    }
    guard isFirst else { return received(data) }
    suspend()
    isSuspended.signal()
  }

  /// Notes a call of the cancel handler.
  func cancelHandler() {
    cancelled.set()
    state.note { state in
      if state.log.ends > 0 { state.log.afterEnd += 1 }
      state.log.ends += 1
    }
  }

  /// Notes that the source's queue was freed.
  func queueWent() {
    state.note { $0.isQueueGone = true }
    comesEarly.open()
  }

  // MARK: For the variants

  /// Waits until the handler has suspended its source.
  func awaitSuspension() { isSuspended.wait() }

  /// Watches for a short time for a handler call that must not come.
  func look() {
    comesEarly.restHasFinished()
    comesEarly.pass()
  }

  /// Notes the time, and activates or resumes the source by `resume`.
  func lettingGo(_ resume: () -> Void) {
    state.note { $0.isLetGo = true }
    letGo.set()
    resume()
  }

  // MARK: For the trial

  /// Gives a queue a name that its blocks can see.
  func name(_ queue: DispatchQueue, _ name: Place) { queue.setSpecific(key: place, value: name) }

  /// Notes that cancel has returned.
  func cancelReturned() { state.note { $0.isCancelled = true } }

  /// What happened so far.
  var log: Log { state.log }

  /// Waits until it has come so far.
  func wait(within patience: Duration, until isSo: @escaping @Sendable (Log) -> Bool) {
    state.wait(within: patience) { isSo($0.log) }
  }

  /// Nanoseconds from letting the source go to the first run; nil when it came before.
  var resumeToRun: UInt64? { log.early > 0 ? nil : began.since(letGo) }
  /// Nanoseconds from the end of the last run to the cancel handler.
  var toEnd: UInt64? { cancelled.since(ended) }
}
