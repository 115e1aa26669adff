import ArgumentParser
import CDispatchSupport
import Measurement
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs an asynchronous command so that Ctrl-C, SIGTERM and SIGHUP cancel it: it ends its worker, prints what it has
/// and exits. Before there is anything to tell, and the second time, a signal ends it at once: what its workers, which
/// the first one killed, have made is removed, and no more. The same signal again within a second is no second one:
/// `timeout` sends its own to the lab and to the group that it is in. What the lab was started to ignore, as under
/// `nohup`, it ignores.
enum Interrupt {
  private struct State {
    var caught: Int32?
    var caughtAt: UInt64 = 0
    var hasBegun = false
  }
  private static let state = Mutex(State())
  /// Who sends a signal twice means it once, when it comes again within this time, in nanoseconds.
  private static let repetition: UInt64 = 1_000_000_000

  /// 128 and the signal that interrupted, as shells report it; nil when none did.
  static var status: Int32? { state.withLock { $0.caught }.map { 128 + $0 } }

  /// From now on a signal cancels. Before, it ends the lab, whatever it waits for: a file may be a pipe that says
  /// nothing.
  static func begin() { state.withLock { $0.hasBegun = true } }

  /// Runs the command to its end, which is that of the process.
  static func run(_ command: any AsyncParsableCommand) -> Never {
    // Blocked here, and so in every thread from now on: only this one waits for them. But a library can have them
    // unblocked, as swift-subprocess has while it waits for processes, and while this thread is stopped, such a one
    // gets them.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] where !gcdlab_ignores(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    for number in [SIGINT, SIGTERM, SIGHUP] where sigismember(&signals, number) == 1 { gcdlab_gather(number) }
    // A lab that another one runs ends with it, however that one ended.
    if Terminal.environment(Lifeline.variable) != nil {
      do { try Lifeline.whenGone { kill(getpid(), SIGTERM) } } catch { Lab.fail(error) }
    }
    // Commands are values without shared state: the task has the only copy.
    nonisolated(unsafe) var command = command
    let task = Task {
      do {
        try await command.run()
        exit(status ?? 0)
      } catch { Lab.fail(error) }
    }
    // Not by a dispatch source: its handler needs the pool, which waits where the machine has no more threads. The lab
    // has no use for a main queue.
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { continue }
      let now = MonotonicClock.now()
      let (isLast, isRepeated) = state.withLock { state in
        if let caught = state.caught { return (true, caught == number && now - state.caughtAt < repetition) }
        (state.caught, state.caughtAt) = (number, now)
        return (!state.hasBegun, false)
      }
      if isRepeated { continue }
      if isLast {
        ScratchDirectory.endTrials(within: .seconds(1))
        _exit(128 + number)
      }
      task.cancel()
    }
  }
}
