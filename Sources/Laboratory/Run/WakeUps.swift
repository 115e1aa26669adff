/// The time from the wake-up of a sleeping thread until the thread runs: on the core of the waking thread, and on
/// another core that sleeps as well. The time that a program observes is between these two times, and depends on where
/// the scheduler places its threads.
public struct WakeUps: Sendable, Codable, Equatable {
  /// The median in nanoseconds if both threads run on the same core; nil if threads cannot be confined to a core
  /// (Darwin).
  public let sameCore: Double?
  /// The median in nanoseconds if each thread runs on its own core; nil on a machine with a single core, and on Darwin.
  public let otherCore: Double?

  /// Creates wake-ups from their medians.
  public init(sameCore: Double?, otherCore: Double?) {
    self.sameCore = sameCore
    self.otherCore = otherCore
  }
}
