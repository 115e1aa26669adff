/// A scenario whose variants can be explored.
public struct ExploredScenario: Sendable {
  /// A variant.
  public struct Variant: Sendable {
    /// The name, as scenario files write it.
    public let name: String
    /// Whether the variant is expected to break its promise.
    public let isBroken: Bool
    /// Runs the variant once, under the execution of the calling thread; nil if it cannot be explored.
    public let program: (@Sendable () -> Void)?
    /// The reason why the variant cannot be explored; nil if it can.
    public let obstacle: String?

    /// Creates a variant that can be explored.
    public init(_ name: String, isBroken: Bool, program: @escaping @Sendable () -> Void) {
      self.name = name
      self.isBroken = isBroken
      self.program = program
      obstacle = nil
    }

    /// Creates a variant that cannot be explored.
    public init(_ name: String, isBroken: Bool, obstacle: String) {
      self.name = name
      self.isBroken = isBroken
      program = nil
      self.obstacle = obstacle
    }
  }

  /// The name of the scenario.
  public let name: String
  /// The features that the model of this scenario leaves out, in sentences; nil if it leaves out only those that every
  /// model leaves out.
  public let leavesOut: String?
  /// The variants, in the order of the pattern.
  public let variants: [Variant]

  /// Creates a scenario.
  public init(_ name: String, leavesOut: String? = nil, _ variants: [Variant]) {
    self.name = name
    self.leavesOut = leavesOut
    self.variants = variants
  }
}

/// The result of exploring one variant.
public struct ExplorationResult: Sendable {
  /// The name of the scenario.
  public let scenario: String
  /// The features that the model of the scenario leaves out; nil if it leaves out only those that every model leaves
  /// out.
  public let leavesOut: String?
  /// The variant.
  public let variant: ExploredScenario.Variant
  /// The executed schedules; nil if the variant cannot be explored.
  public let summary: ExplorationSummary?
  /// The duration of the exploration, in seconds.
  public let seconds: Double
  /// The number of the scenario's own trials on free threads, and of those that showed an anomaly; nil if none ran.
  public var trials: (seen: Int, of: Int)?

  /// Creates a result.
  public init(
    scenario: String, leavesOut: String? = nil, variant: ExploredScenario.Variant, summary: ExplorationSummary?,
    seconds: Double
  ) {
    self.scenario = scenario
    self.leavesOut = leavesOut
    self.variant = variant
    self.summary = summary
    self.seconds = seconds
  }

  /// The reason why no schedule was executed; nil if some were.
  public var obstacle: String? { variant.obstacle ?? summary?.unable }

  /// Whether a variant that should hold does not.
  public var isFailure: Bool { !variant.isBroken && (summary?.broken ?? 0) > 0 }

  /// Whether a variant that should hold was neither refuted nor explored to the end.
  public var isUndecided: Bool {
    guard !variant.isBroken, let summary else { return false }
    return summary.broken == 0 && !summary.isComplete
  }
}
