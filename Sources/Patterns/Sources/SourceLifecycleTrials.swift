import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// What the variants are put through.
extension SourceLifecycle {
  /// A handler may be waited for as long as a machine takes that has no thread to spare.
  func longest(_ trial: Trial) -> Duration? { .seconds(2) }

  /// Has `body` hold a source back, let news come and let the source go, again and again. It returns what ends the source.
  ///
  /// The first time, which is also the warm-up, the source is looked at for a while.
  func holdBack(_ trial: Trial, patience: Duration = .seconds(20), _ body: (SourceLife) -> () -> Void) {
    let (count, repeats) = (trial[events], trial[repeats])
    var (early, most, inexact) = (0, 0, 0)
    var times: [UInt64?] = []
    for repeated in 0...repeats {
      let life = SourceLife(events: count, looks: repeated == 0 ? .milliseconds(10) : .zero)
      let end = body(life)
      life.wait(within: patience) { $0.sum >= UInt(count) }
      life.queue.drainSources()
      end()
      let log = life.log
      early += log.early
      most = max(most, log.runs - log.early)
      if log.sum != UInt(count) { inexact += 1 }
      if repeated > 0 { times.append(life.resumeToRun) }
    }
    trial.record(callsWhileSuspended, early)
    trial.record(handlerCalls, most)
    trial.record(wrongSums, inexact)
    trial.record(resumeToRun, times)
  }

  /// Cancels a source while its handler runs and news waits, and goes on with news.
  func cancelRunning(_ trial: Trial, patience: Duration = .seconds(20), _ make: (SourceLife) -> HeldSource) {
    let (count, repeats) = (trial[events], trial[repeats])
    var (new, stopped, notOnce, notLast) = (0, 0, 0, 0)
    var times: [UInt64?] = []
    for repeated in 0...repeats {
      let life = SourceLife(events: count)
      let source = make(life)
      life.handler.holdNext()
      source.add()
      life.wait(within: patience) { $0.runs > 0 }
      for _ in 0..<count { source.add() }
      source.cancel()
      life.cancelReturned()
      for _ in 0..<count { source.add() }
      life.handler.release()
      life.wait(within: patience) { $0.ends > 0 }
      source.add()
      life.queue.drainSources()
      let log = life.log
      new += log.afterCancel
      stopped += log.runs - log.completed
      if log.ends != 1 { notOnce += 1 }
      if log.afterEnd > 0 { notLast += 1 }
      if repeated > 0 { times.append(life.toEnd) }
    }
    trial.record(beganAfterCancel, new)
    trial.record(cutShort, stopped)
    trial.record(cancelHandlerNotOnce, notOnce)
    trial.record(ranAfterCancelHandler, notLast)
    trial.record(toCancelHandler, times)
  }

  /// Gives a source another queue while its handler waits in the old one, and goes on with news.
  func retargetWaiting(_ trial: Trial, patience: Duration = .seconds(20), _ make: (SourceLife) -> HeldSource) {
    var (moved, stray) = (0, 0)
    for _ in 0..<trial[repeats] {
      let life = SourceLife(events: 1)
      let source = make(life)
      let other = DispatchQueue(label: "new")
      life.name(life.queue, .old)
      life.name(other, .new)
      let hold = life.queue.hold()
      source.add()
      source.retarget(other)
      hold.release()
      life.wait(within: patience) { $0.runs > 0 }
      source.add()
      life.wait(within: patience) { $0.runs > 1 }
      source.cancel()
      let places = life.log.places
      if places.first != .old { moved += 1 }
      stray += places.count { $0 == nil }
    }
    trial.record(ranOnNewQueue, moved)
    trial.record(ranElsewhere, stray)
  }

