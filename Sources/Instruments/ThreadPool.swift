/// Dispatch's own threads.
public enum ThreadPool {
  /// More than so many the pool of a priority does not have on Linux: `DISPATCH_WORKQ_MAX_PTHREAD_COUNT` of
  /// libdispatch's internal.h. A trial that is sure of them asks for no less elsewhere.
  public static let limit = 255
}
