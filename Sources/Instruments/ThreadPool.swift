/// The pool of Dispatch's threads.
public enum ThreadPool {
  /// The maximum number of pool threads for one priority on Linux: `DISPATCH_WORKQ_MAX_PTHREAD_COUNT` in libdispatch's
  /// internal.h. On all systems, trials verify the availability of at most this number of pool threads.
  public static let limit = 255
}
