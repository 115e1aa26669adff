/// The pool of Dispatch's own threads.
public enum ThreadPool {
  /// The largest number of threads that the pool of one priority has on Linux: `DISPATCH_WORKQ_MAX_PTHREAD_COUNT` in
  /// libdispatch's internal.h. On other systems, trials verify that this many threads can be started.
  public static let limit = 255
}
