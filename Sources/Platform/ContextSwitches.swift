/// The numbers of voluntary and involuntary context switches. In a voluntary switch, a thread leaves its core to wait.
/// In an involuntary switch, the kernel takes the core away from a thread that could have continued.
///
/// A voluntary switch does not prove a wait on a lock: a thread also switches voluntarily to wait for a page of memory.
public struct ContextSwitches: Sendable, Equatable {
  /// The number of switches in which a thread began to wait.
  public var voluntary: Int
  /// The number of switches in which a thread could have continued.
  public var involuntary: Int

  /// Creates context switches from the number of voluntary and of involuntary switches.
  public init(voluntary: Int, involuntary: Int) {
    self.voluntary = voluntary
    self.involuntary = involuntary
  }

  /// Returns the context switches of all threads of this process while `body` ran, including threads that have ended;
  /// nil if the system does not report context switches.
  public static func ofProcess<Failure: Error>(during body: () throws(Failure) -> Void) throws(Failure)
    -> ContextSwitches?
  {
    let before = ProcessCosts.soFar()
    try body()
    return since(before)
  }

  /// Returns the context switches of all threads of this process while an asynchronous `body` ran, including threads
  /// that have ended; nil if the system does not report context switches.
  public static func ofProcess(
    isolation: isolated (any Actor)? = #isolation, during body: () async throws -> Void
  ) async rethrows -> ContextSwitches? {
    let before = ProcessCosts.soFar()
    try await body()
    return since(before)
  }

  private static func since(_ before: ProcessCosts?) -> ContextSwitches? {
    before.flatMap { ProcessCosts.soFar()?.since($0).switches }
  }
}
