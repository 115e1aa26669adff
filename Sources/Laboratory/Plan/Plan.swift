import Measurement
import Platform

/// The extent of a run: the number of rounds, and the limits of the time.
public struct Budget: Sendable, Equatable {
  /// The number of rounds. If ``precision`` is not nil, this is the smallest number of rounds.
  public var rounds: Int
  /// The precision that the ratios must reach, as a share; nil for a fixed number of rounds. Rounds are added until the
  /// interval of every ratio extends at most this share of the ratio to each side.
  public var precision: Double?
  /// The shortest time after which a run ends because it has reached ``precision`` or ``rounds``. The rounds of a
  /// shorter run may all lie within one disturbance of the machine. The precision of these rounds would describe only
  /// the disturbance.
  public var shortestTime = Duration.zero
  /// The time limit for all rounds; nil for no limit. A round does not start if the earlier rounds suggest that the
  /// round would exceed the limit.
  public var time: Duration?
  /// The smallest number of rounds; nil to run as many rounds as fit into ``time``. If fewer rounds fit into ``time``,
  /// the run is refused as soon as this is clear.
  public var fewestRounds: Int?
  /// The time limit of a trial; nil for no limit. A trial that exceeds the limit is `stopped`, or `hung` if all its
  /// threads sleep long after the trial should have ended. After a stopped trial, its run is not tried again; after a
  /// hung trial, its variant is not tried again.
  public var trialTime: Duration?
  /// Whether runs with a stopped trial are tried once more, with a longer ``trialTime``, if time remains when the other
  /// runs are done.
  public var retriesStopped = false
  /// The remaining time, at the start of the run, for this run and the later runs; nil if the time is not limited.
  public var timeLeft: Duration?
  /// The share of the remaining time that one trial may take, from 0 to 1.
  public var trialShare: Double
  /// The fixed part of the time limit of a trial. The lab ends a trial as hung after this time plus ten times the
  /// longest time that the trial takes on an idle machine (``Pattern/longest(_:)``).
  public var watchdog: Duration

  /// Creates a budget.
  public init(
    rounds: Int, precision: Double? = nil, time: Duration? = nil, fewestRounds: Int? = nil,
    trialTime: Duration? = nil, timeLeft: Duration? = nil, trialShare: Double = 1, watchdog: Duration = .seconds(30)
  ) {
    self.rounds = rounds
    self.precision = precision
    self.time = time
    self.fewestRounds = fewestRounds
    self.trialTime = trialTime
    self.timeLeft = timeLeft
    self.trialShare = trialShare
    self.watchdog = watchdog
  }

  /// A budget of 10 rounds.
  public static let standard = Budget(rounds: 10)
  /// A budget of 6 rounds for a first look: the smallest number by which performance can be judged.
  public static let quick = Budget(rounds: ConfidenceInterval.fewest)
  /// A budget of 3 rounds for smoke runs: enough to check guarantees and anomalies, and too few to judge performance.
  public static let smoke = Budget(rounds: 3)
  /// A budget of 30 rounds for narrow intervals.
  public static let thorough = Budget(rounds: 30)
  /// The largest number of rounds of a run, regardless of the width of the intervals.
  public static let mostRounds = 10_000
}

/// The trials to run and their order: every variant at every point once in each round, shuffled by a seed.
public struct Plan: Sendable {
  /// The experiment to run.
  public let experiment: Experiment
  /// The number of rounds of the run, and the limits of the time.
  public var budget: Budget
  /// The seed of the run, for the order of the trials and for all random numbers of the trials.
  public let seed: UInt64
  /// The runs of every variant at every point, without trials.
  public let runs: [VariantRun]

  /// Creates the plan of an experiment. A variant that ignores a swept parameter has one run for all values of the
  /// parameter.
  ///
  /// - Parameter cores: the number of cores that the value `all` stands for.
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
        return VariantRun(variant: variant, point: point, parameters: parameters)
      }
    }
  }

  /// Returns the order of a round's trials as indices into ``runs``. The order is the same for the same seed and round.
  public func order(ofRound round: Int) -> [Int] {
    var generator = SplitMix64(seed: seed &+ UInt64(round) &* 0x9e37_79b9)
    return Array(runs.indices).shuffled(using: &generator)
  }
}

extension Experiment {
  /// Returns the experiment with values in place of names in the sweep: the number of cores in place of `all`, and the
  /// values of other settings in place of the names of these settings. Each value occurs once.
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

  /// Returns a point for every combination of the values in `sweep`; the empty point if `sweep` is empty.
  public func points(_ sweep: [Sweep]) -> [Point] {
    sweep.reduce([Point()]) { points, swept in
      points.flatMap { point in swept.values.map { Point(point.settings + [setting(swept.name, $0)]) } }
    }
  }

  /// Returns the setting of the parameter called `name` to `value`, with the unit of the parameter. The unit of an
  /// unknown parameter is `none`.
  public func setting(_ name: String, _ value: ParameterValue) -> Setting {
    Setting(name, value, unit: pattern.parameter(name)?.unit ?? .none)
  }
}
