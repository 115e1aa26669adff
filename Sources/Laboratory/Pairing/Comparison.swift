import Measurement

/// A comparison of the runs of an experiment by one metric. The comparison determines the reference of each run, the
/// groups of runs, and the certainty of each ratio. A run uses the comparison to decide when to stop, a pattern to
/// compute findings, and a report to print ratios.
public struct Comparison: Sendable {
  /// The data of a run that a comparison uses.
  public struct Entry: Sendable {
    let variant: String
    let point: [String: ParameterValue]
    var figures: [RoundFigure]
    var mayBeBest: Bool
    let isYardstick: Bool

    /// Creates the entry of a variant at a point. `point` must not contain settings that the variant ignores.
    ///
    /// - Parameters:
    ///   - mayBeBest: whether the run can be recommended. A broken variant is often faster, and is the best variant
    ///     only among broken variants.
    ///   - isYardstick: whether the variant only serves for comparison. A yardstick is the best variant only if no two
    ///     other runs are compared, or if it is the baseline, which a program already uses.
    public init(
      variant: String, point: [String: ParameterValue], figures: [RoundFigure], mayBeBest: Bool = true,
      isYardstick: Bool = false
    ) {
      self.variant = variant
      self.point = point
      self.figures = figures
      self.mayBeBest = mayBeBest
      self.isYardstick = isYardstick
    }
  }

  /// The rule for which runs are compared with which reference, and which runs form a group.
  public struct Policy: Sendable {
    /// The variant that ratios refer to, at the point of each run; nil to compare with the best run of the group.
    let baseline: String?
    /// Whether the comparison determines the best run. If the value is false and there is no baseline, there are no
    /// ratios.
    let seeksBest: Bool
    /// The names of the parameters that define groups. Each combination of their values has its own best run.
    let groupParameters: [String]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - sweep: the names of the swept parameters, in the order of the sweep.
    ///   - problem: the names of the swept parameters that define the problem. The smallest problem would always be the
    ///     best, so each value of these parameters has its own best run. If the number of cores and other parameters
    ///     are swept, each number of cores has its own best run, since more cores usually make all variants faster and
    ///     a user cannot choose to have more cores.
    public init(baseline: String?, seeksBest: Bool, sweep: [String], problem: [String]) {
      self.baseline = baseline
      self.seeksBest = seeksBest
      let isOfSeveral = sweep.count > 1 && sweep.contains(Cores.name)
      groupParameters = (isOfSeveral ? [Cores.name] : []) + problem
    }
  }

  /// The names of the parameters that define groups, each with its own best run; empty if all runs form one group.
  public let groupParameters: [String]
  /// The best run of all; nil if the comparison does not determine the best run, if the metric has no better direction,
  /// or if no run has figures.
  public let best: Int?
  /// The best run of each group of several runs; empty if the comparison does not determine the best run.
  public let bests: Set<Int>
  /// The contrast of each run with its reference: the run of the baseline at the same point, or the best run of the
  /// group. A run without a ratio to a reference has no contrast.
  public let contrasts: [Int: Contrast]
  /// The contrast of each run with the best run of its group, also if ratios refer to a baseline. The best run, and a
  /// run without a ratio to the best run, have no contrast.
  public let contrastsWithBest: [Int: Contrast]
  /// The runs that serve as references for other runs.
  public let references: Set<Int>
  /// The reference of each run, except of runs that are references themselves and of runs without a reference.
  public let referenceOf: [Int: Int]
  /// The runs that do not differ significantly from the best run of their group: the interval of the ratio is narrow
  /// and includes 1.
  public let nearBest: Set<Int>
  /// The runs that cannot be ranked: the interval of the ratio to the best run of the group is wide and includes 1.
  public let undecided: Set<Int>
  /// The runs of broken variants whose reference is not of a broken variant. Reports do not rank such a run.
  private let unranked: Set<Int>
  /// The groups of runs, with the runs that compete for the best of each group.
  private let grouping: ComparedGroups
  /// The figures of each run.
  private let figures: [[RoundFigure]]
  /// The direction in which a figure is better; nil if neither direction is better.
  private let ranking: Ranking?
  /// The number of comparisons that share the confidence.
  private let comparisons: Int
  /// For each run, the smallest plausible standard deviation of the logarithms of ratios to the best run of its group;
  /// 0 if the group has no best run. A noisy group says nothing about the noise of another group.
  private let spreads: [Double]

