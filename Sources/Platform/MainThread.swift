import CDispatchSupport

#if canImport(Darwin)
  import CoreFoundation
  import Darwin
#else
  import Glibc
#endif

/// The thread that a process begins with.
public enum MainThread {
  /// Whether the calling thread is it.
  public static var isCurrent: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #else
      ThreadCensus.currentThread == Int(getpid())
    #endif
  }

  /// Serves the main queue, as the run loop of an app does. Call it on the main thread; unlike `dispatchMain` it keeps that
  /// thread, on which all blocks run.
  public static func serveMainQueue() -> Never {
    #if canImport(Darwin)
      // Written to the documented API; not compiled or run by the project's CI, which has no Mac.
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
