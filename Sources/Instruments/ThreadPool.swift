/// The pool of Dispatch's threads.
public enum ThreadPool {
  /// The maximum number of pool threads for one priority on Linux: `DISPATCH_WORKQ_MAX_PTHREAD_COUNT` in libdispatch's
  /// internal.h. On other systems, trials verify that this many threads can be started.
  public static let limit = 255
}
