import Laboratory
import Measurement

/// A comparison of a document's runs by one metric, with the words and the flaws that reports need in addition to
/// ``Comparison``. A run is identified by its index in the document.
@dynamicMemberLookup
struct RunComparison: Sendable {
  private let comparison: Comparison
  /// The parameters that divide the runs into groups (``Comparison/groupParameters``) as text: `number of cores and
  /// size`; empty if all runs form one group.
  let groupsText: String
  /// The swept amounts of work as text: `size`. A flaw of a run counts for all of them.
  private let amountsText: String
  /// The reference of all ratios in words: the name of the baseline, or `the best mean`; nil if there are no ratios.
  let reference: String?
  /// The best runs that reports do not call the best, since the rank of such a run may be chance. A best run is
  /// uncertain if there are enough rounds for intervals, no other run of its group is near the best run, and at least
  /// one run of the group cannot be ranked.
  let uncertainBests: Set<Int>

  /// The best runs of the groups in which the rounds leave anything undecided on which a choice depends: the best run,
  /// or a run that is not far worse on average.
  let openBests: Set<Int>

  /// The undecided runs that are certainly worse than another undecided run of their group. Such a run is not the best,
  /// although the rounds do not rank it beside a noisier run with the best mean.
  let outclassed: Set<Int>

  /// A metric of a comparison that counts failures and is 0 in at least one run; nil if there is no such metric. A run
  /// with failures has a flaw.
  let flaw: MetricFacts?
  private let flaws: Flaws
  /// The runs with a flaw (``Flaws/flawed``), which are not compared with other runs.
  var flawed: Set<Int> { flaws.flawed }
  /// The runs with a flaw at another amount of work (``Flaws/flawedElsewhere``), which are not ranked.
  var flawedElsewhere: Set<Int> { flaws.flawedElsewhere }

  /// The runs of yardsticks that do not compete for the best of their group, and have figures.
  let yardsticks: [Int]

  /// The words for the best run, which has the best geometric mean over its rounds. Marks in the tables show whether
  /// other runs are as good.
  static let bestWords = "the best mean"

  /// Creates a comparison of runs.
  ///
  /// - Parameters:
  ///   - shown: the shown metrics, one of which may count a flaw.
  init(_ index: RunIndex, by metric: MetricFacts, shown: [MetricFacts] = []) {
    let flaw = shown.first { $0.name != metric.name && index.isFlaw($0) }
    self.flaw = flaw
    let scenario = index.document.scenario
    let policy = Comparison.Policy(
      baseline: scenario.baseline, seeksBest: scenario.isComparison, sweep: scenario.sweep,
      problem: scenario.problem ?? [])
    let amounts = Set(scenario.problem ?? []).subtracting(scenario.conditions ?? [])
    let entries = index.document.runs.enumerated().map { number, run in
      Comparison.Entry(
        variant: run.variant, point: run.point,
        figures: run.metrics[metric.name]?.roundFigures ?? [], mayBeBest: !index.isBroken(number),
        isYardstick: index.isYardstick(number))
    }
    let areZero = index.document.runs.indices.map { run in
      flaw.flatMap { index.document.runs[run].metrics[$0.name] == nil ? nil : index.isZero(run, $0) }
    }
    let flaws = Flaws(of: entries, areZero: areZero, amounts: amounts)
    self.flaws = flaws
    let comparison = Comparison(flaws.excluded(from: entries), policy, ranking: metric.better.ranking)
    self.comparison = comparison
    let competitors = Set(comparison.bests.flatMap(comparison.runs(competingWith:)))
    yardsticks =
      comparison.bests.isEmpty
      ? []
      : index.document.runs.indices.filter {
        index.isYardstick($0) && !competitors.contains($0) && index.document.runs[$0].metrics[metric.name] != nil
      }
    func text(_ names: some Sequence<String>) -> String {
      index.swept.filter { names.contains($0.name) }.map(RunNames.noun).joined(separator: " and ")
    }
    groupsText = text(comparison.groupParameters)
    amountsText = text(amounts)
    reference = comparison.contrasts.isEmpty ? nil : scenario.baseline ?? Self.bestWords
    let isCertain = index.hasEnoughRounds
    let uncertainBests = comparison.bests.filter { best in
      let group = comparison.runs(competingWith: best)
      return isCertain && !group.contains(where: comparison.isNearBest)
        && group.contains(where: comparison.undecided.contains)
    }
    self.uncertainBests = uncertainBests
    openBests = uncertainBests.union(
      comparison.bests.filter { best in
        comparison.runs(competingWith: best).contains { run in
          let hasTooFewRounds = comparison.contrastsWithBest[run].map { $0.interval == nil } ?? false
          return hasTooFewRounds || comparison.undecided.contains(run) && comparison.factor(run) < AnswerGroup.far
        }
      })
    outclassed = uncertainBests.reduce(into: []) { outclassed, best in
      let undecided = comparison.runs(competingWith: best).filter(comparison.undecided.contains)
      outclassed.formUnion(
        undecided.filter { run in
          undecided.contains {
            comparison.factor($0) < comparison.factor(run) && !comparison.areAlike(run, $0)
          }
        })
    }
  }