  /// Creates the comparison of `entries`. All results refer to entries by their indices.
  ///
  /// - Parameter ranking: the direction in which a figure is better; nil if neither direction is better.
  public init(_ entries: [Entry], _ policy: Policy, ranking: Ranking?) {
    let grouping = ComparedGroups(entries, policy, ranking)
    let baseline = Self.baseline(entries, policy.baseline)
    func rounds(_ run: Int, _ other: Int?) -> PairedRounds? {
      guard let other, run != other, !entries[run].figures.isEmpty, !entries[other].figures.isEmpty else { return nil }
      return PairedRounds(entries[run].figures, against: entries[other].figures)
    }
    let toBest = entries.indices.map { rounds($0, grouping.best(beside: $0)) }
    let toBaseline = entries.indices.map { rounds($0, baseline[$0]) }
    // The confidence applies to all verdicts together: comparisons with the best run, and with the baseline.
    let comparisons = grouping.hasBest ? grouping.comparisons : toBaseline.count { $0 != nil }
    let spreads = grouping.spreads(of: toBest)
    let withBest = entries.indices.map { run in
      toBest[run].flatMap { Contrast($0, among: comparisons, spread: spreads[run]) }
    }
    let withBaseline = toBaseline.map { $0.flatMap { Contrast($0, among: comparisons) } }

    let alike = entries.indices.filter { withBest[$0]?.isDistinct == false }
    undecided = Set(alike.filter { withBest[$0]?.isNoise == true })
    nearBest = Set(alike).subtracting(undecided)

    let isOfBaseline = policy.baseline != nil
    let referenceOf = entries.indices.map { isOfBaseline ? baseline[$0] : grouping.best(beside: $0) }
    let compared = entries.indices.filter { referenceOf[$0] != nil && referenceOf[$0] != $0 }
    references = Set(entries.indices.filter { referenceOf[$0] == $0 })
    self.referenceOf = Dictionary(
      uniqueKeysWithValues: compared.compactMap { run in referenceOf[run].map { (run, $0) } })
    contrastsWithBest = Dictionary(
      uniqueKeysWithValues: entries.indices.compactMap { run in withBest[run].map { (run, $0) } })
    contrasts = Dictionary(
      uniqueKeysWithValues: compared.compactMap { run in
        // If the baseline is also the best run, the ratio has the certainty of the comparison with the best run.
        let isBest = referenceOf[run] == grouping.best(beside: run)
        return (isBest ? withBest[run] : withBaseline[run]).map { (run, $0) }
      })

    unranked = Set(
      isOfBaseline
        ? []
        : compared.filter { run in
          !entries[run].mayBeBest && referenceOf[run].map { entries[$0].mayBeBest } == true
        })

    self.grouping = grouping
    groupParameters = policy.groupParameters
    best = grouping.bestOfAll
    bests = grouping.bests
    figures = entries.map(\.figures)
    self.ranking = ranking
    self.comparisons = comparisons
    self.spreads = spreads
  }

  /// Creates the comparison of `runs` by `metric`.
  public init(_ runs: [VariantRun], _ policy: Policy, by metric: Metric) {
    self.init(runs.map { Entry($0, figures: $0.figures(metric)) }, policy, ranking: metric.better.ranking)
  }

  /// Returns the best run of the group of `run`; nil if the group has no best run.
  public func bestOfGroup(of run: Int) -> Int? { grouping.best(beside: run) }

  /// Returns the runs that compete with `run` for the best of their group, including `run`: all usable runs, or all
  /// runs that are not broken if these are yardsticks, or all runs if these are broken.
  public func runs(competingWith run: Int) -> [Int] { grouping.competitors(of: run) }

  /// Returns the runs that are certainly better than `best`, the best run of their group, in the order of their ratios:
  /// runs of yardsticks and of broken variants, which do not compete with it. The run farthest from `best` is first.
  public func runs(betterThan best: Int) -> [Int] {
    contrastsWithBest.filter { run, contrast in
      grouping.best(beside: run) == best && contrast.isDistinct == true && (contrast.ratio > 1) == (ranking == .higher)
    }.sorted { $0.value.factor > $1.value.factor }.map(\.key)
  }

  /// Returns whether a run is as good as the best run of its group: the run does not differ significantly from the best
  /// run, or is certainly at most ``ConfidenceInterval/alikeDifference`` worse.
  public func isNearBest(_ run: Int) -> Bool {
    if nearBest.contains(run) { return true }
    return !undecided.contains(run) && (possibleLoss(run) ?? .infinity) <= ConfidenceInterval.alikeDifference
  }

