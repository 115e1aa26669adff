import Dispatch
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ends a worker and all its children when the time of the worker is over, or on request.
///
/// The watchdog has a thread of its own, which it starts before the worker exists. If the machine has no more threads,
/// the pools of Dispatch and of Swift concurrency wait for one. A task in these pools could then not end the worker
/// that holds all the threads.
final class Watchdog: Sendable {
  private struct State {
    var worker: pid_t?
    var isDoomed = false
    var finding: Outcome?
    /// Whether the body whose end the watchdog expects has begun.
    var hasBegun = false
    var isDismissed = false
    var hasExpired = false
    var isAsleep = false
  }
  private let state = Mutex(State())
  private let memoryLimits: [(option: String, bytes: Int)]
  /// Signals that there is a worker, that its body begins, or that it is done.
  private let news = DispatchSemaphore(value: 0)

  /// Creates a watchdog that has no worker yet. It ends a worker after `limit`. It also ends a worker that stands still
  /// once `ending` has passed since its body began.
  ///
  /// - Throws: ``SystemError`` if its thread cannot be started.
  init(
    limit: Duration, ending: Duration?, memoryLimits: [(option: String, bytes: Int)] = Host.memoryLimits
  ) throws(SystemError) {
    self.memoryLimits = memoryLimits
    try SystemThread { [self] in
      news.wait()
      // Two timeouts run side by side: one for any worker, and one for a body that is expected to end.
      var general = SlicedTimeout(limit)
      var special = ending.map(SlicedTimeout.init)
      while let (hasBegun, worker) = state.withLock({ $0.isDismissed ? nil : ($0.hasBegun, $0.worker) }) {
        let isSpecial = hasBegun && special != nil
        let slice = min(general.slice, isSpecial ? special?.slice ?? general.slice : general.slice)
        guard news.wait(timeout: .now() + .nanoseconds(Int(slice.nanoseconds))) == .timedOut else { continue }
        if isSpecial, special?.spend(slice) == true, let worker {
          // If the system does not report the state, only the time decides.
          if !Self.statesAreTold || ProcessState(of: worker)?.isAsleep == true { return concludeHung() }
          special?.renew()
        }
        if general.spend(slice) { return expire(after: limit) }
      }
    }.detach()
  }

  /// The outcome that the watchdog found when the worker's time was over; nil if it was dismissed before.
  var finding: Outcome? { state.withLock { $0.finding } }

  /// Whether the worker was ended because its time was over, for whatever reason.
  var hasExpired: Bool { state.withLock { $0.hasExpired } }

  /// Whether all threads of the worker slept at that time; true if the system does not report it.
  var isAsleep: Bool { state.withLock { $0.isAsleep } }

  /// Watches the worker `process`, which leads a process group. Its time starts now.
  func watch(_ process: pid_t) {
    state.withLock {
      $0.worker = process
      if $0.isDoomed { kill(-process, SIGKILL) }
    }
    news.signal()
  }

  /// Notes that a body that is expected to end has begun.
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

  /// Forgets the worker, which is done. Its number may belong to another process from now on.
  func dismiss() {
    state.withLock {
      $0.worker = nil
      $0.isDismissed = true
    }
    news.signal()
  }

  /// Whether this system reports the state of a process.
  private static let statesAreTold = ProcessState(of: getpid()) != nil

  /// Ends the worker because its time is over. What the machine withheld is not the fault of the variant.
  private func expire(after limit: Duration) {
    let found = state.withLock { $0.worker }.flatMap(ProcessState.init(of:))
    // The worker has ended. Either the lab learns of its end late, or the worker's children still hold the pipes. The
    // worker's report counts.
    if Self.statesAreTold, found?.hasEnded ?? true { return end() }
    state.withLock {
      $0.hasExpired = true
      $0.isAsleep = found?.isAsleep ?? true
    }
    if found?.isStopped == true { return conclude(.unavailable(reason: "another program had stopped the worker")) }
    // A worker that could run and hardly ran did not hang.
    if let found, !found.isAsleep,
      Double(found.processorTime) < Unavailable.starvedShare * Double(limit.nanoseconds)
    {
      let got = Quantity(Double(found.processorTime), .nanoseconds)
      return conclude(
        .unavailable(reason: "in \(Quantity(limit)) it got \(got) of processor time: the machine is too busy for it"))
    }
    concludeHung()
  }

  /// Concludes that the trial hung, unless threads were missing. Dispatch then tries forever to start one, which is the
  /// machine's fault.
  private func concludeHung() {
    if let shortage = state.withLock({ $0.worker }).flatMap({ MemoryShortage(of: $0, limits: memoryLimits) }) {
      return conclude(.unavailable(reason: "it did not end, and \(shortage)"))
    }
    do throws(SystemError) {
      try SystemThread.requireCapacity(for: 1)
      conclude(.hung)
    } catch {
      conclude(.unavailable(reason: "it did not end, and there are no more threads: \(error)"))
    }
  }

  private func conclude(_ finding: Outcome) {
    state.withLock { if $0.worker != nil { $0.finding = finding } }
    end()
  }
}

/// A time that passes in slices. The clock continues while the lab is stopped (Ctrl-Z) or the machine sleeps, and a
/// worker that was done long ago must not be taken for a hung one. Such a gap ends the slice that it falls into, and no
/// other.
struct SlicedTimeout {
  private static let slices = 8
  private let whole: Duration
  private var left: Duration

  init(_ whole: Duration) {
    self.whole = whole
    left = whole
  }

  /// The time of a single wait.
  var slice: Duration { whole / Self.slices }

  /// Notes that a wait of `time` has passed, however long the wait took by the clock. Returns whether no time is left.
  mutating func spend(_ time: Duration) -> Bool {
    left -= time
    return left <= .zero
  }

  /// Starts the time again.
  mutating func renew() { left = whole }
}
