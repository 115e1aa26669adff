import Measurement

/// A comparison of the runs of an experiment by one metric. The comparison determines the reference of each run, the
/// groups of runs, and the certainty of each ratio. A run uses the comparison to decide when to stop, a pattern to
/// compute findings, and a report to print ratios.
public struct Comparison: Sendable {
  /// The data of a run that a comparison uses.
  public struct Cell: Sendable {
    let variant: String
    let point: [String: ParameterValue]
    let figures: [RoundFigure]
    let mayBeBest: Bool

    /// Creates the cell of a variant at a point. `point` must not contain settings that the variant ignores.
    ///
    /// - Parameter mayBeBest: whether the run can be recommended. A broken variant is often faster, and is the best
    ///   variant only among broken variants.
    public init(variant: String, point: [String: ParameterValue], figures: [RoundFigure], mayBeBest: Bool = true) {
      self.variant = variant
      self.point = point
      self.figures = figures
      self.mayBeBest = mayBeBest
    }
  }

  /// The references and the groups of a comparison.
  public struct Policy: Sendable {
    /// The variant that ratios refer to, at the point of each run; nil to compare with the best run of the group.
    let baseline: String?
    /// Whether the comparison determines the best run. If the value is false and there is no baseline, there are no
    /// ratios.
    let seeksBest: Bool
    /// The names of the parameters that define groups. Each combination of their values has its own best run.
    let groups: [String]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - sweep: the names of the swept parameters, in the order of the sweep.
    ///   - problem: the names of the swept parameters that define the problem. The smallest problem would always be the
    ///     best, so each value of these parameters has its own best run. If the array is empty, each combination of the
    ///     swept parameters, not counting the cores and the last parameter, has its own best run; these combinations
    ///     are the rows of a grid. If the number of cores and other parameters are swept, each number of cores has its
    ///     own best run, since more cores usually make all variants faster and a user cannot choose to have more cores.
    public init(baseline: String?, seeksBest: Bool, sweep: [String], problem: [String]) {
      self.baseline = baseline
      self.seeksBest = seeksBest
      let ways = sweep.filter { $0 != Cores.name }
      let cores = ways.isEmpty || ways.count == sweep.count ? [] : [Cores.name]
      groups = cores + (problem.isEmpty ? ways.dropLast() : problem)
    }
  }

  /// The names of the parameters that define groups, each with its own best run; empty if all runs form one group.
  public let groups: [String]
  /// The best run of all; nil if the comparison does not determine the best run, if the metric has no better direction,
  /// or if no run has figures.
  public let best: Int?
  /// The best run of each group of several runs; empty if the comparison does not determine the best run.
  public let bests: Set<Int>
  /// The contrast of each run with its reference: the run of the baseline at the same point, or the best run of the
  /// group. A run without a ratio to a reference has no contrast.
  public let contrasts: [Int: Contrast]
  /// The runs that serve as references for other runs.
  public let references: Set<Int>
  /// The reference of each run, except of runs that are references themselves and of runs without a reference.
  public let referenceOf: [Int: Int]
  /// The runs that do not differ significantly from the best run of their group: the interval of the ratio is narrow
  /// and includes 1.
  public let nearBest: Set<Int>
  /// The runs that cannot be ranked: the interval of the ratio to the best run of the group is wide and includes 1.
  public let unclear: Set<Int>
  /// The direction in which a figure is better; nil if neither direction is better.
  private let ranking: Ranking?
  /// Whether ratios refer to a baseline, and not to the best run of a group.
  private let isOfBaseline: Bool
  /// The number of comparisons that share the confidence.
  private let comparisons: Int
  /// For each run, the smallest plausible standard deviation of the logarithms of ratios to the best run of its group;
  /// 0 if the group has no best run. A noisy group says nothing about the noise of another group.
  private let spreads: [Double]

