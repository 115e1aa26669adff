import ArgumentParser
import CDispatchSupport
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs an asynchronous command so that Ctrl-C, SIGTERM and SIGHUP cancel it: it ends its worker, prints what it has and
/// exits. The second signal ends it at once; workers notice by themselves. What the lab was started to ignore, as under
/// `nohup`, it ignores.
enum Interrupt {
  private static let caught = Mutex<Int32?>(nil)

  /// 128 and the signal that interrupted, as shells report it; nil when none did.
  static var status: Int32? { caught.withLock { $0 }.map { 128 + $0 } }

  /// Runs the command to its end, which is that of the process.
  static func run(_ command: any AsyncParsableCommand) -> Never {
    // Blocked here, and so in every thread from now on: only the one that waits for them gets them.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] where !gcdlab_ignores(number) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    // Commands are values without shared state: the task has the only copy.
    nonisolated(unsafe) var command = command
    let task = Task {
      do {
        try await command.run()
        exit(status ?? 0)
      } catch { Main.fail(error) }
    }
    // Not by a dispatch source: its handler needs the pool, which waits where the machine has no more threads. The lab has
    // no use for a main queue.
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { continue }
      let isSecond = caught.withLock { caught in
        defer { caught = caught ?? number }
        return caught != nil
      }
      if isSecond { _exit(128 + number) }
      task.cancel()
    }
  }
}
