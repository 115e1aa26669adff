/// The time until a sleeping thread runs after it is woken: on the core of the waking thread, and on another core,
/// which sleeps as well. A program observes a time between the two, depending on where the scheduler places its
/// threads.
public struct WakeUps: Sendable, Codable, Equatable {
  /// The median in nanoseconds if both threads have the same core; nil if threads cannot be kept on a core (Darwin).
  public let sameCore: Double?
  /// The median in nanoseconds if each thread has a core of its own; nil with a single core, and on Darwin.
  public let otherCore: Double?

  /// Creates wake-ups from their medians.
  public init(sameCore: Double?, otherCore: Double?) {
    self.sameCore = sameCore
    self.otherCore = otherCore
  }
}
