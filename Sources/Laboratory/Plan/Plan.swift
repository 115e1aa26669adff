import Measurement
import Platform

/// How much to run.
public struct Budget: Sendable, Equatable {
  /// How many rounds there are; with a ``precision`` at least this many.
  public var rounds: Int
  /// Rounds are added until the interval of every ratio is at most this share of it wide to each side; nil for none.
  public var precision: Double?
  /// No round starts that would not end within this time, as far as the rounds before it tell; nil for no limit.
  public var time: Duration?
  /// When fewer rounds than this would fit into ``time``, the run is refused as soon as that shows; nil to run what
  /// fits.
  public var least: Int?
  /// A trial that takes longer is `stopped`, or `hung` where it stands still, and its variant is not tried again; nil
  /// for no limit.
  public var trialTime: Duration?
  /// All that is left for this run and those behind it, which no trial may overdraw; nil for no limit.
  public var left: Duration?
  /// The share of what is left that one trial may take.
  public var trialShare: Double
  /// A trial that runs longer than this, and ten times what its settings come to, is ended as hung.
  public var watchdog: Duration

  /// A budget.
  public init(
    rounds: Int, precision: Double? = nil, time: Duration? = nil, least: Int? = nil,
    trialTime: Duration? = nil, left: Duration? = nil, trialShare: Double = 1, watchdog: Duration = .seconds(30)
  ) {
    self.rounds = rounds
    self.precision = precision
    self.time = time
    self.least = least
    self.trialTime = trialTime
    self.left = left
    self.trialShare = trialShare
    self.watchdog = watchdog
  }

  /// 10 rounds.
  public static let standard = Budget(rounds: 10)
  /// 6 rounds, for a first look: as few as can grade performance.
  public static let quick = Budget(rounds: ConfidenceInterval.fewest)
  /// 3 rounds, for smoke runs: enough to check guarantees and anomalies, too few to grade performance.
  public static let smoke = Budget(rounds: 3)
  /// 30 rounds, for narrow intervals.
  public static let thorough = Budget(rounds: 30)
  /// However wide the intervals still are, there are no more rounds than this.
  public static let mostRounds = 10_000
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
  ///
  /// - Parameter cores: how many there are where all of them are asked for.
  public init(_ experiment: Experiment, budget: Budget, seed: UInt64, cores: Int = Host.cores) {
    var standard: [String: ParameterValue] = [:]
    for parameter in experiment.pattern.parameters { standard[parameter.name] = parameter.standard }
    standard.merge(experiment.parameters) { _, set in set }
    standard[Cores.name] = standard[Cores.name].map { Cores.number($0, of: cores) }
    let experiment = experiment.resolvingPoints(standard, cores: cores)
    self.experiment = experiment
    self.budget = budget
    self.seed = seed
    runs = experiment.variants.flatMap { variant in
      experiment.points(experiment.sweep.filter { !variant.ignores.contains($0.name) }).map { point in
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
}

extension Experiment {
  /// The experiment with numbers in its sweep where that names another setting: what that is set to, once.
  fileprivate func resolvingPoints(_ parameters: [String: ParameterValue], cores: Int) -> Experiment {
    var changed = self
    changed.parameters[Cores.name] = parameters[Cores.name]
    changed.sweep = sweep.map { swept in
      guard pattern.parameter(swept.name)?.isNumber == true else { return swept }
      var numbers: [ParameterValue] = []
      for value in swept.values {
        let number =
          switch value {
          case _ where swept.name == Cores.name: Cores.number(value, of: cores)
          case .text(let other): parameters[other] ?? value
          case .integer: value
          }
        if !numbers.contains(number) { numbers.append(number) }
      }
      return Sweep(swept.name, numbers)
    }
    return changed
  }

  /// Every combination of the values of some of its swept parameters.
  public func points(_ sweep: [Sweep]) -> [Point] {
    sweep.reduce([Point()]) { points, swept in
      points.flatMap { point in swept.values.map { Point(point.settings + [setting(swept.name, $0)]) } }
    }
  }

  /// A setting of one of the pattern's parameters.
  public func setting(_ name: String, _ value: ParameterValue) -> Assignment {
    Assignment(name, value, unit: pattern.parameter(name)?.unit ?? .none)
  }
}
