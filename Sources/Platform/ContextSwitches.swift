/// The number of times that threads lost their core: voluntarily, by waiting, or because the kernel gave the core to
/// another thread.
///
/// A voluntary switch does not prove a wait on a lock: a thread also switches voluntarily while a page of memory is
/// fetched.
public struct ContextSwitches: Sendable, Equatable {
  /// The number of switches in which the thread began to wait.
  public var voluntary: Int
  /// The number of switches in which the thread could have continued.
  public var involuntary: Int

  /// Creates context switches from the two counts.
  public init(voluntary: Int, involuntary: Int) {
    self.voluntary = voluntary
    self.involuntary = involuntary
  }

  /// Returns the context switches of all threads of this process while `body` ran, including threads that have ended;
  /// nil if the system does not report them.
  public static func ofProcess<Failure: Error>(during body: () throws(Failure) -> Void) throws(Failure)
    -> ContextSwitches?
  {
    let before = soFar()
    try body()
    return since(before, soFar())
  }

  /// Returns the context switches of all threads of this process while an asynchronous `body` ran; nil if the system
  /// does not report them.
  public static func ofProcess(
    isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Void
  ) async rethrows -> ContextSwitches? {
    let before = soFar()
    try await body()
    return since(before, soFar())
  }

  private static func since(_ before: ContextSwitches?, _ after: ContextSwitches?) -> ContextSwitches? {
    guard let before, let after else { return nil }
    return ContextSwitches(
      voluntary: after.voluntary - before.voluntary, involuntary: after.involuntary - before.involuntary)
  }

  private static func soFar() -> ContextSwitches? {
    var usage = rusage()
    guard getrusage(wholeProcess, &usage) == 0 else { return nil }
    return ContextSwitches(voluntary: usage.ru_nvcsw, involuntary: usage.ru_nivcsw)
  }
}

#if canImport(Darwin)
  private let wholeProcess: Int32 = RUSAGE_SELF
#else
  private let wholeProcess: Int32 = RUSAGE_SELF.rawValue
#endif
