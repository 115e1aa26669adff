import Measurement

/// Compares the runs of an experiment by one metric: it defines the run that each run is compared with, the groups of
/// runs, and the certainty of each of the ratios. This one policy decides when to stop, what a pattern finds and what
/// every report prints.
public struct Comparison: Sendable {
  /// The part of a run that is compared.
  public struct Cell: Sendable {
    let variant: String
    let point: [String: ParameterValue]
    let figures: [RoundFigure]
    let mayBeBest: Bool

    /// Creates a cell for a variant at a point, without the settings that the variant ignores.
    ///
    /// - Parameter mayBeBest: whether the run can be recommended. A wrong variant is often quicker, and is compared
    ///   only with variants of its own kind.
    public init(variant: String, point: [String: ParameterValue], figures: [RoundFigure], mayBeBest: Bool = true) {
      self.variant = variant
      self.point = point
      self.figures = figures
      self.mayBeBest = mayBeBest
    }
  }

  /// The references and the groups of a comparison.
  public struct Policy: Sendable {
    /// The variant that ratios refer to, at the point of each run; nil for the best run of the group.
    let baseline: String?
    /// Whether the question is which run is best. Without that question and without a baseline there are no ratios.
    let seeksBest: Bool
    /// The parameters for each of whose settings there is a best run.
    let groups: [String]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - sweep: the swept parameters, in order.
    ///   - problem: the swept parameters that say how much there is to do. The smallest amount would always be the
    ///     best, so each of their settings has a best run of its own. If there are none, each setting of all swept
    ///     parameters except the last has one; these are the rows of a grid. A number of cores always has a best run of
    ///     its own, since more cores make everything faster and a user cannot choose to have more.
    public init(baseline: String?, seeksBest: Bool, sweep: [String], problem: [String]) {
      self.baseline = baseline
      self.seeksBest = seeksBest
      let ways = sweep.filter { $0 != Cores.name }
      let cores = ways.isEmpty || ways.count == sweep.count ? [] : [Cores.name]
      groups = cores + (problem.isEmpty ? ways.dropLast() : problem)
    }
  }

  /// The parameters for each of whose settings there is a best run; empty if there is one best run.
  public let groups: [String]
  /// The best run of all, if that is the question and the metric has a better direction.
  public let best: Int?
  /// The best runs: the best of all, or the best of each group.
  public let bests: Set<Int>
  /// The contrast of each run with its reference: the baseline at its point, or the best run of its group.
  public let contrasts: [Int: Contrast]
  /// The runs that other runs are compared with.
  public let references: Set<Int>
  /// The run that each run with a contrast is compared with.
  public let referenceOf: [Int: Int]
  /// The runs that do not differ significantly from the best: their interval is narrow, and includes no change.
  public let nearBest: Set<Int>
  /// The runs that cannot be ranked: their interval is too wide, or includes no change only because there are so many
  /// comparisons.
  public let unclear: Set<Int>
  /// The runs among the unclear ones whose own rounds distinguish them from the best, in the way that a claim on the
  /// two is judged.
  public let apartAlone: Set<Int>

  /// Creates the comparison of `cells`. All its results use the index of a cell.
  ///
  /// - Parameter ranking: which figure is better; nil if neither is.
  public init(_ cells: [Cell], _ policy: Policy, ranking: Ranking?) {
    let typical = cells.map { Ranking.typical($0.figures.map(\.value)) }
    func best(of runs: some Sequence<Int>) -> Int? {
      let candidates = runs.filter { cells[$0].mayBeBest && typical[$0] != nil }
      return ranking?.best(candidates.isEmpty ? Array(runs) : candidates) { typical[$0] }
    }
    let groupOfRun = cells.map { cell in cell.point.filter { policy.groups.contains($0.key) } }
    let runsOfGroup = Dictionary(grouping: cells.indices) { groupOfRun[$0] }
    // A run that no other run is compared with is not the best of anything.
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
    // The confidence is that of all verdicts together: those against the best run, and those against the baseline.
    let comparisons =
      !bestOfGroup.isEmpty
      ? runsOfGroup.values.map { group in group.count { typical[$0] != nil } }
        .reduce(0) { $0 + ConfidenceInterval.comparisons(of: $1, withBest: true) }
      : toBaseline.count { $0 != nil }
    let spread = ConfidenceInterval.leastSpread(ofRatios: toBest.compactMap { $0?.pairs })
    var contrasts: [Int: Contrast] = [:]
    var references: Set<Int> = []
    var referenceOf: [Int: Int] = [:]
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
        referenceOf[run] = reference
      }
    }
    groups = policy.groups
    self.best = policy.seeksBest ? best(of: cells.indices) : nil
    bests = Set(bestOfGroup.values)
    self.contrasts = contrasts
    self.references = references
    self.referenceOf = referenceOf
    self.nearBest = nearBest
    self.unclear = unclear
    self.apartAlone = apartAlone
  }

  /// Creates the comparison of `runs` by `metric`.
  public init(_ runs: [Run], _ policy: Policy, by metric: Metric) {
    self.init(runs.map { Cell($0, figures: $0.figures(metric)) }, policy, ranking: metric.better.ranking)
  }

  /// The precision of the least precise ratio, as a share of that ratio; nil if one of them has too few rounds. A run
  /// that was never measured, or has no ratio, does not count.
  public var precision: Double? {
    var worst = 0.0
    for contrast in contrasts.values {
      guard let own = contrast.precision else { return nil }
      worst = max(worst, own)
    }
    return worst
  }

  /// Returns the run of the baseline at the point of each run, as far as the baseline uses the point's settings.
  private static func baseline(_ cells: [Cell], _ name: String?) -> [Int?] {
    let runs = cells.indices.filter { cells[$0].variant == name }
    guard let first = runs.first else { return cells.map { _ in nil } }
    let heeded = Set(cells[first].point.keys)
    let places = Dictionary(runs.map { (cells[$0].point, $0) }, uniquingKeysWith: { first, _ in first })
    return cells.map { cell in places[cell.point.filter { heeded.contains($0.key) }] }
  }
}

extension Comparison.Cell {
  /// Creates the cell of a run with the figures that it is compared by.
  init(_ run: Run, figures: [RoundFigure]) {
    self.init(
      variant: run.variant.name,
      point: Dictionary(run.point.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      figures: figures, mayBeBest: run.variant.role != .broken)
  }
}
