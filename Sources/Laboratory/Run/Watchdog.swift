import Dispatch
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ends a worker with all its children: when it is past its time, and when it is told to.
///
/// It has a thread of its own, and has it before the worker is there. Where the machine has no more threads, the pools
/// of Dispatch and of Swift concurrency wait until it has, so that nothing in them could end the worker that holds them
/// all.
final class Watchdog: Sendable {
  private struct State {
    var worker: pid_t?
    var isDoomed = false
    var finding: Outcome?
    /// Whether the body has begun whose end is awaited.
    var hasBegun = false
    var isDismissed = false
    var hasExpired = false
    var isAsleep = false
  }
  private let state = Mutex(State())
  /// A worker is there, its body begins, or it is done.
  private let news = DispatchSemaphore(value: 0)

  /// A watchdog without a worker yet. A worker is ended after `limit`, or when it stands still after it was told that
  /// its body had begun, and `ending` has passed since.
  ///
  /// - Throws: ``SystemError`` when it cannot have its thread.
  init(limit: Duration, ending: Duration?) throws(SystemError) {
    try SystemThread { [self] in
      news.wait()
      // Two patiences pass side by side: that for any worker, and that for a body that is meant to end.
      var general = Patience(limit)
      var special = ending.map(Patience.init)
      while let (hasBegun, worker) = state.withLock({ $0.isDismissed ? nil : ($0.hasBegun, $0.worker) }) {
        let isSpecial = hasBegun && special != nil
        let slice = min(general.slice, isSpecial ? special?.slice ?? general.slice : general.slice)
        guard news.wait(timeout: .now() + .nanoseconds(Int(slice.nanoseconds))) == .timedOut else { continue }
        if isSpecial, special?.spend(slice) == true, let worker {
          // Where the system does not tell, its time is all there is to go by.
          if !Self.statesAreTold || ProcessState(of: worker)?.isAsleep == true { return concludeHung() }
          special?.renew()
        }
        if general.spend(slice) { return expire(after: limit) }
      }
    }.detach()
  }

  /// What it found when the worker's time was over; nil when it was dismissed before.
  var finding: Outcome? { state.withLock { $0.finding } }

  /// Whether the worker was ended because its time was over, whatever the reason.
  var hasExpired: Bool { state.withLock { $0.hasExpired } }

  /// Whether all its threads slept then; true where the system does not tell.
  var isAsleep: Bool { state.withLock { $0.isAsleep } }

  /// Watches the worker `process`, the leader of a process group. Its time begins now.
  func watch(_ process: pid_t) {
    state.withLock {
      $0.worker = process
      if $0.isDoomed { kill(-process, SIGKILL) }
    }
    news.signal()
  }

  /// The body of a worker that is meant to come to an end has begun.
  func bodyStarted() {
    state.withLock { $0.hasBegun = true }
    news.signal()
  }

  /// Ends the worker at once, or as soon as there is one.
  func end() {
    state.withLock {
      $0.isDoomed = true
      if let worker = $0.worker { kill(-worker, SIGKILL) }
    }
  }

  /// The worker is done: its number may be another process's from now on.
  func dismiss() {
    state.withLock {
      $0.worker = nil
      $0.isDismissed = true
    }
    news.signal()
  }

  /// Whether this system tells the state of a process.
  private static let statesAreTold = ProcessState(of: getpid()) != nil

  /// Its time is over. What the machine withheld is no fault of the variant.
  private func expire(after limit: Duration) {
    let found = state.withLock { $0.worker }.flatMap(ProcessState.init(of:))
    // It has ended, and the lab is late to hear of it, or its children hold the pipes: what it said is what counts.
    if Self.statesAreTold, found?.hasEnded ?? true { return end() }
    state.withLock {
      $0.hasExpired = true
      $0.isAsleep = found?.isAsleep ?? true
    }
    if found?.isStopped == true { return conclude(.unavailable(reason: "another program had stopped the worker")) }
    // One that could run and has hardly run did not hang.
    if let found, !found.isAsleep,
      Double(found.processorTime) < Unavailable.starvedShare * Double(limit.nanoseconds)
    {
      let got = Quantity(Double(found.processorTime), .nanoseconds)
      return conclude(
        .unavailable(reason: "in \(Quantity(limit)) it got \(got) of processor time: the machine is too busy for it"))
    }
    concludeHung()
  }

  /// The trial hung, unless for want of threads: Dispatch tries again for ever to start one, and that is the machine's
  /// fault.
  private func concludeHung() {
    do throws(SystemError) {
      try SystemThread.requireRoom(for: 1)
      conclude(.hung)
    } catch {
      conclude(.unavailable(reason: "it came to no end, and there are no more threads: \(error)"))
    }
  }

  private func conclude(_ finding: Outcome) {
    state.withLock { if $0.worker != nil { $0.finding = finding } }
    end()
  }
}

/// A time that passes in slices. Clocks go on while the lab is stopped (Ctrl-Z) or the machine asleep, and a worker
/// that was done long ago must not be taken for one that hung: such a gap ends the slice that it falls into and no
/// more.
struct Patience {
  private static let slices = 8
  private let whole: Duration
  private var left: Duration

  init(_ whole: Duration) {
    self.whole = whole
    left = whole
  }

  /// How long to wait at once.
  var slice: Duration { whole / Self.slices }

  /// A wait of `time` has passed, however long it seemed; returns whether nothing is left.
  mutating func spend(_ time: Duration) -> Bool {
    left -= time
    return left <= .zero
  }

  /// The time begins anew.
  mutating func renew() { left = whole }
}