  /// Creates the comparison of `cells`. All results refer to cells by their indices.
  ///
  /// - Parameter ranking: the direction in which a figure is better; nil if neither direction is better.
  public init(_ cells: [Cell], _ policy: Policy, ranking: Ranking?) {
    let typical = cells.map { Ranking.typical($0.figures.map(\.value)) }
    func best(of runs: some Sequence<Int>) -> Int? {
      let candidates = runs.filter { cells[$0].mayBeBest && typical[$0] != nil }
      return ranking.flatMap { Self.best(of: candidates.isEmpty ? Array(runs) : candidates, cells, typical, $0) }
    }
    let groupOfRun = cells.map { cell in cell.point.filter { policy.groups.contains($0.key) } }
    let runsOfGroup = Dictionary(grouping: cells.indices) { groupOfRun[$0] }
    // A run that is not compared with another run is not a best run.
    let bestOfGroup =
      policy.seeksBest ? runsOfGroup.filter { $0.value.count > 1 }.compactMapValues { best(of: $0) } : [:]
    let bestBeside = groupOfRun.map { bestOfGroup[$0] }
    let baseline = Self.baseline(cells, policy.baseline)
    func rounds(_ run: Int, _ other: Int?) -> PairedRounds? {
      guard let other, run != other, !cells[run].figures.isEmpty, !cells[other].figures.isEmpty else { return nil }
      return PairedRounds(cells[run].figures, against: cells[other].figures)
    }
    let toBest = cells.indices.map { rounds($0, bestBeside[$0]) }
    let toBaseline = cells.indices.map { rounds($0, baseline[$0]) }
    // The confidence applies to all verdicts together: comparisons with the best run, and with the baseline.
    let comparisons =
      !bestOfGroup.isEmpty
      ? runsOfGroup.values.map { group in group.count { typical[$0] != nil } }
        .reduce(0) { $0 + ConfidenceInterval.comparisons(of: $1, withBest: true) }
      : toBaseline.count { $0 != nil }
    let spreadOfGroup = runsOfGroup.mapValues { group in
      ConfidenceInterval.leastSpread(ofRatios: group.compactMap { toBest[$0]?.pairs })
    }
    let spreads = groupOfRun.map { spreadOfGroup[$0] ?? 0 }
    var contrasts: [Int: Contrast] = [:]
    var references: Set<Int> = []
    var referenceOf: [Int: Int] = [:]
    var nearBest: Set<Int> = []
    var unclear: Set<Int> = []
    for run in cells.indices {
      let against = toBest[run].flatMap { Contrast($0, among: comparisons, spread: spreads[run]) }
      if let against, against.isDistinct == false {
        if against.isNoise == true { unclear.insert(run) } else { nearBest.insert(run) }
      }
      let reference = policy.baseline == nil ? bestBeside[run] : baseline[run]
      if reference == run {
        references.insert(run)
      } else if let reference {
        contrasts[run] =
          reference == bestBeside[run] ? against : toBaseline[run].flatMap { Contrast($0, among: comparisons) }
        referenceOf[run] = reference
      }
    }
    groups = policy.groups
    self.ranking = ranking
    isOfBaseline = policy.baseline != nil
    self.best = policy.seeksBest ? best(of: cells.indices) : nil
    bests = Set(bestOfGroup.values)
    self.contrasts = contrasts
    self.references = references
    self.referenceOf = referenceOf
    self.nearBest = nearBest
    self.unclear = unclear
    self.comparisons = comparisons
    self.spreads = spreads
  }

  /// Creates the comparison of `runs` by `metric`.
  public init(_ runs: [Run], _ policy: Policy, by metric: Metric) {
    self.init(runs.map { Cell($0, figures: $0.figures(metric)) }, policy, ranking: metric.better.ranking)
  }

  /// Returns whether a run is as good as the best run of its group: the run does not differ significantly from the best
  /// run, or is certainly at most ``ConfidenceInterval/alikeDifference`` worse. If ratios refer to a baseline, only the
  /// first condition counts.
  public func isNearBest(_ run: Int) -> Bool {
    if nearBest.contains(run) { return true }
    return !unclear.contains(run) && (possibleLoss(run) ?? .infinity) <= ConfidenceInterval.alikeDifference
  }

