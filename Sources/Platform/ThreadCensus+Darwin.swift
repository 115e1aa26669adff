#if canImport(Darwin)
  import Darwin

  // This code follows the documented API. The project's CI has no Mac, and neither compiles nor runs this code.
  extension ThreadCensus {
    /// The system's number of the calling thread.
    public static var currentThread: Int {
      var id: UInt64 = 0
      pthread_threadid_np(nil, &id)
      return Int(id)
    }

    /// Always returns nil, since `thread_info` reports that a thread waits, but not what the thread waits for.
    public static func taken() -> ThreadCensus? { nil }

    /// Returns the current number of threads of this process; nil if the system does not report the number.
    public static func count() -> Int? {
      var facts = proc_taskinfo()
      let size = Int32(MemoryLayout<proc_taskinfo>.size)
      guard proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &facts, size) == size else { return nil }
      return Int(facts.pti_threadnum)
    }

    /// Always returns nil, since the pool's threads have no names.
    public static func poolCount() -> Int? { nil }
  }
#endif
