#if canImport(Darwin)
  import Darwin

  extension ProcessState {
    /// Not offered: the threads of another process are not shown to everyone.
    public init?(of process: pid_t) { nil }

    /// Not offered: what threads wait for is not told.
    public static func ofOtherThreads() -> ProcessState? { nil }
  }
#endif
