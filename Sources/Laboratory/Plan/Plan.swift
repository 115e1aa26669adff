import Measurement
import Platform

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
