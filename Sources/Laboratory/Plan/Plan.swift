import Measurement
import Platform

/// The amount to run: rounds and time.
public struct Budget: Sendable, Equatable {
  /// The number of rounds; with a ``precision`` it is the smallest number.
  public var rounds: Int
  /// The precision of the ratios: rounds are added until the interval of every ratio reaches at most this share of the
  /// ratio to each side; nil for none.
  public var precision: Double?
  /// The time for all rounds: a round does not start if the earlier rounds suggest that it would end later; nil without
  /// a limit.
  public var time: Duration?
  /// The smallest number of rounds: if fewer fit into ``time``, the run is refused as soon as that is clear; nil to run
  /// as many as fit.
  public var least: Int?
  /// The longest time of a trial. A longer trial is `stopped`, or `hung` if it stands still, and its variant is not
  /// tried again; nil without a limit.
  public var trialTime: Duration?
  /// Whether runs with a stopped trial are tried once more, with a longer ``trialTime``, if time is left when the other
  /// runs are done.
  public var retriesStopped = false
  /// The time that is left for this run and the later ones, which no trial may exceed; nil without a limit.
  public var left: Duration?
  /// The share of the time left that one trial may take.
  public var trialShare: Double
  /// The time of the watchdog: a trial that runs longer than this plus ten times its own longest time is ended as hung.
  public var watchdog: Duration

  /// Creates a budget.
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
  /// 6 rounds, for a first look: the smallest number that can grade performance.
  public static let quick = Budget(rounds: ConfidenceInterval.fewest)
  /// 3 rounds, for smoke runs: enough to check guarantees and anomalies, and too few to grade performance.
  public static let smoke = Budget(rounds: 3)
  /// 30 rounds, for narrow intervals.
  public static let thorough = Budget(rounds: 30)
  /// The largest number of rounds, however wide the intervals still are.
  public static let mostRounds = 10_000
}

/// The trials to run and their order: every variant at every point once in each round, shuffled by a seed.
public struct Plan: Sendable {
  /// The experiment to run.
  public let experiment: Experiment
  /// The amount of the experiment to run.
  public let budget: Budget
  /// The seed of the order.
  public let seed: UInt64
  /// Every variant at every point, without trials yet.
  public let runs: [Run]

  /// Creates the plan of an experiment. A variant that ignores a swept parameter has one run for all values of it.
  ///
  /// - Parameter cores: the number that `all` cores stands for.
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

  /// Returns the order of one round: indices into ``runs``, the same for the same seed and round.
  public func order(ofRound round: Int) -> [Int] {
    var generator = SplitMix64(seed: seed &+ UInt64(round) &* 0x9e37_79b9)
    return Array(runs.indices).shuffled(using: &generator)
  }
}

extension Experiment {
  /// Returns the experiment with numbers in its sweep in place of names of other settings: their values, each once.
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

  /// Returns every combination of the values of some swept parameters.
  public func points(_ sweep: [Sweep]) -> [Point] {
    sweep.reduce([Point()]) { points, swept in
      points.flatMap { point in swept.values.map { Point(point.settings + [setting(swept.name, $0)]) } }
    }
  }

  /// Returns a setting of one of the pattern's parameters.
  public func setting(_ name: String, _ value: ParameterValue) -> Setting {
    Setting(name, value, unit: pattern.parameter(name)?.unit ?? .none)
  }
}
