import Laboratory
import Measurement

/// The comparison of a document's runs by one metric. Runs are identified by their index.
struct RunComparison: Sendable {
  /// The best run; nil if the run was not a search, or if neither direction of the metric is better.
  let best: Int?
  /// The best runs: the single best one, or the best of each group of runs that are compared with each other.
  let bests: Set<Int>
  /// The parameters of which each setting has a best run of its own, in words. They are the parameters for the amount
  /// of work, since the least work would always be the best. Without such parameters, they are all swept parameters
  /// except the last, which form the rows of the grid. Empty if there is one best run.
  let groups: String
  /// The names of the parameters in `groups`.
  let groupNames: [String]
  /// The reference of all ratios in words: the name of the baseline, or `the best`; nil if there are no ratios.
  let reference: String?
  /// Each run compared with its reference: the baseline at its point, or the best run in a search.
  let contrasts: [Int: Contrast]
  /// The runs to which others are compared.
  let references: Set<Int>
  /// The reference of each run that is compared with another one.
  let referenceOf: [Int: Int]
  /// The runs that do not differ significantly from the best.
  let nearBest: Set<Int>
  /// The runs that cannot be ranked, since the rounds are too few or too noisy.
  let unclear: Set<Int>

  /// The best runs that no report names as the best, since they are the best by chance: there are enough rounds for
  /// intervals, no other run is near the best, and some of the other runs cannot be ranked.
  let unnamed: Set<Int>

  /// A count that should be 0 and is not 0 in some runs of a search; nil for none.
  let flaw: MetricFacts?
  /// The runs with a flaw, which are not compared with others.
  let flawed: Set<Int>

  /// The words for the run with the best geometric mean over its rounds. The marks show whether other runs are as good.
  static let best = "the best mean"

  /// - Parameter shown: The metrics to show, which may include the count of a flaw.
  init(_ index: RunIndex, by metric: MetricFacts, shown: [MetricFacts] = []) {
    let flaw = shown.first { $0.name != metric.name && index.isFlaw($0) }
    let counted = flaw.map { flaw in
      index.document.runs.indices.filter {
        index.document.runs[$0].metrics[flaw.name] != nil && !index.isZero($0, flaw)
      }
    }
    let flawed = Set(counted ?? [])
    (self.flaw, self.flawed) = (flaw, flawed)
    let scenario = index.document.scenario
    let cells = index.document.runs.enumerated().map { number, run in
      Comparison.Cell(
        variant: run.variant, point: run.point,
        figures: flawed.contains(number) ? [] : run.metrics[metric.name]?.roundFigures ?? [],
        mayBeBest: !index.isBroken(number))
    }
    let policy = Comparison.Policy(
      baseline: scenario.baseline, seeksBest: scenario.seeksBest == true, sweep: scenario.sweep,
      problem: scenario.problem ?? [])
    let comparison = Comparison(cells, policy, ranking: metric.better.ranking)
    best = comparison.best
    bests = comparison.bests
    groupNames = comparison.groups
    groups = comparison.groups.joined(separator: " and ")
    reference = comparison.contrasts.isEmpty ? nil : scenario.baseline ?? Self.best
    contrasts = comparison.contrasts
    references = comparison.references
    referenceOf = comparison.referenceOf
    nearBest = comparison.nearBest
    unclear = comparison.unclear
    let isCertain = (index.document.runs.map(\.rounds).max() ?? 0) >= ConfidenceInterval.fewest
    let names = comparison.groups
    unnamed = comparison.bests.filter { best in
      let group = index.candidates(beside: best, in: names)
      return isCertain && !group.contains(where: comparison.nearBest.contains)
        && group.contains(where: comparison.unclear.contains)
    }
  }

  /// Whether runs are compared with the best one, and not with a baseline.
  var isOfBest: Bool { reference == Self.best }

  /// Returns whether the interval of a run against its reference, the best run or a baseline, is too wide for any
  /// statement.
  func isTooNoisy(_ run: Int) -> Bool {
    isOfBest
      ? unclear.contains(run) : contrasts[run].map { $0.isDistinct == false && $0.interval?.isNoise == true } == true
  }
}

extension RunIndex {
  /// Returns the runs that compete with a best run, itself included: they have the same settings of `groups`. A broken
  /// variant is not a candidate.
  func candidates(beside best: Int, in groups: [String]) -> [Int] {
    document.runs.indices.filter { run in
      groups.allSatisfy { document.runs[run].point[$0] == document.runs[best].point[$0] }
        && (!isBroken(run) || isBroken(best))
    }
  }

  /// Returns whether a lower count is better, and some settings have a count of 0.
  func isFlaw(_ metric: MetricFacts) -> Bool {
    document.scenario.seeksBest == true && metric.kind == .count && metric.better == .lower
      && document.runs.indices.contains { isZero($0, metric) }
  }

  /// Returns whether every round of a measured run has a figure of 0.
  fileprivate func isZero(_ run: Int, _ metric: MetricFacts) -> Bool {
    let figures = document.runs[run].metrics[metric.name]?.figures ?? []
    return !figures.isEmpty && figures.allSatisfy { $0 == 0 }
  }
}

extension SampleFacts {
  /// The figures of the rounds.
  var roundFigures: [RoundFigure] { rounds.map { RoundFigure(round: $0.round, value: $0.value.value) } }
}
