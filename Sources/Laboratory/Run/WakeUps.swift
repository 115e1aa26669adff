/// How long it takes until a thread that sleeps runs: on the core of the thread that wakes it, and on another core,
/// which sleeps, too. What a program sees lies between the two, as the scheduler places its threads.
public struct WakeUps: Sendable, Codable, Equatable {
  /// The median in nanoseconds where both have the same core; nil where threads cannot be kept on a core (Darwin).
  public let sameCore: Double?
  /// The median in nanoseconds where each has a core of its own; nil with a single core, and on Darwin.
  public let otherCore: Double?

  /// Wake-ups of these medians.
  public init(sameCore: Double?, otherCore: Double?) {
    self.sameCore = sameCore
    self.otherCore = otherCore
  }
}