  /// Returns the ratio of a run to the best run of its group or its reciprocal, whichever is at least 1; 1 for the best
  /// run, and for a run without a ratio.
  public func factor(_ run: Int) -> Double { contrastsWithBest[run]?.factor ?? 1 }

  /// Returns the share by which a run may be worse than the best run of its group, at the worse end of the interval of
  /// their ratio; nil if there is no interval.
  public func possibleLoss(_ run: Int) -> Double? {
    guard let ranking, let interval = contrastsWithBest[run]?.interval else { return nil }
    return (ranking == .higher ? 1 / interval.low : interval.high) - 1
  }

  /// Returns the share by which a run may be worse than another run of its group, at the worse end of the interval of
  /// their ratio; 0 if it cannot be worse, and nil if there is no interval.
  public func possibleLoss(_ run: Int, beside other: Int) -> Double? {
    guard run != other else { return 0 }
    guard let ranking,
      let interval = contrast(PairedRounds(figures[run], against: figures[other]), inGroupOf: run)?.interval
    else { return nil }
    return max(0, (ranking == .higher ? 1 / interval.low : interval.high) - 1)
  }

  /// Returns the contrast of two runs of the group of `run`, with the certainty of the comparison's own ratios; nil if
  /// there is no ratio. One of the two runs may be the best run. As in ``contrasts``, the noise of ratios to the best
  /// run says nothing about a ratio to a baseline that is not the best run.
  public func contrast(_ rounds: PairedRounds, inGroupOf run: Int) -> Contrast? {
    let isOfBest = referenceOf[run].map { $0 == grouping.best(beside: run) } ?? true
    return Contrast(rounds, among: comparisons, spread: isOfBest ? spreads[run] : 0)
  }

  /// Returns whether two runs of a group are the same run, or are not distinguished by the rounds, with the certainty
  /// of the comparison's own ratios. The noise of ratios to the best run says nothing about other ratios.
  public func areAlike(_ run: Int, _ other: Int) -> Bool {
    guard run != other, !figures[run].isEmpty, !figures[other].isEmpty else { return true }
    return Contrast(PairedRounds(figures[run], against: figures[other]), among: comparisons)?.isDistinct != true
  }

  /// Returns the least precise ratio; nil if no run counts. A ratio with too few rounds is less precise
  /// than any other ratio. Runs without figures, without a ratio or without a rank, and runs for which `isSettled`
  /// returns true, do not count.
  func leastPrecise(except isSettled: (Int) -> Bool) -> Contrast? {
    contrasts.filter { !unranked.contains($0.key) && !isSettled($0.key) }
      .map(\.value).max { Self.margin($0) < Self.margin($1) }
  }

  private static func margin(_ contrast: Contrast) -> Double { contrast.interval?.relativeMargin ?? .infinity }

  /// The smallest certain factor between a run that is out of reach and the best run. Such a run hardly affects the
  /// answer.
  public static let outOfReach = 2.0

  /// Returns the runs whose figures certainly differ from the figures of their references by more than `factor`, in
  /// ascending order.
  func runs(apartBy factor: Double) -> [Int] {
    contrasts.filter { _, contrast in
      contrast.interval.map { $0.low > factor || $0.high < 1 / factor } ?? false
    }.keys.sorted()
  }

  /// Returns, for each run, the run of the baseline at the same point; nil if there is no such run. Settings that the
  /// baseline ignores are not compared.
  private static func baseline(_ entries: [Entry], _ name: String?) -> [Int?] {
    let runs = entries.indices.filter { entries[$0].variant == name }
    guard let first = runs.first else { return entries.map { _ in nil } }
    let affecting = Set(entries[first].point.keys)
    let places = Dictionary(firstOf: runs.map { (entries[$0].point, $0) })
    return entries.map { entry in places[entry.point.filter { affecting.contains($0.key) }] }
  }
}

extension Comparison.Entry {
  /// Creates the entry of a run from the figures to compare.
  init(_ run: VariantRun, figures: [RoundFigure]) {
    self.init(
      variant: run.variant.name,
      point: run.point.values,
      figures: figures, mayBeBest: run.variant.role != .broken, isYardstick: run.variant.role == .yardstick)
  }
}
