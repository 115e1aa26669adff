import ArgumentParser
import CDispatchSupport
import Measurement
import Platform
import Synchronization

/// The handling of Ctrl-C, SIGTERM and SIGHUP. A signal cancels the running command: the command ends its worker,
/// prints its results and exits.
///
/// The lab exits without waiting for the command at the second signal, or at a first signal before ``begin()`` is
/// called. The lab then only removes the files of its workers, which were killed after the first signal. The same
/// signal within a second does not count as a second signal, since `timeout` sends its signal to the lab and to the
/// lab's process group. A signal that the lab inherited as ignored, for instance from `nohup`, stays ignored.
enum Interrupt {
  private struct State {
    var caught: Int32?
    var caughtAt: UInt64 = 0
    var hasBegun = false
    var handler: (@Sendable (Int32, Bool) -> Void)?
  }
  private static let state = Mutex(State())
  /// The time in nanoseconds within which a repetition of a signal does not count as a second signal.
  private static let repetition: UInt64 = 1_000_000_000

  /// The exit status after an interruption: 128 plus the number of the signal, as in shells; nil if no signal has
  /// interrupted the command.
  static var status: Int32? { state.withLock { $0.caught }.map { 128 + $0 } }

  /// Makes signals cancel the command from now on. Before this call, a signal ends the lab even if the lab is blocked,
  /// for example while it reads a pipe without data.
  static func begin() { state.withLock { $0.hasBegun = true } }

  /// Passes signals to `handler` from now on, instead of ending the lab.
  ///
  /// The first argument of the handler is the signal's number. The second argument is true if the terminal or the
  /// system sent the signal, and false if a process sent the signal. The terminal sends a signal to all processes of
  /// its foreground process group.
  static func pass(to handler: @escaping @Sendable (Int32, Bool) -> Void) { state.withLock { $0.handler = handler } }

  /// Runs the command until it finishes, and then exits the process.
  static func run(_ command: any AsyncParsableCommand) -> Never {
    // The signals are blocked here, and thus in all threads that are created from now on, so that only this thread
    // receives them. A library may unblock signals, as swift-subprocess does while it waits for processes. The handlers
    // that are installed here redirect a signal from such a thread to this thread.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] where !gcdlab_ignores(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    for number in [SIGINT, SIGTERM, SIGHUP] where sigismember(&signals, number) == 1 { gcdlab_gather(number) }
    // A lab that another lab started ends when the other lab has ended in any way.
    if Terminal.environment(Lifeline.variable) != nil {
      do { try Lifeline.whenOwnerEnds { kill(getpid(), SIGTERM) } } catch { Lab.fail(error) }
    }
    // A command is a value without shared state, and the task has the only copy.
    nonisolated(unsafe) var command = command
    let task = Task {
      do {
        try await command.run()
        exit(status ?? 0)
      } catch {
        // An interruption by a signal is not reported as a failure of the command.
        if error is CancellationError, let status { exit(status) }
        Lab.fail(error)
      }
    }
    // A dispatch source is not suitable, since its handler requires a thread of the pool. If the machine has no more
    // threads, the pool waits for a thread. The lab does not use the main queue, so the main thread can wait for
    // signals.
    while true {
      var isOfSystem = false
      let number = gcdlab_wait_for_signal(&signals, &isOfSystem)
      if let handler = state.withLock({ $0.handler }) {
        handler(number, isOfSystem)
        continue
      }
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
