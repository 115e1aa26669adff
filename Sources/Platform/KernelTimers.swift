#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The timers that this process has from the kernel as descriptors, such as Dispatch arms on Linux for its own.
public enum KernelTimers {
  /// The clock that a kernel timer follows.
  public struct Clock: Sendable, Equatable {
    /// Whether it goes on while the machine sleeps: CLOCK_REALTIME and CLOCK_BOOTTIME do, CLOCK_MONOTONIC does not.
    public let goesOnAsleep: Bool
  }

  /// The clock of each timer; nil where the system does not tell.
  public static func clocks() -> [Clock]? {
    #if os(Linux)
      let numbers = (namesInDirectory("/proc/self/fd") ?? []).compactMap { Int32($0) }
      let timers = numbers.filter { currentPath(of: $0) == "anon_inode:[timerfd]" }
      let clocks = timers.compactMap { number -> Clock? in
        let lines = readFile("/proc/self/fdinfo/\(number)")?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("clockid:") }
        guard let clock = line?.split(separator: " ").last.flatMap({ Int32($0) }) else { return nil }
        return Clock(goesOnAsleep: clock != CLOCK_MONOTONIC)
      }
      return clocks.count == timers.count ? clocks : nil
    #else
      return nil
    #endif
  }
}
