import Measurement

/// The groups of runs of a comparison, and the best run of each group.
struct ComparedGroups {
  /// The best run of all; nil if the comparison does not determine the best run, if no direction is better, or if no
  /// run has figures.
  let bestOfAll: Int?
  /// The number of pairs of runs within the groups, which is the number of comparisons that share the confidence.
  let comparisons: Int
  /// The runs of each group.
  private let groups: [[Int]]
  /// The index of the group of each run.
  private let groupOfRun: [Int]
  /// The best run of each group; nil if the comparison does not determine the best run, or if the group has one run.
  private let bestOfGroup: [Int?]
  /// The runs of each group that compete for the best, in the order of ``groups``.
  private let competitors: [[Int]]

  /// Divides `entries` into groups, and determines the best run of each group.
  init(_ entries: [Comparison.Entry], _ policy: Comparison.Policy, _ ranking: Ranking?) {
    let typical = entries.map { Ranking.typical($0.figures.map(\.value)) }
    let points = entries.map { entry in entry.point.filter { policy.groupParameters.contains($0.key) } }
    let groups = Dictionary(grouping: entries.indices) { points[$0] }.values.sorted { $0[0] < $1[0] }
    self.groups = groups
    var groupOfRun = entries.map { _ in 0 }
    for (group, runs) in groups.enumerated() {
      for run in runs { groupOfRun[run] = group }
    }
    self.groupOfRun = groupOfRun

    func isUsable(_ run: Int) -> Bool {
      entries[run].mayBeBest && !(entries[run].isYardstick && entries[run].variant != policy.baseline)
    }
    // A yardstick competes if nothing else is compared, and a broken variant competes with broken variants only.
    let excludesYardsticks = groups.contains { $0.count(where: isUsable) > 1 }
    func competitors(of runs: [Int]) -> [Int] {
      let usable = runs.filter { excludesYardsticks ? isUsable($0) : entries[$0].mayBeBest }
      let sound = runs.filter { entries[$0].mayBeBest }
      return [usable, sound].first { $0.contains { typical[$0] != nil } } ?? runs
    }
    func best(of competitors: [Int]) -> Int? {
      guard policy.seeksBest, let ranking else { return nil }
      return Self.best(of: competitors, entries, typical, ranking)
    }
    self.competitors = groups.map(competitors)
    // A run that is not compared with another run is not a best run. Runs without a setting of the groups, such as
    // those of a plain loop, belong to no group.
    let settings = points.map(\.count).max() ?? 0
    bestOfGroup = zip(groups, self.competitors).map { group, competitors in
      let isWhole = points[group[0]].count == settings || competitors.count { typical[$0] != nil } > 1
      return group.count > 1 && isWhole ? best(of: competitors) : nil
    }
    bestOfAll = best(of: competitors(of: Array(entries.indices)))
    comparisons = groups.map { group in group.count { typical[$0] != nil } }.filter { $0 > 1 }
      .reduce(0) { $0 + ConfidenceInterval.comparisonsWithBest(of: $1) }
  }

  /// The best runs of all groups.
  var bests: Set<Int> { Set(bestOfGroup.compactMap(\.self)) }

  /// Whether any group has a best run.
  var hasBest: Bool { !bests.isEmpty }

  /// Returns the best run of the group of `run`; nil if the group has no best run.
  func best(beside run: Int) -> Int? { bestOfGroup[groupOfRun[run]] }

  /// Returns the runs that compete with `run` for the best of their group, including `run`.
  func competitors(of run: Int) -> [Int] { competitors[groupOfRun[run]] }

  /// Returns, for each run, the smallest plausible standard deviation of the logarithms of ratios in its group.
  ///
  /// - Parameter rounds: the rounds of each run beside those of the best run of its group; nil without a best run.
  func spreads(of rounds: [PairedRounds?]) -> [Double] {
    let spreads = groups.map { group in
      ConfidenceInterval.leastSpread(ofRatios: group.compactMap { rounds[$0]?.pairs })
    }
    return groupOfRun.map { spreads[$0] }
  }

  /// Returns the run with the best typical figure; nil if no run has a figure. The machine may have changed while some
  /// runs got fewer rounds, so a run with far fewer rounds is compared with the best of the other runs in the rounds
  /// that both runs have.
  private static func best(
    of runs: [Int], _ entries: [Comparison.Entry], _ typical: [Double?], _ ranking: Ranking
  ) -> Int? {
    let most = runs.map { entries[$0].figures.count }.max() ?? 0
    func isComplete(_ run: Int) -> Bool { Double(entries[run].figures.count) >= shareOfRounds * Double(most) }
    let (full, fewer) = (runs.filter(isComplete), runs.filter { !isComplete($0) })
    guard let leader = ranking.best(full, by: { typical[$0] }) else { return nil }
    let ratios = Dictionary(
      uniqueKeysWithValues: fewer.map { ($0, PairedRounds(entries[$0].figures, against: entries[leader].figures)) })
    return ranking.best([leader] + fewer) { run in
      guard let rounds = ratios[run] else { return 1 }
      return rounds.areRatios ? Ranking.typical(rounds.pairs.map { $0.left / $0.right }) : nil
    }
  }

  /// The smallest share of the most rounds of any run with which a run is compared by its own rounds.
  private static let shareOfRounds = 0.75
}
