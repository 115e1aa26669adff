import ArgumentParser
import Dispatch
import Platform
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs an asynchronous command so that Ctrl-C, SIGTERM and SIGHUP cancel it: it ends its worker, prints what it has and
/// exits. The second signal ends it at once; workers notice by themselves.
enum Interrupt {
  private static let caught = Mutex<Int32?>(nil)
  /// Kept for good: the optimiser releases a local behind the last thing done with it, and a released source is deaf.
  nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []  // Set once, before the main loop.

  /// 128 and the signal that interrupted, as shells report it; nil when none did.
  static var status: Int32? { caught.withLock { $0 }.map { 128 + $0 } }

  static func run(_ command: any AsyncParsableCommand) -> Never {
    // Commands are values without shared state: the task has the only copy.
    nonisolated(unsafe) var command = command
    let task = Task {
      do {
        try await command.run()
        exit(status ?? 0)
      } catch { Main.fail(error) }
    }
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler {
        let isSecond = caught.withLock { caught in
          defer { caught = caught ?? number }
          return caught != nil
        }
        if isSecond { _exit(128 + number) }
        task.cancel()
      }
      source.activate()
      return source
    }
    dispatchMain()
  }
}
