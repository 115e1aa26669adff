import Dispatch
import Platform
import Synchronization

/// A thread outside the dispatch pool that waits for work handed to it, so that handing over costs a wake-up and not a
/// new thread.
public final class LingeringThread: Sendable {
  private let handed = DispatchSemaphore(value: 0)
  private let work: Work
  private let thread: SystemThread

  private final class Work: Sendable {
    let waiting = Mutex<[@Sendable () -> Void]>([])
  }

  /// Starts the thread, which lives until ``stop()``.
  ///
  /// - Throws: ``SystemError`` when there is no thread to be had.
  public init() throws(SystemError) {
    let work = Work()
    self.work = work
    thread = try SystemThread { [handed] in
      while true {
        handed.wait()
        guard let next = work.waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
        next()
      }
    }
  }

  /// Runs `body` on the thread, behind what was handed to it before.
  public func run(_ body: @escaping @Sendable () -> Void) {
    work.waiting.withLock { $0.append(body) }
    handed.signal()
  }

  /// Ends the thread once it has run everything, and waits for that. Call it once, and hand nothing over after.
  public func stop() {
    handed.signal()
    thread.join()
  }
}
