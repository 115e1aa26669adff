#if canImport(Darwin)
  import Darwin

  // Written to the documented API; not compiled or run by the project's CI, which has no Mac.
  extension ThreadCensus {
    /// The number of the calling thread.
    public static var currentThread: Int {
      var id: UInt64 = 0
      pthread_threadid_np(nil, &id)
      return Int(id)
    }

    /// Not available: `thread_info` reports that a thread waits, but not for what.
    public static func taken() -> ThreadCensus? { nil }
  }
#endif
