import Dispatch
import Platform
import Synchronization

/// A thread outside the dispatch pool that waits for work. Submitting work to this thread costs a wake-up instead of
/// the start of a thread.
public final class WorkerThread: Sendable {
  private let handed = DispatchSemaphore(value: 0)
  private let work: Work
  private let thread: SystemThread

  private final class Work: Sendable {
    let waiting = Mutex<[@Sendable () -> Void]>([])
  }

  /// Starts the thread, which runs until ``stop()``.
  ///
  /// - Throws: ``SystemError`` if no thread can be started.
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

  /// Submits `body` to the thread, which executes it after all earlier work.
  public func run(_ body: @escaping @Sendable () -> Void) {
    work.waiting.withLock { $0.append(body) }
    handed.signal()
  }

  /// Ends the thread after all submitted work has been executed, and waits until the thread has ended. Call this method
  /// once, and submit no work afterwards.
  public func stop() {
    handed.signal()
    thread.join()
  }
}
