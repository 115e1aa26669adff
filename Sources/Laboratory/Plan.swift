import Measurement

/// How much to run.
public struct Budget: Sendable, Equatable {
  /// At most this many rounds.
  public var rounds: Int
  /// No new round starts once this much time has passed; nil for no limit.
  public var time: Duration?
  /// A trial that runs longer is ended as hung.
  public var watchdog: Duration

  /// A budget.
  public init(rounds: Int, time: Duration? = nil, watchdog: Duration = .seconds(30)) {
    self.rounds = rounds
    self.time = time
    self.watchdog = watchdog
  }

  /// 10 rounds.
  public static let standard = Budget(rounds: 10)
  /// 3 rounds, for a first look and smoke runs: enough to check guarantees and anomalies, too few to grade
  /// performance.
  public static let quick = Budget(rounds: 3)
  /// 30 rounds, for narrow intervals.
  public static let thorough = Budget(rounds: 30)
}

/// Which trials to run and in what order: every variant at every point once a round, shuffled by a seed.
public struct Plan: Sendable {
  /// What is tried.
  public let experiment: Experiment
  /// How much of it.
  public let budget: Budget
  /// The seed of the order.
  public let seed: UInt64
  /// Every variant at every point, without trials.
  public let runs: [Run]

  /// The plan of an experiment. A variant that ignores a swept parameter gets one run for all its values.
  public init(_ experiment: Experiment, budget: Budget, seed: UInt64) {
    self.experiment = experiment
    self.budget = budget
    self.seed = seed
    var standard: [String: ParameterValue] = [:]
    for parameter in experiment.pattern.parameters { standard[parameter.name] = parameter.standard }
    standard.merge(experiment.parameters) { _, set in set }
    runs = experiment.variants.flatMap { variant in
      Self.points(of: experiment.sweep.filter { !variant.ignores.contains($0.name) }).map { point in
        var parameters = standard
        for setting in point.settings { parameters[setting.name] = setting.value }
        return Run(variant: variant, point: point, parameters: parameters)
      }
    }
  }

  /// The order of one round: indices into ``runs``, the same for the same seed and round.
  public func order(ofRound round: Int) -> [Int] {
    var generator = SplitMix64(seed: seed &+ UInt64(round) &* 0x9e37_79b9)
    return Array(runs.indices).shuffled(using: &generator)
  }

  private static func points(of sweep: [(name: String, values: [ParameterValue])]) -> [Point] {
    sweep.reduce([Point()]) { points, swept in
      points.flatMap { point in swept.values.map { Point(point.settings + [Setting(swept.name, $0)]) } }
    }
  }
}
