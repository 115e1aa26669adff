/// Runs that are compared with the same best run.
struct AnswerGroup {
  let best: Int
  /// All runs of the group, including the best run.
  let runs: [Int]
  /// The runs that are as good as the best run (``Comparison/isNearBest(_:)``).
  let near: [Int]
  /// The runs that the rounds cannot rank, except those of ``outclassed``.
  let undecided: [Int]
  /// The runs that the rounds cannot rank beside the best run, but that are certainly worse than another such run.
  let outclassed: [Int]
  /// The runs that have too few rounds for an interval.
  let withTooFewRounds: [Int]
  /// The runs that are certainly worse than the best run, and may be worse by more than
  /// ``ConfidenceInterval/alikeDifference``.
  let worse: [Int]
  /// Whether the best run cannot be distinguished from other runs. Another comparison may then find a different best
  /// run.
  let isUndecided: Bool
  private let comparison: RunComparison

  /// The runs that may be the best or as good as the best, including runs that are certainly a little worse.
  var candidates: [Int] {
    runs.filter { $0 == best || near.contains($0) || undecided.contains($0) || withTooFewRounds.contains($0) }
  }

  /// The runs that an answer calls the best, in the order of their means: the best run and the runs that are as good as
  /// it, or the undecided runs if the best run is undecided.
  var leaders: [Int] {
    let others = runs.filter { run in
      run != best && (near.contains(run) || isUndecided && undecided.contains(run))
    }
    return [best] + others.sorted { comparison.factor($0) < comparison.factor($1) }
  }

  /// Returns the undecided runs that differ from the best run by at most `share`.
  func undecided(within share: Double) -> [Int] {
    undecided.filter { run in
      comparison.contrastsWithBest[run]?.interval.map { $0.largestDifference <= share } ?? false
    }
  }

  /// Whether all other runs have too few rounds to be compared with the best run.
  var hasTooFewRounds: Bool { !withTooFewRounds.isEmpty && withTooFewRounds.count == runs.count - 1 }

  /// Creates a group.
  ///
  /// - Parameter equal: the runs whose figures equal those of the best run, although there are no ratios.
  init(best: Int, runs: [Int], equal: [Int], _ comparison: RunComparison) {
    (self.best, self.runs, self.comparison) = (best, runs, comparison)
    let near = runs.filter { comparison.isNearBest($0) || $0 != best && equal.contains($0) }
    self.near = near
    outclassed = runs.filter(comparison.outclassed.contains)
    undecided = runs.filter { comparison.undecided.contains($0) && !comparison.outclassed.contains($0) }
    // Too few rounds are no reason to call a run worse.
    withTooFewRounds = runs.filter { comparison.contrastsWithBest[$0].map { $0.interval == nil } == true }
    worse = runs.filter { comparison.contrastsWithBest[$0]?.isDistinct == true && !near.contains($0) }
    isUndecided = comparison.uncertainBests.contains(best)
  }
}