  /// Removes a source of the C functions while its handler runs, which uses the context.
  ///
  /// - Parameter frees: how long a context is waited for that nobody frees.
  func cancelInUse(
    _ trial: Trial, frees: Duration = .seconds(20),
    _ make: (SourceContext, _ queue: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    remove: (UnsafeMutableRawPointer?, SourceContext) -> Void
  ) {
    var (used, notFreed) = (0, 0)
    for _ in 0..<trial[repeats] {
      let context = SourceContext()
      let queue = FunctionQueue(label: "events")
      let source = make(context, queue.object)
      gcdlab_dispatch_source_merge_data(source, 1)
      context.state.wait(within: .seconds(20)) { $0.uses > 0 }
      remove(source, context)
      context.handler.release()
      context.state.wait(within: frees) { $0.frees > 0 }
      // What runs still has come to its end.
      gcdlab_dispatch_sync_f(queue.object, nil) { _ in }
      used += context.state.usesOfFreed
      if context.state.frees != 1 { notFreed += 1 }
    }
    trial.record(useAfterFree, used)
    trial.record(notFreedOnce, notFreed)
  }

  /// Has a source tell news that has its queue for itself, and lets the source go. The first is looked at for a while before.
  ///
  /// - Parameter leaves: how long a queue is waited for that is not freed.
  func keepQueue(_ trial: Trial, leaves: Duration = .seconds(20), _ make: (SourceLife) -> HeldSource) {
    var (gone, left) = (0, 0)
    for repeated in 0..<trial[repeats] {
      let life = SourceLife(events: 1, looks: repeated == 0 ? .milliseconds(10) : .zero)
      do {
        let source = make(life)
        life.look()
        source.add()
        life.wait(within: .seconds(20)) { $0.runs > 0 }
        if life.state.isQueueGone || !life.log.wasInQueue { gone += 1 }
        source.cancel()
      }
      if !life.state.wait(within: leaves, until: \.isQueueGone) { left += 1 }
    }
    trial.record(queueFreedEarly, gone)
    trial.record(queueLeaked, left)
  }

  /// Has a source made and dropped while its handler waits, and then lets the handler run if it does.
  ///
  /// - Parameter leaves: how long a queue is waited for that is not freed.
  func dropWaiting(_ trial: Trial, leaves: Duration = .seconds(20), _ make: (SourceLife) -> Void) {
    var (ran, left) = (0, 0)
    for _ in 0..<trial[repeats] {
      let life = SourceLife(events: 1)
      let hold = life.queue.hold()
      make(life)
      hold.release()
      if !life.state.wait(within: leaves, until: \.isQueueGone) { left += 1 }
      life.queue.drainSources()
      if life.log.runs > 0 { ran += 1 }
    }
    trial.record(handlerRan, ran)
    trial.record(queueLeaked, left)
  }
}

/// What a trial does with a source.
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
  /// Where its handlers run.
  let queue = DispatchQueue(label: "events")
  /// How many pieces of news there are while it is held back.
  let events: Int
  /// By which something belongs to its queue.
  let key = DispatchSpecificKey<Owned>()
  private let place = DispatchSpecificKey<Place>()
  /// Holds its handler in a run.
  let handler = Hold()
  fileprivate let state = Noted(State())
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

  fileprivate struct State {
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

  /// The handler is told this.
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
    let isFirst = state.update { state in
      defer { state.suspends = false }
      return state.suspends
    }
    guard isFirst else { return received(data) }
    suspend()
    isSuspended.signal()
  }

  /// The cancel handler runs.
  func cancelHandler() {
    cancelled.set()
    state.note { state in
      if state.log.ends > 0 { state.log.afterEnd += 1 }
      state.log.ends += 1
    }
  }

  /// The queue was freed.
  func queueWent() {
    state.note { $0.isQueueGone = true }
    comesEarly.open()
  }

  // MARK: For the variants

  /// Waits until the handler has suspended its source.
  func awaitSuspension() { isSuspended.wait() }

  /// Looks at what must not come, until it does or the time for it is over.
  func look() {
    comesEarly.restHasFinished()
    comesEarly.pass()
  }

  /// Lets the source go.
  func lettingGo(_ resume: () -> Void) {
    state.update { $0.isLetGo = true }
    letGo.set()
    resume()
  }

  // MARK: For the trial

  /// Gives a queue a name that its blocks can see.
  func name(_ queue: DispatchQueue, _ name: Place) { queue.setSpecific(key: place, value: name) }

  /// Notes that cancel has returned.
  func cancelReturned() { state.update { $0.isCancelled = true } }

  /// What happened so far.
  var log: Log { state.log }

  /// Waits until it has come so far.
  func wait(within patience: Duration, until isSo: (Log) -> Bool) { state.wait(within: patience) { isSo($0.log) } }

  /// Nanoseconds from letting the source go to the first run; nil when it came before.
  var resumeToRun: UInt64? { log.early > 0 ? nil : began.since(letGo) }
  /// Nanoseconds from the end of the last run to the cancel handler.
  var toEnd: UInt64? { cancelled.since(ended) }
}

/// What the context of a source points to. It is never really freed: a handler that uses it then is to be counted.
final class SourceContext: Sendable {
  fileprivate struct State {
    var uses = 0
    var frees = 0
    var usesOfFreed = 0
  }
  fileprivate let state = Noted(State())
  /// Holds a handler that uses it.
  fileprivate let handler = Hold()

  /// A context that the next handler uses until it is let go.
  init() { handler.holdNext() }

  /// What a context points to.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// What a context points to.
  static func at(_ context: UnsafeMutableRawPointer?) -> SourceContext {
    guard let context else { return SourceContext() }
    return Unmanaged<SourceContext>.fromOpaque(context).takeUnretainedValue()
  }

  /// A handler uses it, in the beginning and in the end.
  func use() {
    touch()
    handler.pass()
    touch()
  }

  private func touch() {
    state.note { state in
      state.uses += 1
      if state.frees > 0 { state.usesOfFreed += 1 }
    }
  }

  /// It is freed.
  func free() { state.note { $0.frees += 1 } }
}
