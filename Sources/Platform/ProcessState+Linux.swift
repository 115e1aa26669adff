#if os(Linux)
  import Glibc

  extension ProcessState {
    /// Whether the system reports the states of processes. The check needs no descriptor, so that a shortage of
    /// descriptors does not count as a system without reports.
    public static let isReported = access("/proc/self/stat", R_OK) == 0

    /// Reads the current state of a process; nil if the process does not exist, if `/proc` does not report the state,
    /// or if this process has no free descriptor.
    public init?(of process: pid_t) { self.init(of: process, but: nil) }

    /// Returns the state of this process without the calling thread; nil if there are no other threads, or if the
    /// system does not report the state. The processor time includes the calling thread.
    public static func ofOtherThreads() -> ProcessState? {
      ProcessState(of: getpid(), but: ThreadCensus.currentThread)
    }

    private init?(of process: pid_t, but spectator: Int?) {
      let before = Self.turns(of: process, but: spectator)
      guard !before.isEmpty, let total = Self.words("/proc/\(process)/stat"), total.count > 12 else { return nil }
      let states = before.keys.map { Self.words("/proc/\(process)/task/\($0)/stat")?.first ?? "" }
      let ticks = (UInt64(total[11]) ?? 0) + (UInt64(total[12]) ?? 0)
      // The threads are examined one after the other. A thread that was about to sleep may have woken a thread that was
      // examined earlier, or may have started a thread. The result is therefore true only if no thread has run in the
      // meantime. A main thread that has ended stays in state Z until all other threads have ended.
      let isAsleep =
        states.contains("S") && states.allSatisfy { $0 == "S" || $0 == "Z" }
        && Self.turns(of: process, but: spectator) == before
      self.init(
        isAsleep: isAsleep, isStopped: states.contains { $0 == "T" || $0 == "t" },
        hasEnded: states.allSatisfy { $0 == "Z" || $0 == "X" },
        processorTime: UInt64(Double(ticks) * 1e9 / Host.ticksPerSecond))
    }

    /// Returns, for each thread of a process, the number of times that the thread was given a core. The thread
    /// `spectator` is omitted. The keys are the numbers of the threads. The values are text, as in `/proc`.
    private static func turns(of process: pid_t, but spectator: Int?) -> [String: Substring] {
      let tasks = namesInDirectory("/proc/\(process)/task")?.filter { Int($0) != spectator } ?? []
      let turns = tasks.map {
        ($0, readFile("/proc/\(process)/task/\($0)/schedstat")?.split(separator: " ").last ?? "")
      }
      return Dictionary(turns) { first, _ in first }
    }

    /// Returns the fields that follow the name in a `stat` file, beginning with the state; nil if the file cannot be
    /// read. The name is in parentheses and may contain any character.
    private static func words(_ path: String) -> [Substring]? {
      readFile(path)?.split(separator: ")").last?.split(separator: " ")
    }
  }
#endif
