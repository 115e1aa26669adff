import Dispatch
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Ends a worker with all its children: when it is past its time, and when it is told to.
///
/// It has a thread of its own, and has it before the worker is there. Where the machine has no more threads, the pools of
/// Dispatch and of Swift concurrency wait until it has, so that nothing in them could end the worker that holds them all.
final class Watchdog: Sendable {
  private struct State {
    var worker: pid_t?
    var isDoomed = false
    var finding: Outcome?
  }
  private let state = Mutex(State())
  private let isWatching = DispatchSemaphore(value: 0)
  private let isDismissed = DispatchSemaphore(value: 0)

  /// A watchdog without a worker yet.
  ///
  /// - Throws: ``SystemError`` when it cannot have its thread.
  init(limit: Duration) throws(SystemError) {
    try SystemThread { [self] in
      isWatching.wait()
      let isOver = Self.passes(limit) { slice in
        isDismissed.wait(timeout: .now() + .nanoseconds(Int(slice.nanoseconds))) == .success
      }
      if isOver { expire() }
    }.detach()
  }

  /// What it found when the worker's time was over; nil when it was dismissed before.
  var finding: Outcome? { state.withLock { $0.finding } }

  /// Watches the worker `process`, the leader of a process group. Its time begins now.
  func watch(_ process: pid_t) {
    isWatching.signal()
    state.withLock {
      $0.worker = process
      if $0.isDoomed { kill(-process, SIGKILL) }
    }
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
    state.withLock { $0.worker = nil }
    isDismissed.signal()
    isWatching.signal()
  }

  private func expire() {
    // Dispatch tries again for ever to start a thread: what it hangs for then is the machine's fault.
    let finding: Outcome
    do throws(SystemError) {
      try SystemThread.requireRoom(for: 1)
      finding = .hung
    } catch {
      finding = .unavailable(reason: "it came to no end, and there are no more threads: \(error)")
    }
    state.withLock { if $0.worker != nil { $0.finding = finding } }
    end()
  }

  /// Lets `limit` pass, unless a wait ends it; returns whether it passed.
  ///
  /// It passes in slices. Clocks go on while the lab is stopped (Ctrl-Z) or the machine asleep, and a worker that was done
  /// long ago must not be taken for one that hung: such a gap ends the slice that it falls into and no more.
  static func passes(_ limit: Duration, unless wait: (Duration) -> Bool) -> Bool {
    let slices = 8
    return !(0..<slices).contains { _ in wait(limit / slices) }
  }
}
