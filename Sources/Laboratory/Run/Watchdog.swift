import Dispatch
import Measurement
import Platform
import Synchronization

/// A watchdog that ends a worker and all its children: at the worker's time limit, on request, or once a worker that is
/// expected to trap or to hang sleeps.
///
/// The watchdog starts its own thread before the worker exists. If the machine has no more threads, the pools of
/// Dispatch and of Swift concurrency wait for a thread. A task in these pools could then not end the worker that holds
/// all the threads.
final class Watchdog: Sendable {
  private struct State {
    var worker: pid_t?
    var isDoomed = false
    var outcome: Outcome?
    /// Whether the worker has reported the beginning of its hazard.
    var hasBegun = false
    var isDismissed = false
    var hasExpired = false
    var isAsleep = false
  }
  private let state = Mutex(State())
  private let memoryLimits: [(option: String, bytes: Int)]
  /// A semaphore that informs the watchdog's thread that a worker was set, that the worker's hazard began, or that the
  /// worker was dismissed.
  private let changes = DispatchSemaphore(value: 0)

  /// Creates a watchdog without a worker, and starts its thread. The watchdog ends a worker after `limit`. At the end
  /// of each period of `ending` since the worker's hazard began, the watchdog also ends the worker if all its threads
  /// sleep, or if the system does not report the states of threads. If `ending` is nil, only the limit applies.
  ///
  /// - Throws: ``SystemError`` if the thread cannot be started.
  init(
    limit: Duration, ending: Duration?, memoryLimits: [(option: String, bytes: Int)] = Host.memoryLimits
  ) throws(SystemError) {
    self.memoryLimits = memoryLimits
    try SystemThread { [self] in
      changes.wait()
      // The general timeout applies to any worker. The special timeout applies to a worker that is expected to trap or
      // hang.
      var general = SlicedTimeout(limit)
      var special = ending.map(SlicedTimeout.init)
      while let (hasBegun, worker) = state.withLock({ $0.isDismissed ? nil : ($0.hasBegun, $0.worker) }) {
        let isSpecial = hasBegun && special != nil
        let slice = min(general.slice, isSpecial ? special?.slice ?? general.slice : general.slice)
        guard changes.wait(timeout: .now() + .nanoseconds(Int(slice.nanoseconds))) == .timedOut else { continue }
        if isSpecial, special?.spend(slice) == true, let worker {
          // If the system does not report the states of processes, only the time decides.
          if !ProcessState.isReported || ProcessState(of: worker)?.isAsleep == true { return concludeHung() }
          special?.renew()
        }
        if general.spend(slice) { return expire(after: limit) }
      }
    }.detach()
  }

  /// The outcome that the watchdog determined; nil if the worker ended by itself or was ended on request.
  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Whether the worker was ended at its time limit.
  var hasExpired: Bool { state.withLock { $0.hasExpired } }

  /// Whether all threads of the worker slept at the time limit; true if the system does not report the states of
  /// threads; false if the worker did not reach the time limit.
  var isAsleep: Bool { state.withLock { $0.isAsleep } }

  /// Starts to watch the worker `process`, which leads a process group. The time limit starts now.
  func watch(_ process: pid_t) {
    state.withLock {
      $0.worker = process
      if $0.isDoomed { kill(-process, SIGKILL) }
    }
    changes.signal()
  }

  /// Records that the worker's hazard has begun.
  func hazardBegan() {
    state.withLock { $0.hasBegun = true }
    changes.signal()
  }

  /// Ends the worker immediately. A worker that is passed to ``watch(_:)`` later is ended at that moment.
  func end() {
    state.withLock {
      $0.isDoomed = true
      if let worker = $0.worker { kill(-worker, SIGKILL) }
    }
  }

  /// Ends the watch of the worker, which has ended. From now on, the system may reuse the worker's process identifier.
  func dismiss() {
    state.withLock {
      $0.worker = nil
      $0.isDismissed = true
    }
    changes.signal()
  }

  /// Ends the worker at its time limit. If the machine or another program withheld resources from the worker, the
  /// outcome is unavailable and not hung.
  private func expire(after limit: Duration) {
    let found = state.withLock { $0.worker }.flatMap(ProcessState.init(of:))
    // The worker has ended, so its report counts. Either the lab is notified late, or the worker's children still hold
    // the pipes.
    if ProcessState.isReported, found?.hasEnded ?? true { return end() }
    state.withLock {
      $0.hasExpired = true
      $0.isAsleep = found?.isAsleep ?? true
    }
    if found?.isStopped == true { return conclude(.unavailable(reason: "another program had stopped the worker")) }
    // A worker that was runnable and got hardly any processor time did not hang.
    if let found, !found.isAsleep,
      Double(found.processorTime) < Unavailable.starvedShare * Double(limit.nanoseconds)
    {
      let got = Quantity(Double(found.processorTime), .nanoseconds)
      return conclude(
        .unavailable(
          reason: "the worker got \(got) of processor time in \(Quantity(limit)): the machine is too busy for it"))
    }
    concludeHung()
  }

  /// Records that the trial hung, and ends the worker. If no more threads can be started, for instance because a limit
  /// on memory is reached, the outcome is unavailable instead: Dispatch tries forever to start a thread, and the
  /// machine is the cause.
  private func concludeHung() {
    if let shortage = state.withLock({ $0.worker }).flatMap({ MemoryShortage(of: $0, limits: memoryLimits) }) {
      return conclude(.unavailable(reason: "the worker did not end, and \(shortage)"))
    }
    do throws(SystemError) {
      try SystemThread.requireCapacity(for: 1)
      conclude(.hung)
    } catch {
      conclude(.unavailable(reason: "the worker did not end, and there are no more threads: \(error)"))
    }
  }

  private func conclude(_ outcome: Outcome) {
    state.withLock { if $0.worker != nil { $0.outcome = outcome } }
    end()
  }
}

/// A timeout in slices. If the lab is stopped (Ctrl-Z) or the machine sleeps, the clock continues to run. Only the
/// current slice ends early as a result, so a worker that finished in the meantime is not reported as hung.
struct SlicedTimeout {
  private static let slices = 8
  private let whole: Duration
  private var left: Duration

  init(_ whole: Duration) {
    self.whole = whole
    left = whole
  }

  /// The duration of one slice.
  var slice: Duration { whole / Self.slices }

  /// Subtracts `time` from the remaining time, regardless of the actual duration of the wait. Returns whether no time
  /// remains.
  mutating func spend(_ time: Duration) -> Bool {
    left -= time
    return left <= .zero
  }

  /// Resets the remaining time to the full limit.
  mutating func renew() { left = whole }
}
