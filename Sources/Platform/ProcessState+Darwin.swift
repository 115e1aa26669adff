#if canImport(Darwin)
  import Darwin

  extension ProcessState {
    /// Not available: Darwin does not show the threads of another process to everyone.
    public init?(of process: pid_t) { nil }

    /// Not available: Darwin does not report what threads wait for.
    public static func ofOtherThreads() -> ProcessState? { nil }
  }
#endif
