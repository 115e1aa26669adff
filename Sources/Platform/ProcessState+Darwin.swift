#if canImport(Darwin)
  import Darwin

  extension ProcessState {
    /// Always false, since Darwin does not report the threads of another process to unprivileged processes.
    public static let isReported = false

    /// Always returns nil, since Darwin does not report the threads of another process to unprivileged processes.
    public init?(of process: pid_t) { nil }

    /// Always returns nil, since Darwin does not report what threads wait for.
    public static func ofOtherThreads() -> ProcessState? { nil }
  }
#endif
