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
      let before = Self.turns(of: process, but: spectator)
      guard !before.isEmpty, let total = Self.words("/proc/\(process)/stat"), total.count > 12 else { return nil }
      let states = before.keys.map { Self.words("/proc/\(process)/task/\($0)/stat")?.first ?? "" }
      let ticks = (UInt64(total[11]) ?? 0) + (UInt64(total[12]) ?? 0)
      // The threads are looked at one after the other: one that was about to sleep may have woken, or made, another
      // that was looked at already, or was not there yet. So none may have had a turn meanwhile.
      let isAsleep = states.allSatisfy { $0 == "S" } && Self.turns(of: process, but: spectator) == before
      self.init(
        isAsleep: isAsleep, isStopped: states.contains { $0 == "T" || $0 == "t" },
        hasEnded: states.allSatisfy { $0 == "Z" || $0 == "X" },
        processorTime: UInt64(Double(ticks) * 1e9 / Host.ticksPerSecond))
    }

    /// How often each thread has had a processor so far, as the system counts it.
    private static func turns(of process: pid_t, but spectator: Int?) -> [String: Substring] {
      let tasks = namesInDirectory("/proc/\(process)/task")?.filter { Int($0) != spectator } ?? []
      let turns = tasks.map {
        ($0, readFile("/proc/\(process)/task/\($0)/schedstat")?.split(separator: " ").last ?? "")
      }
      return Dictionary(turns) { first, _ in first }
    }

    /// The words of a `stat` file behind the name, which is in parentheses and may hold anything: the state first.
    private static func words(_ path: String) -> [Substring]? {
      readFile(path)?.split(separator: ")").last?.split(separator: " ")
    }
  }
#endif
