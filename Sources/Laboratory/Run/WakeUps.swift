/// The time from a wake-up until the woken thread runs, on the core of the thread that wakes it and on an idle core.
/// The time that a program observes is between these two times, and depends on the cores that the scheduler chooses.
public struct WakeUps: Sendable, Codable, Equatable {
  /// The median in nanoseconds if both threads run on the same core; nil if the time cannot be measured, for instance
  /// on Darwin, where threads cannot be assigned to cores.
  public let sameCore: Double?
  /// The median in nanoseconds if each thread runs on its own core; nil if the time cannot be measured, for instance on
  /// a machine with a single core and on Darwin.
  public let otherCore: Double?

  /// Creates wake-ups from their medians.
  public init(sameCore: Double?, otherCore: Double?) {
    self.sameCore = sameCore
    self.otherCore = otherCore
  }
}
