import Laboratory
import Measurement

/// The runs of a document, indexed by variant and point.
struct RunIndex: Sendable {
  let document: ResultDocument
  /// The label of each run, in the notation of checks: `apply[stride=64]`.
  let labels: [String]
  /// The swept parameters, in the order of the sweep.
  let swept: [ParameterFacts]
  /// The index of each variant in the scenario, by the name of the variant.
  let variants: [String: Int]
  private let numbers: [RunKey: Int]
  /// The names of the swept parameters that affect each variant. A variant that ignores a parameter has one run for all
  /// values of the parameter.
  private let affecting: [String: Set<String>]
  /// Whether there are runs, and the variants of all of them are broken.
  let areAllBroken: Bool

  /// The variant and the point, which identify a run.
  struct RunKey: Hashable {
    let variant: String
    let point: [String: ParameterValue]
  }

  init(_ document: ResultDocument) {
    self.document = document
    let parameters = Dictionary(firstOf: document.scenario.parameters.map { ($0.name, $0) })
    let swept = document.scenario.sweep.compactMap { parameters[$0] }
    self.swept = swept
    variants = Dictionary(firstOf: document.scenario.variants.enumerated().map { ($1.name, $0) })
    labels = document.runs.map { Self.label($0, swept) }
    numbers = Dictionary(firstOf: document.runs.enumerated().map { (RunKey(variant: $1.variant, point: $1.point), $0) })
    affecting = Dictionary(firstOf: document.runs.map { ($0.variant, Set($0.point.keys)) })
    let broken = Set(document.scenario.variants.filter(\.isBroken).map(\.name))
    areAllBroken = !document.runs.isEmpty && document.runs.allSatisfy { broken.contains($0.variant) }
  }

  /// Returns whether a run is shown as wrong: its variant is broken, and the run is not sound.
  ///
  /// A run is sound if all its trials completed, a guarantee about its variant held, and no anomaly of its variant was
  /// witnessed.
  func isWrong(_ run: Int) -> Bool {
    let facts = document.runs[run]
    guard isBroken(run) else { return false }
    let own = document.claims.filter { claim in
      claim.writtenCheck?.figures.contains { $0.scope == .variant(facts.variant) } == true
    }
    let isSound =
      facts.outcomes.incompleteKinds.isEmpty && own.contains { $0.verdict == .held }
      && !own.contains { $0.verdict == .witnessed }
    return !isSound
  }

  /// Returns whether the variant of a run is broken. The failure of a broken variant is the lesson of the scenario.
  func isBroken(_ run: Int) -> Bool {
    variants[document.runs[run].variant].map { document.scenario.variants[$0].isBroken } ?? false
  }

  /// Returns whether the variant of a run is a yardstick, which only serves for comparison.
  func isYardstick(_ run: Int) -> Bool {
    variants[document.runs[run].variant].map { document.scenario.variants[$0].isYardstick } ?? false
  }

  /// Returns the index of the run of a variant at a point; nil if there is no such run. Settings of parameters that the
  /// variant ignores have no effect.
  func run(_ variant: String, at point: [String: ParameterValue]) -> Int? {
    guard let affecting = affecting[variant] else { return nil }
    return numbers[RunKey(variant: variant, point: point.filter { affecting.contains($0.key) })]
  }

  /// Returns the label of a run: its variant and point, without the settings of the parameters in `dropped`.
  static func label(_ run: RunFacts, _ swept: [ParameterFacts], without dropped: Set<String> = []) -> String {
    let settings = swept.compactMap { parameter in
      dropped.contains(parameter.name) ? nil : run.point[parameter.name].map(parameter.label)
    }
    return settings.isEmpty ? run.variant : "\(run.variant)[\(settings.joined(separator: ","))]"
  }

  /// Returns the index of the best of some runs; nil if neither direction of the metric is better, or if none of the
  /// runs has a figure.
  func best(of runs: some Sequence<Int>, by metric: MetricFacts) -> Int? {
    metric.better.ranking?.best(runs) { typical($0, metric) }
  }

  /// Whether a run has enough rounds for an interval.
  var hasEnoughRounds: Bool { document.runs.contains { $0.rounds >= ConfidenceInterval.fewest } }

  /// Returns whether the values of a parameter are different amounts of work. A smaller amount is not a better
  /// setting.
  func definesWork(_ parameter: ParameterFacts) -> Bool {
    document.scenario.problem?.contains(parameter.name) == true
  }

  /// Returns the best run of each variant. If neither direction of the metric is better, the run with the lowest figure
  /// counts as the best.
  ///
  /// Only runs with the same amount of work are compared. The parameter `along`, which is the axis of a plot, does not
  /// count as an amount of work. The result contains the best run of each variant for each amount. If these are more
  /// than `most` runs of several amounts, the result contains only the best runs for one amount, and `fixed` is this
  /// amount. Otherwise, `fixed` is nil.
  func bestOfEachVariant(by metric: MetricFacts, along: String? = nil, most: Int) -> (
    runs: [Int], fixed: Fixed?
  ) {
    let ranking = metric.better.ranking ?? .lower
    let amounts = swept.filter { $0.name != along && definesWork($0) }
    func problem(_ run: Int) -> [String: ParameterValue] {
      document.runs[run].point.filter { setting in amounts.contains { $0.name == setting.key } }
    }
    let measured = document.runs.indices.filter { document.runs[$0].metrics[metric.name] != nil }
    func bests(_ runs: [Int]) -> [Int] {
      document.scenario.variants.flatMap { variant in
        runs.filter { document.runs[$0].variant == variant.name }.grouped(by: problem).compactMap { _, runs in
          ranking.best(runs) { typical($0, metric) }
        }
      }
    }
    // The curves of different settings are compared at the largest amount of work, where they differ most.
    let axis = swept.first { $0.name == along && definesWork($0) }
    let compared = measured.filter { axis?.isMost(in: document.runs[$0].point) ?? true }
    let all = bests(compared)
    // A medium amount is more informative than the smallest or the largest amount.
    let problems = measured.map(problem).filter { $0.count == amounts.count }.distinct
    guard all.count > most, problems.count > 1 else { return (all, nil) }
    let fixed = problems[problems.count / 2]
    let label = amounts.compactMap { parameter in fixed[parameter.name].map(parameter.label) }.joined(separator: ", ")
    let shown = bests(compared.filter { problem($0).allSatisfy { fixed[$0.key] == $0.value } })
    return (shown, Fixed(label: label, names: Set(fixed.keys)))
  }

  /// The amount of work that all runs in a plot share: `size=64`.
  struct Fixed {
    let label: String
    let names: Set<String>
  }

  /// Returns the two states between which the rounds of a run alternate; nil if the rounds show no two states.
  func states(of run: Int, _ metric: MetricFacts) -> States? {
    document.runs[run].metrics[metric.name].flatMap { States($0.figures) }
  }

  private func typical(_ run: Int, _ metric: MetricFacts) -> Double? {
    document.runs[run].metrics[metric.name].flatMap { Ranking.typical($0.figures) }
  }
}
