/// The code that serves the main queue of a trial's process.
public enum MainQueueService: Sendable, Hashable {
  /// The function `dispatchMain`, which the main thread calls. (On Linux, `dispatchMain` passes the queue to the pool
  /// and ends the main thread.)
  case dispatchMain
  /// A loop on the main thread, as in an app.
  case mainThread
  /// A function that the body passes to the main thread (`MainThread.run`). The listing of the body thus shows the
  /// function. The main queue is not served before the body passes the function.
  case body
  /// No code: the main thread sleeps, and the main queue is not served.
  case nobody
}
