#if os(Linux)
  import Glibc
  import Laboratory
  import Platform

  /// The size of this process's address space in bytes.
  public func addressSpace() throws -> Int {
    guard let pages = readFile("/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) }) else {
      throw LabError("the size of the address space is not reported")
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Limits the address space of this process, and so the number of threads, each of which needs a stack.
  public func limitAddressSpace(to bytes: Int) {
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
    setrlimit(resource, &limit)
  }
#endif
