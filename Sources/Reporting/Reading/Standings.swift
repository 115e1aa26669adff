import Laboratory
import Measurement

/// How the runs of a document stand to each other by one metric; runs by their index.
struct Standings: Sendable {
  /// The best run, where that is the question and there is a better and a worse.
  let best: Int?
  /// The best runs: that one, or the best of each group of runs that are compared with each other.
  let bests: Set<Int>
  /// The parameters whose settings each have a best, in words: those that say how much there is to do, of which the
  /// least would always be the best; else, where several are swept, all but the last, which are the rows of the grid.
  /// Empty where there is one best.
  let groups: String
  /// The same by name.
  let groupNames: [String]
  /// What all ratios refer to in words: the baseline's name, or `the best`; nil when there are none.
  let reference: String?
  /// Each run against its reference: the baseline at its point, else the best run where that is the question.
  let contrasts: [Int: Contrast]
  /// The runs that others are compared with.
  let references: Set<Int>
  /// The runs that are not significantly different from the best.
  let nearBest: Set<Int>
  /// The runs that the rounds are too few or too noisy to rank.
  let unclear: Set<Int>

  /// A count that should be 0, and is in some runs, in a search for the best; nil for none.
  let flaw: MetricFacts?
  /// The runs that have some of it, and so are compared with no other.
  let flawed: Set<Int>

  private static let best = "the best"

  /// - Parameter shown: the metrics to show, among which the count of a flaw may be.
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
    nearBest = comparison.nearBest
    unclear = comparison.unclear
  }

  /// Whether runs are compared with the best, and not with a baseline.
  var isOfBest: Bool { reference == Self.best }

  /// Whether a run's interval against what it is compared with, the best or a baseline, is too wide to say anything.
  func isTooNoisy(_ run: Int) -> Bool {
    isOfBest
      ? unclear.contains(run) : contrasts[run].map { $0.isDistinct == false && $0.interval?.isNoise == true } == true
  }
}

extension RunIndex {
  /// Whether less of a count is better, and some settings have none of it at all.
  func isFlaw(_ metric: MetricFacts) -> Bool {
    document.scenario.seeksBest == true && metric.kind == .count && metric.better == .lower
      && document.runs.indices.contains { isZero($0, metric) }
  }

  /// Whether every round of a run that was measured came to nothing.
  fileprivate func isZero(_ run: Int, _ metric: MetricFacts) -> Bool {
    let figures = document.runs[run].metrics[metric.name]?.figures ?? []
    return !figures.isEmpty && figures.allSatisfy { $0 == 0 }
  }
}

extension SampleFacts {
  /// The figures of its rounds.
  var roundFigures: [RoundFigure] { rounds.map { RoundFigure(round: $0.round, value: $0.value.value) } }
}
