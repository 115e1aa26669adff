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
  /// The runs that have no ratio to the best run, since a figure of a round is 0.
  let withoutRatio: [Int]
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

  /// The runs that an answer calls the best: the best run and the runs that are as good as it. If the best run is
  /// undecided, they are the undecided runs whose means are not ``far`` from its mean. The order is that of ``runs``,
  /// since the order of means that hardly differ is chance.
  var leaders: [Int] {
    runs.filter { run in
      run == best || near.contains(run)
        || isUndecided && undecided.contains(run) && comparison.factor(run) < Self.far
    }
  }

  /// The smallest ratio of the means at which a run that is too noisy to be ranked is far from the best run.
  static let far = 2.0

  /// Returns the undecided runs whose largest possible difference from the best run is at most `share`.
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
    withoutRatio = runs.filter {
      $0 != best && !equal.contains($0) && comparison.contrastsWithBest[$0] == nil
    }
    // Too few rounds are no reason to call a run worse.
    withTooFewRounds = runs.filter { comparison.contrastsWithBest[$0].map { $0.interval == nil } == true }
    worse = runs.filter { comparison.contrastsWithBest[$0]?.isDistinct == true && !near.contains($0) }
    isUndecided = comparison.uncertainBests.contains(best)
  }
}