  /// The reason for which a run of ``flawedElsewhere`` is not ranked: `has failed-opens at another hold`.
  var flawText: String { "has \(flaw?.name ?? "") at another \(amountsText)" }

  /// Returns the words for the best run, to which ratios refer: ``bestWords``, or `the lowest mean` if reports call no
  /// run the best.
  func bestText(_ metric: MetricFacts) -> String {
    self.bests.subtracting(uncertainBests).isEmpty ? "the \(metric.superlative) mean" : Self.bestWords
  }

  /// Returns `best` with the groups that each have a best run: `the best mean for each work`.
  func forEachGroup(_ best: String = Self.bestWords) -> String {
    groupsText.isEmpty ? best : "\(best) for each \(groupsText)"
  }

  /// Returns the best run of the group of `run` (``Comparison/bestOfGroup(of:)``).
  func bestOfGroup(of run: Int) -> Int? { comparison.bestOfGroup(of: run) }

  /// Returns the runs that compete with `run` for the best of their group (``Comparison/runs(competingWith:)``).
  func runs(competingWith run: Int) -> [Int] { comparison.runs(competingWith: run) }

  /// Returns the runs that are certainly better than the best run of their group (``Comparison/runs(betterThan:)``).
  func runs(betterThan best: Int) -> [Int] { comparison.runs(betterThan: best) }

  /// Returns whether a run is as good as the best run of its group (``Comparison/isNearBest(_:)``).
  func isNearBest(_ run: Int) -> Bool { comparison.isNearBest(run) }

  /// Returns the ratio of a run to the best run of its group (``Comparison/factor(_:)``).
  func factor(_ run: Int) -> Double { comparison.factor(run) }

  /// Returns the share by which a run may be worse than the best run of its group (``Comparison/possibleLoss(_:)``).
  func possibleLoss(_ run: Int) -> Double? { comparison.possibleLoss(run) }

  /// Returns the share by which a run may be worse than another of its group (``Comparison/possibleLoss(_:beside:)``).
  func possibleLoss(_ run: Int, beside other: Int) -> Double? { comparison.possibleLoss(run, beside: other) }

  subscript<Value>(dynamicMember part: KeyPath<Comparison, Value>) -> Value { comparison[keyPath: part] }

  /// Whether runs are compared with the best run, and not with a baseline; false if there are no ratios.
  var isOfBest: Bool { reference == Self.bestWords }

  /// Returns whether two runs of a group are not distinguished by the rounds (``Comparison/areAlike(_:_:)``).
  func areAlike(_ run: Int, _ other: Int) -> Bool { comparison.areAlike(run, other) }

  /// Returns whether the interval of the ratio between a run and its reference is too wide for a statement about the
  /// run.
  func isTooNoisy(_ run: Int) -> Bool {
    isOfBest
      ? self.undecided.contains(run)
      : self.contrasts[run].map { $0.isDistinct == false && $0.isNoise == true } == true
  }
}

extension RunIndex {
  /// Returns `runs`, sorted by their settings of the swept parameters in `parameters`. The order of the sweep
  /// determines the precedence of the parameters. Runs with the same settings keep their order.
  func inOrder(of parameters: [String], _ runs: [Int]) -> [Int] {
    swept.filter { parameters.contains($0.name) }.reversed().reduce(runs) { runs, parameter in
      let order = parameter.swept ?? []
      let places = runs.enumerated().map { place, run in
        (run: run, setting: document.runs[run].point[parameter.name].flatMap(order.firstIndex) ?? order.count, place)
      }
      return places.sorted { ($0.setting, $0.2) < ($1.setting, $1.2) }.map(\.run)
    }
  }

  /// Returns whether a metric counts a flaw: the run is a comparison, a lower number of events is better, and the
  /// number is 0 in at least one run.
  func isFlaw(_ metric: MetricFacts) -> Bool {
    document.scenario.isComparison && metric.meaning == .count && metric.better == .lower
      && document.runs.indices.contains { isZero($0, metric) }
  }

  /// Returns whether a run has a figure of the metric for at least one round, and all these figures are 0.
  func isZero(_ run: Int, _ metric: MetricFacts) -> Bool {
    let figures = document.runs[run].metrics[metric.name]?.figures ?? []
    return !figures.isEmpty && figures.allSatisfy { $0 == 0 }
  }
}
