/// The kernel's timer descriptors (timerfd) of this process. Dispatch on Linux arms such descriptors for its own
/// timers.
public enum KernelTimers {
  /// An armed kernel timer.
  public struct Armed: Sendable, Equatable {
    /// Whether the timer's clock advances while the machine sleeps: true for CLOCK_REALTIME and CLOCK_BOOTTIME, false
    /// for CLOCK_MONOTONIC.
    public let countsSleep: Bool
    /// The time until the timer expires, in nanoseconds, at least 1.
    public let remaining: Int
  }

  /// Returns the armed timers; nil if the system does not report timers, or if `/proc` is not available.
  public static func armed() -> [Armed]? {
    #if os(Linux)
      guard let names = namesInDirectory("/proc/self/fd") else { return nil }
      let numbers = names.compactMap { Int32($0) }
      let timers = numbers.filter { currentPath(of: $0) == "anon_inode:[timerfd]" }
      var armed: [Armed] = []
      for number in timers {
        // Another thread may have closed the descriptor since the listing.
        guard let lines = readFile("/proc/self/fdinfo/\(number)")?.split(separator: "\n") else { continue }
        func values(_ field: String) -> [Int]? {
          lines.first { $0.hasPrefix(field) }?.split { !$0.isNumber }.compactMap { Int($0) }
        }
        // The values look like "clockid: 1" and "it_value: (0, 49406829)", in seconds and nanoseconds.
        guard let clock = values("clockid:")?.first, let left = values("it_value:"), left.count == 2 else {
          return nil
        }
        let remaining = left[0] * 1_000_000_000 + left[1]
        if remaining > 0 { armed.append(Armed(countsSleep: clock != CLOCK_MONOTONIC, remaining: remaining)) }
      }
      return armed
    #else
      return nil
    #endif
  }
}
