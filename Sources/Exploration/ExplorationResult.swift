/// The result of the exploration of one variant.
public struct ExplorationResult: Sendable {
  /// The name of the pattern.
  public let pattern: String
  /// A description of the features that only this pattern's model omits; nil if there are no such features.
  public let leavesOut: String?
  /// The explored variant.
  public let variant: ExploredPattern.Variant
  /// A summary of the executed schedules; nil if the variant has no program that can be explored.
  public let summary: ExplorationSummary?
  /// The duration of the exploration, in seconds.
  public let seconds: Double
  /// The number of the scenario's own trials that showed an anomaly, and the number of its own trials that were judged;
  /// nil if no such trials were run. In the scenario's own trials, the system schedules the threads.
  public var trials: (seen: Int, of: Int)?

  /// Creates a result without trials.
  public init(
    pattern: String, leavesOut: String? = nil, variant: ExploredPattern.Variant, summary: ExplorationSummary?,
    seconds: Double
  ) {
    self.pattern = pattern
    self.leavesOut = leavesOut
    self.variant = variant
    self.summary = summary
    self.seconds = seconds
  }

  /// The reason why the variant or its program cannot be explored; nil if the variant can be explored.
  public var obstacle: String? { variant.obstacle ?? summary?.unable }

  /// Whether the variant breaks its promise in a schedule.
  public var breaks: Bool { (summary?.broken ?? 0) > 0 }

  /// Whether a variant that should keep its promise breaks the promise in a schedule.
  public var isFailure: Bool { !variant.isBroken && breaks }

  /// Whether a variant that should keep its promise kept the promise in all executed schedules, but some schedules were
  /// not executed.
  public var isUndecided: Bool {
    guard !variant.isBroken, let summary else { return false }
    return summary.broken == 0 && !summary.isComplete
  }
}
