import Measurement

/// How the runs of an experiment stand to each other by one metric: which run each is compared with, in which groups,
/// and how sure a ratio is among so many. The one policy, for when to stop, what a pattern finds and what every report
/// prints.
public struct Comparison: Sendable {
  /// A run as far as it is compared.
  public struct Cell: Sendable {
    let variant: String
    let point: [String: ParameterValue]
    let figures: [RoundFigure]
    let mayBeBest: Bool

    /// A run of a variant at a point, without the settings that the variant ignores.
    ///
    /// - Parameter mayBeBest: whether it can be recommended. What does it wrong is often quicker, and is best only of
    ///   its own kind.
    public init(variant: String, point: [String: ParameterValue], figures: [RoundFigure], mayBeBest: Bool = true) {
      self.variant = variant
      self.point = point
      self.figures = figures
      self.mayBeBest = mayBeBest
    }
  }

  /// What runs are compared with, and in which groups.
  public struct Policy: Sendable {
    /// The variant that ratios refer to, at the point of each run; nil for the best run of its group.
    let baseline: String?
    /// Whether the question is which run is best; without it, and without a baseline, there are no ratios.
    let seeksBest: Bool
    /// The parameters whose settings each have a best.
    let groups: [String]

    /// - Parameters:
    ///   - sweep: the swept parameters, in order.
    ///   - problem: those of them that say how much there is to do. Of these the least would always be the best, so
    ///     that each of their settings has one; where there are none, each setting of all swept parameters but the
    ///     last, which are the rows of a grid. A number of cores has a best of its own beside that: with more of them
    ///     everything is better, and nobody has them to choose.
    public init(baseline: String?, seeksBest: Bool, sweep: [String], problem: [String]) {
      self.baseline = baseline
      self.seeksBest = seeksBest
      let ways = sweep.filter { $0 != Cores.name }
      let cores = ways.isEmpty || ways.count == sweep.count ? [] : [Cores.name]
      groups = cores + (problem.isEmpty ? ways.dropLast() : problem)
    }

    /// How the runs of `experiment` are compared.
    public init(_ experiment: Experiment) {
      self.init(
        baseline: experiment.baseline, seeksBest: experiment.seeksBest, sweep: experiment.sweep.map(\.name),
        problem: experiment.sweptProblem)
    }
  }

  /// The parameters whose settings each have a best; empty where there is one best.
  public let groups: [String]
  /// The best run of all, where that is the question and there is a better and a worse.
  public let best: Int?
  /// The best runs: that one, or the best of each group of runs that are compared with each other.
  public let bests: Set<Int>
  /// Each run against its reference: the baseline at its point, else the best of its group where that is the question.
  public let contrasts: [Int: Contrast]
  /// The runs that others are compared with.
  public let references: Set<Int>
  /// The runs that are not significantly different from the best: their interval is narrow, and includes no change.
  public let nearBest: Set<Int>
  /// The runs that cannot be ranked: the interval is too wide, or reaches no change only since there are so many
  /// comparisons.
  public let unclear: Set<Int>
  /// Those of them that their rounds tell from the best by themselves, as a claim on the two is judged.
  public let apartAlone: Set<Int>

