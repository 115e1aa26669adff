#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Yields this core to another thread that is ready to run.
@inline(never)
public func yieldProcessor() { sched_yield() }
