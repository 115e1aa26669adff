#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lets another runnable thread use this core.
@inline(never)
public func yieldProcessor() { sched_yield() }
