import CDispatchSupport
import Dispatch
import Synchronization

#if canImport(Darwin)
  import CoreFoundation
  import Darwin
#else
  import Glibc
#endif

/// Operations on the main thread, which is the initial thread of the process.
public enum MainThread {
  /// Whether the calling thread is the main thread.
  public static var isCurrent: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #else
      ThreadCensus.currentThread == Int(getpid())
    #endif
  }

  private static let submitted = Mutex<[@Sendable () -> Void]>([])
  private static let submissions = DispatchSemaphore(value: 0)

  /// Submits `body` to the main thread and returns at once. ``runSubmittedClosures()`` executes the submitted closures
  /// in the order of their submission.
  public static func run(_ body: @escaping @Sendable () -> Void) {
    submitted.withLock { $0.append(body) }
    submissions.signal()
  }

  /// Executes the submitted closures one at a time, and waits for further closures. Call this method on the main
  /// thread.
  public static func runSubmittedClosures() -> Never {
    while true {
      submissions.wait()
      let body = submitted.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      body?()
    }
  }

  /// Drains the main queue, as the run loop of an app does. Call this method on the main thread. Unlike `dispatchMain`,
  /// this method does not end the main thread, and executes all blocks of the main queue on the main thread.
  public static func serveMainQueue() -> Never {
    #if canImport(Darwin)
      // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.
      while true { CFRunLoopRunInMode(.defaultMode, 3600, false) }
    #else
      let handle = gcdlab_main_queue_handle()
      var waited = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      var count: UInt64 = 0
      while true {
        guard poll(&waited, 1, -1) > 0 else { continue }
        _ = read(handle, &count, MemoryLayout.size(ofValue: count))
        gcdlab_drain_main_queue(nil)
      }
    #endif
  }
}
