#if os(Linux)
  import Glibc

  extension ProcessState {
    /// The state of a process now; nil when it is gone, or where `/proc` does not tell.
    public init?(of process: pid_t) { self.init(of: process, but: nil) }

    /// The state of this process but for the calling thread, which looks; nil where the system does not tell.
    public static func ofOtherThreads() -> ProcessState? {
      ProcessState(of: getpid(), but: ThreadCensus.currentThread)
    }

    private init?(of process: pid_t, but spectator: Int?) {
      guard let tasks = namesInDirectory("/proc/\(process)/task")?.filter({ Int($0) != spectator }), !tasks.isEmpty,
        let total = Self.words("/proc/\(process)/stat"), total.count > 12
      else { return nil }
      let states = tasks.map { Self.words("/proc/\(process)/task/\($0)/stat")?.first ?? "" }
      let ticks = (UInt64(total[11]) ?? 0) + (UInt64(total[12]) ?? 0)
      self.init(
        isAsleep: states.allSatisfy { $0 == "S" }, isStopped: states.contains { $0 == "T" || $0 == "t" },
        processorTime: UInt64(Double(ticks) * 1e9 / Host.ticksPerSecond))
    }

    /// The words of a `stat` file behind the name, which is in parentheses and may hold anything: the state first.
    private static func words(_ path: String) -> [Substring]? {
      readFile(path)?.split(separator: ")").last?.split(separator: " ")
    }
  }
#endif
