import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// The code that cancels sources while their handler is held or is called continuously.
extension SourceLifecycle {
  /// A closure that creates a source to be cancelled while its handler is held.
  typealias Make = @Sendable (SourceLife) -> SourceControls

  /// A probe that cancels each source in turn while a handler call is held and events are pending, and then sends
  /// further events.
  var cancelWhileRunning: Probe<Make> {
    Probe(
      reads: [repeats, events],
      records: [beganAfterCancel, cutShort, cancelHandlerNotOnce, ranAfterCancelHandler, toCancelHandler]
    ) { trial, make in
      let count = trial[events]
      let all = (0...trial[repeats]).map { _ in
        let life = SourceLife(events: count)
        let source = make(life)
        life.handler.holdNext()
        source.add()
        life.wait(within: .seconds(20)) { $0.runs > 0 }
        for _ in 0..<count { source.add() }
        source.cancel()
        life.cancelReturned()
        for _ in 0..<count { source.add() }
        life.handler.release()
        life.wait(within: .seconds(20)) { $0.ends > 0 }
        source.add()
        life.queue.drainSources()
        return (log: life.log, toEnd: life.toEnd)
      }
      trial.record(beganAfterCancel, all.sum { $0.log.afterCancel })
      trial.record(cutShort, all.sum { $0.log.runs - $0.log.completed })
      trial.record(cancelHandlerNotOnce, all.count { $0.log.ends != 1 })
      trial.record(ranAfterCancelHandler, all.count { $0.log.afterEnd > 0 })
      trial.record(toCancelHandler, all.dropFirst().map { $0.toEnd })
    }
  }

  /// A closure that creates a source whose handler is called continuously.
  typealias MakeBusy = @Sendable (BusySource) -> SourceControls

  /// Returns a probe that cancels sources in turn, each at a random moment while its handler is called continuously,
  /// until a call begins after `cancel` has returned.
  ///
  /// Dispatch checks whether the source is cancelled and then calls the handler. Another thread may call `cancel`
  /// between the check and the handler call. The trial cannot hold a thread at that point, so the trial repeats until a
  /// late call happens by chance. If no late call happens within `patience`, the trial is unavailable. This result is
  /// not evidence that late calls cannot happen.
  func cancelUntilLate(within patience: Duration = .seconds(3)) -> Probe<MakeBusy> {
    Probe(records: [beganAfterCancel, sourcesCancelled]) { trial, make in
      guard try cancelEach(trial, atMost: .max, within: patience, make) else {
        throw Unavailable("no handler call began after the return of cancel")
      }
    }
  }

  /// A probe that cancels sources until a late handler call happens, but no more than 20 × ``repeats`` sources.
  var cancelManyTimes: Probe<MakeBusy> {
    Probe(reads: [repeats], records: [beganAfterCancel, sourcesCancelled]) { trial, make in
      try cancel(sources: 20 * trial[repeats])(trial, make)
    }
  }

  /// Returns a probe that cancels `count` sources, or fewer if a late handler call happens.
  func cancel(sources count: Int) -> Probe<MakeBusy> {
    Probe(records: [beganAfterCancel, sourcesCancelled]) { trial, make in
      _ = try cancelEach(trial, atMost: count, within: .seconds(3600), make)
    }
  }

  /// Cancels sources until a handler call begins late, `sources` sources have been cancelled, or `patience` has passed.
  /// Records the numbers of late calls and of cancelled sources.
  ///
  /// - Returns: true if a handler call began late.
  private func cancelEach(
    _ trial: Trial, atMost sources: Int, within patience: Duration, _ make: MakeBusy
  ) throws -> Bool {
    let end = MonotonicClock.now() + patience.nanoseconds
    var random = SplitMix64(seed: trial.seed)
    var (late, cancelled) = (0, 0)
    while late == 0, cancelled < sources, MonotonicClock.now() < end {
      let busy = BusySource()
      let source = make(busy)
      source.add()
      try busy.awaitFirstCall()
      blockThread(for: .nanoseconds(Int.random(in: 0..<50_000, using: &random)))
      source.cancel()
      busy.cancelReturned()
      try busy.awaitEnd()
      cancelled += 1
      late = busy.late.count
    }
    trial.record(beganAfterCancel, late)
    trial.record(sourcesCancelled, cancelled)
    return late > 0
  }