  /// The comparison of `cells`; everything in it is by their index.
  ///
  /// - Parameter ranking: which figure is the better one; nil where neither is.
  public init(_ cells: [Cell], _ policy: Policy, ranking: Ranking?) {
    let typical = cells.map { Ranking.typical($0.figures.map(\.value)) }
    func best(of runs: some Sequence<Int>) -> Int? {
      let candidates = runs.filter { cells[$0].mayBeBest && typical[$0] != nil }
      return ranking?.best(candidates.isEmpty ? Array(runs) : candidates) { typical[$0] }
    }
    let groupOfRun = cells.map { cell in cell.point.filter { policy.groups.contains($0.key) } }
    let runsOfGroup = Dictionary(grouping: cells.indices) { groupOfRun[$0] }
    let bestOfGroup = policy.seeksBest ? runsOfGroup.compactMapValues { best(of: $0) } : [:]
    let bestBeside = groupOfRun.map { bestOfGroup[$0] }
    let baseline = Self.baseline(cells, policy.baseline)
    func rounds(_ run: Int, _ other: Int?) -> PairedRounds? {
      guard let other, run != other, !cells[run].figures.isEmpty, !cells[other].figures.isEmpty else { return nil }
      return PairedRounds(cells[run].figures, against: cells[other].figures)
    }
    let toBest = cells.indices.map { rounds($0, bestBeside[$0]) }
    let toBaseline = cells.indices.map { rounds($0, baseline[$0]) }
    // The confidence is that of all the verdicts together: with the best, and with the baseline beside it.
    let comparisons =
      !bestOfGroup.isEmpty
      ? runsOfGroup.values.map { group in group.count { typical[$0] != nil } }
        .reduce(0) { $0 + ConfidenceInterval.comparisons(of: $1, withBest: true) }
      : toBaseline.count { $0 != nil }
    let spread = ConfidenceInterval.leastSpread(ofRatios: toBest.compactMap { $0?.pairs })
    var contrasts: [Int: Contrast] = [:]
    var references: Set<Int> = []
    var nearBest: Set<Int> = []
    var unclear: Set<Int> = []
    var apartAlone: Set<Int> = []
    for run in cells.indices {
      let against = toBest[run].flatMap { Contrast($0, among: comparisons, spread: spread) }
      if let against, against.isDistinct == false {
        let isApart = toBest[run]?.tellsApart == true
        if isApart { apartAlone.insert(run) }
        if isApart || against.interval?.isNoise == true { unclear.insert(run) } else { nearBest.insert(run) }
      }
      let reference = policy.baseline == nil ? bestBeside[run] : baseline[run]
      if reference == run {
        references.insert(run)
      } else if let reference {
        contrasts[run] =
          reference == bestBeside[run] ? against : toBaseline[run].flatMap { Contrast($0, among: comparisons) }
      }
    }
    groups = policy.groups
    self.best = policy.seeksBest ? best(of: cells.indices) : nil
    bests = Set(bestOfGroup.values)
    self.contrasts = contrasts
    self.references = references
    self.nearBest = nearBest
    self.unclear = unclear
    self.apartAlone = apartAlone
  }

  /// The comparison of `runs` by `metric`.
  public init(_ runs: [Run], _ policy: Policy, by metric: Metric) {
    self.init(runs.map { Cell($0, figures: $0.figures(metric)) }, policy, ranking: metric.better.ranking)
  }

  /// Whether every ratio is known to within `precision`, a share of it. What was never measured, or has no ratio, holds
  /// nothing up.
  public func isSettled(within precision: Double) -> Bool {
    contrasts.values.allSatisfy { $0.isKnown(within: precision) }
  }

  /// The run of the baseline at the point of each run, as far as the baseline heeds it.
  private static func baseline(_ cells: [Cell], _ name: String?) -> [Int?] {
    let runs = cells.indices.filter { cells[$0].variant == name }
    guard let first = runs.first else { return cells.map { _ in nil } }
    let heeded = Set(cells[first].point.keys)
    let places = Dictionary(runs.map { (cells[$0].point, $0) }, uniquingKeysWith: { first, _ in first })
    return cells.map { cell in places[cell.point.filter { heeded.contains($0.key) }] }
  }
}

extension Comparison.Cell {
  /// A run with the figures that it is compared by.
  init(_ run: Run, figures: [RoundFigure]) {
    self.init(
      variant: run.variant.name,
      point: Dictionary(run.point.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      figures: figures, mayBeBest: run.variant.role != .broken)
  }
}

extension Experiment {
  /// The swept parameters that say how much there is to do, in the order of the sweep.
  public var sweptProblem: [String] { sweep.map(\.name).filter(pattern.problem.contains) }
}
