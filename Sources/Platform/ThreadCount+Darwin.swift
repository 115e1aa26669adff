#if canImport(Darwin)
  import Darwin

  // Written to the documented API; not compiled or run by the project's CI, which has no Mac.
  extension ThreadCensus {
    /// How many threads this process has now; nil when the system does not tell.
    public static func count() -> Int? {
      var facts = proc_taskinfo()
      let size = Int32(MemoryLayout<proc_taskinfo>.size)
      guard proc_pidinfo(getpid(), PROC_PIDTASKINFO, 0, &facts, size) == size else { return nil }
      return Int(facts.pti_threadnum)
    }

    /// Not offered: the pool's threads carry no name.
    public static func poolCount() -> Int? { nil }
  }
#endif