  /// Returns a probe that cancels sources and counts the uses of a freed context. Dispatch's C functions create the
  /// sources, and each source is cancelled while a handler call is held.
  ///
  /// - Parameter frees: the maximum time to wait until a context is freed.
  func cancelInUse(
    frees: Duration = .seconds(20)
  ) -> Probe<@Sendable (SourceContext, _ queue: UnsafeMutableRawPointer) -> SourceControls> {
    Probe(reads: [repeats], records: [useAfterFree, notFreedOnce]) { trial, make in
      var (used, notFreed) = (0, 0)
      for _ in 0..<trial[repeats] {
        let context = SourceContext()
        let queue = FunctionQueue(label: "events")
        let source = make(context, queue.object)
        source.add()
        context.state.wait(within: .seconds(20)) { $0.uses > 0 }
        source.cancel()
        context.handler.release()
        context.state.wait(within: frees) { $0.frees > 0 }
        // This call returns after every running handler has ended.
        gcdlab_dispatch_sync_f(queue.object, nil) { _ in }
        used += context.state.usesOfFreed
        if context.state.frees != 1 { notFreed += 1 }
      }
      trial.record(useAfterFree, used)
      trial.record(notFreedOnce, notFreed)
    }
  }
}

/// A record of a source whose handler is called continuously. The handlers report their calls without locks or waits,
/// since these would change the time between Dispatch's check and the handler call.
final class BusySource: Sendable {
  /// The serial queue of the source's handlers.
  let queue = DispatchQueue(label: "events")
  private let isCancelled = Atomic(false)
  private let isCalled = Atomic(false)
  private let firstCall = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)

  /// Creates a record of a source that is not cancelled.
  init() {}

  // MARK: For the handlers

  /// Records a call of the event handler, and returns whether `cancel` had already returned.
  @discardableResult func handlerBegan() -> Bool {
    let isLate = isCancelled.load(ordering: .sequentiallyConsistent)
    if isLate { late.add() }
    if !isCalled.load(ordering: .relaxed) {
      isCalled.store(true, ordering: .relaxed)
      firstCall.signal()
    }
    return isLate
  }

  /// Records the call of the cancellation handler.
  func ended() { end.signal() }

  // MARK: For the trial

  /// Records that `cancel` has returned.
  func cancelReturned() { isCancelled.store(true, ordering: .sequentiallyConsistent) }

  /// Waits until the event handler has been called.
  ///
  /// - Throws: ``WaitTimeoutError`` if the handler is not called within 20 seconds.
  func awaitFirstCall() throws { try firstCall.wait(within: .seconds(20), else: "the handler did not run") }

  /// Waits until the cancellation handler has been called.
  ///
  /// - Throws: ``WaitTimeoutError`` if the handler is not called within 20 seconds.
  func awaitEnd() throws { try end.wait(within: .seconds(20), else: "the cancellation handler did not run") }

  /// The number of handler calls that began after `cancel` had returned. The number is final once ``awaitEnd()`` has
  /// returned.
  let late = Tally()
}

/// The context object of a source. The object counts all its uses, and its uses after the call of ``free()``. The
/// object's memory is never freed, so that late uses can be counted.
final class SourceContext: Sendable {
  fileprivate struct State {
    var uses = 0
    var frees = 0
    var usesOfFreed = 0
  }
  fileprivate let state = WaitableValue(State())
  /// The hold that blocks a handler while it uses the object.
  fileprivate let handler = Hold()

  /// Creates an object whose first use blocks the handler until the trial releases the hold.
  init() { handler.holdNext() }

  /// A retained pointer to the object, for the source's context.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  /// Returns the object at `context`; a new object if `context` is nil.
  static func at(_ context: UnsafeMutableRawPointer?) -> SourceContext {
    guard let context else { return SourceContext() }
    return Unmanaged<SourceContext>.fromOpaque(context).takeUnretainedValue()
  }

  /// Uses the object at the beginning and at the end of a handler call.
  func use() {
    touch()
    handler.waitIfSet()
    touch()
  }

  private func touch() {
    state.note { state in
      state.uses += 1
      if state.frees > 0 { state.usesOfFreed += 1 }
    }
  }

  /// Records that the variant freed the context. The method does not free the object's memory.
  func free() { state.note { $0.frees += 1 } }
}