  /// Returns the share by which a run may be worse than the best run of its group, at the worse end of the interval of
  /// their ratio; nil if there is no interval, or if ratios refer to a baseline.
  public func possibleLoss(_ run: Int) -> Double? {
    guard let ranking, !isOfBaseline, let interval = contrasts[run]?.interval else { return nil }
    return (ranking == .higher ? 1 / interval.low : interval.high) - 1
  }

  /// Returns the contrast of two runs of the group of `run`, with the certainty of the comparison's own ratios; nil if
  /// there is no ratio. One of the two runs may be the best run.
  public func contrast(_ rounds: PairedRounds, inGroupOf run: Int) -> Contrast? {
    Contrast(rounds, among: comparisons, spread: spreads[run])
  }

  /// Returns the run with the best typical figure; nil if no run has a figure. The machine may have changed while some
  /// runs got fewer rounds, so a run with far fewer rounds is compared with the best of the other runs in the rounds
  /// that both runs have.
  private static func best(of runs: [Int], _ cells: [Cell], _ typical: [Double?], _ ranking: Ranking) -> Int? {
    let most = runs.map { cells[$0].figures.count }.max() ?? 0
    let (full, fewer) = (
      runs.filter { 4 * cells[$0].figures.count >= 3 * most }, runs.filter { 4 * cells[$0].figures.count < 3 * most }
    )
    guard let leader = ranking.best(full, by: { typical[$0] }) else { return nil }
    let ratios = Dictionary(
      uniqueKeysWithValues: fewer.map { ($0, PairedRounds(cells[$0].figures, against: cells[leader].figures)) })
    return ranking.best([leader] + fewer) { run in
      guard let rounds = ratios[run] else { return 1 }
      return rounds.areRatios ? Ranking.typical(rounds.pairs.map { $0.left / $0.right }) : nil
    }
  }

  /// Returns the precision of the least precise ratio, as a share of the ratio; nil if a ratio has too few rounds. Runs
  /// without figures, runs without a ratio, and runs for which `isSettled` returns true do not count. If no run counts,
  /// the result is 0.
  func precision(except isSettled: (Int) -> Bool) -> Double? {
    var worst = 0.0
    for (run, contrast) in contrasts where !isSettled(run) {
      guard let own = contrast.precision else { return nil }
      worst = max(worst, own)
    }
    return worst
  }

  /// The smallest factor between a run that is out of reach and the best run. Such a run hardly affects the answer.
  static let outOfReach = 2.0

  /// Returns the runs whose figures certainly differ from the figures of their references by more than `factor`, in
  /// ascending order.
  func runs(apartBy factor: Double) -> [Int] {
    contrasts.filter { _, contrast in
      contrast.interval.map { $0.low > factor || $0.high < 1 / factor } ?? false
    }.keys.sorted()
  }

  /// Returns, for each run, the run of the baseline at the same point; nil if there is no such run. Settings that the
  /// baseline ignores are not compared.
  private static func baseline(_ cells: [Cell], _ name: String?) -> [Int?] {
    let runs = cells.indices.filter { cells[$0].variant == name }
    guard let first = runs.first else { return cells.map { _ in nil } }
    let affecting = Set(cells[first].point.keys)
    let places = Dictionary(runs.map { (cells[$0].point, $0) }, uniquingKeysWith: { first, _ in first })
    return cells.map { cell in places[cell.point.filter { affecting.contains($0.key) }] }
  }
}

extension Comparison.Cell {
  /// Creates the cell of a run from the figures to compare.
  init(_ run: Run, figures: [RoundFigure]) {
    self.init(
      variant: run.variant.name,
      point: Dictionary(run.point.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      figures: figures, mayBeBest: run.variant.role != .broken)
  }
}
