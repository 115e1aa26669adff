import Laboratory
import Measurement

/// How the runs of a document stand to each other by one metric; runs by their index.
struct Standings: Sendable {
  /// The best run, where that is the question and there is a better and a worse.
  let best: Int?
  /// The best runs: that one, or the best of each group of runs that are compared with each other.
  let bests: Set<Int>
  /// The parameters whose settings each have a best, in words: those that say how much there is to do, of which the least would
  /// always be the best; else, where several are swept, all but the last, which are the rows of the grid. Empty where there is
  /// one best.
  let groups: String
  /// What all ratios refer to in words: the baseline's name, or `the best`; nil when there are none.
  let reference: String?
  /// Each run against its reference: the baseline at its point, else the best run where that is the question.
  let contrasts: [Int: Contrast]
  /// The runs that others are compared with.
  let references: Set<Int>
  /// The runs that the rounds do not tell from the best.
  let nearBest: Set<Int>

  init(_ index: RunIndex, by metric: MetricFacts) {
    let document = index.document
    let samples = document.runs.map { $0.metrics[metric.name] }
    let seeksBest = document.scenario.seeksBest == true
    let problem = document.scenario.problem ?? []
    let groupedBy = problem.isEmpty ? index.swept.dropLast().map(\.name) : problem
    let groupOfRun = document.runs.map { run in run.point.filter { groupedBy.contains($0.key) } }
    let runsOfGroup = Dictionary(grouping: document.runs.indices) { groupOfRun[$0] }
    let bestOfGroup = seeksBest ? runsOfGroup.compactMapValues { index.best(of: $0, by: metric) } : [:]
    let best = groupOfRun.map { bestOfGroup[$0] }
    func pairs(_ run: Int, _ other: Int) -> [(left: Double, right: Double)]? {
      guard run != other, let left = samples[run], let right = samples[other] else { return nil }
      return Contrast.pairs(left, against: right)
    }
    let given = document.runs.indices.map { run in
      document.scenario.baseline.flatMap { index.run($0, at: document.runs[run].point) }
    }
    // The confidence is that of all the verdicts together: with the best, and with the baseline beside it.
    let comparisons =
      !bestOfGroup.isEmpty
      ? runsOfGroup.values.map { group in group.count { samples[$0] != nil } }
        .reduce(0) { $0 + ConfidenceInterval.comparisons(of: $1, withBest: true) }
      : given.enumerated().count { run, other in other.flatMap { pairs(run, $0) } != nil }
    let toBest = document.runs.indices.map { run in best[run].flatMap { pairs(run, $0) } }
    let spread = ConfidenceInterval.leastSpread(ofRatios: toBest.compactMap(\.self))
    var contrasts: [Int: Contrast] = [:]
    var references: Set<Int> = []
    var nearBest: Set<Int> = []
    for run in document.runs.indices {
      let against = toBest[run].flatMap { Contrast($0, among: comparisons, spread: spread) }
      if against?.isDistinct == false { nearBest.insert(run) }
      let reference = document.scenario.baseline == nil ? best[run] : given[run]
      if let reference, reference == run {
        references.insert(run)
      } else if let reference {
        contrasts[run] =
          reference == best[run] ? against : pairs(run, reference).flatMap { Contrast($0, among: comparisons) }
      }
    }
    self.best = seeksBest ? index.best(of: document.runs.indices, by: metric) : nil
    bests = Set(bestOfGroup.values)
    groups = groupedBy.joined(separator: " and ")
    reference = contrasts.isEmpty ? nil : document.scenario.baseline ?? "the best"
    self.contrasts = contrasts
    self.references = references
    self.nearBest = nearBest
  }
}
