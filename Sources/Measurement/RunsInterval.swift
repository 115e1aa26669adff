import RealModule

extension ConfidenceInterval {
  /// The confidence level of a whole comparison of runs, as a share. The level is lower than ``confidence``, since runs
  /// are expensive. If equal programs are compared, one comparison in 20 shows an apparent change. Half of these
  /// changes are improvements, so one comparison in 40 shows a figure that seems worse.
  public static let confidenceOfRuns = 0.95

  /// The assumed standard deviation between the runs of a program, as a share. The rounds of one run share the
  /// circumstances of the run: the addresses of its memory, other work on the machine, the temperature. On quiet
  /// machines the figures of one program's runs differed by about 5 %. On other machines, runs differed from each other
  /// by as much as the rounds of one run differ.
  private static let runDeviation = 0.05
  /// The number of degrees of freedom of the assumed variance between runs.
  private static let assumedFreedom = 4.0
  /// The 1 % quantile of the standard normal distribution. Runs refute the assumption that they differ as much as
  /// rounds if they would agree so well in at most 1 % of the cases.
  private static let refutation = -2.326

  /// Returns the interval of the ratio of the left side's geometric mean to the right side's; nil if a figure is not
  /// positive and finite, or if a side has fewer rounds than ``fewest``. Each side contains the figures of several runs
  /// of one program, each with several rounds.
  ///
  /// A run is one observation, regardless of the number of its rounds. A side has few runs, so the variance is a
  /// weighted mean of the observed and the assumed variance (Smyth, "Linear Models and Empirical Bayes Methods", 2004).
  /// Runs are assumed to differ as much as rounds, unless they agree far better.
  /// Both sides share one variance, as in Student's two-sample test: with two or three runs on a side, Welch's test
  /// would have almost no degrees of freedom.
  public static func ofRatio(
    _ left: [[Double]], to right: [[Double]], among comparisons: Int = 1
  ) -> ConfidenceInterval? {
    let sides = [left, right].map { side in side.filter { !$0.isEmpty } }
    guard sides.allSatisfy({ $0.joined().count >= fewest }),
      sides.joined().joined().allSatisfy({ $0 > 0 && $0.isFinite })
    else { return nil }
    let logs = sides.map { side in side.map { run in run.map { Double.log($0) } } }
    let means = logs.map { side in side.map(mean) }
    return ofDifference(
      mean(means[0]) - mean(means[1]), moderated(logs), runs: (means[0].count, means[1].count), among: comparisons
    ).exponential
  }

  /// Returns the number of runs per side for which the interval of ``ofRatio(_:to:among:)`` probably excludes 1 if the
  /// figures of the sides differ by the factor `ratio`, which is above 1. The result is at least 3. Returns nil if even
  /// `most` runs per side are too few, or if there is no interval.
  ///
  /// The figures of `left` and `right` show how much runs and rounds vary. Single runs of both sides say nothing about
  /// the variance between runs, which is then assumed, so that the result is a guess.
  public static func runs(
    toShow ratio: Double, _ left: [[Double]], _ right: [[Double]], among comparisons: Int = 1, most: Int
  ) -> Int? {
    guard ratio > 1, ofRatio(left, to: right) != nil else { return nil }
    let logs = [left, right].map { side in side.filter { !$0.isEmpty }.map { run in run.map { Double.log($0) } } }
    let observed = variance(logs.map { side in side.map(mean) })
    let rounds = Rounds(logs)
    let between = observed.freedom > 0 ? observed.value : runDeviation * runDeviation + rounds.ofMean
    return (3...max(most, 3)).first { runs in
      // With more runs, the observed variance between runs has more weight.
      let variance = moderated(rounds, runs: (between, 2 * Double(runs - 1)))
      return ofDifference(.log(ratio), variance, runs: (runs, runs), among: comparisons).low > 0
    }
  }

  /// Returns the interval of the difference of two sides' means, each of some runs whose figures have the given
  /// variance.
  private static func ofDifference(
    _ difference: Double, _ variance: (value: Double, freedom: Double), runs: (Int, Int), among comparisons: Int
  ) -> ConfidenceInterval {
    ConfidenceInterval(
      estimate: difference, error: (variance.value * (1 / Double(runs.0) + 1 / Double(runs.1))).squareRoot(),
      freedom: variance.freedom, errorProbability: (1 - confidenceOfRuns) / Double(max(comparisons, 1)))
  }

  /// Returns the weighted mean of the observed and the assumed variance between the runs of two sides, and its degrees
  /// of freedom.
  ///
  /// - Parameter logs: the logarithms of the rounds of each run of each side.
  private static func moderated(_ logs: [[[Double]]]) -> (value: Double, freedom: Double) {
    moderated(Rounds(logs), runs: variance(logs.map { side in side.map(mean) }))
  }

  private static func moderated(
    _ rounds: Rounds, runs: (value: Double, freedom: Double)
  ) -> (value: Double, freedom: Double) {
    let freedom = assumedFreedom + runs.freedom
    let largest = runDeviation * runDeviation + rounds.ofRound
    let isRefuted = runs.value < leastShare(freedom: runs.freedom) * largest
    let assumed = isRefuted ? runDeviation * runDeviation + rounds.ofMean : largest
    return ((assumedFreedom * assumed + runs.freedom * runs.value) / freedom, freedom)
  }

  /// Returns the share of the true variance below which an observed variance is in 1 % of the cases (the chi-square
  /// distribution by the approximation of Wilson and Hilferty, 1931); 0 without degrees of freedom.
  private static func leastShare(freedom: Double) -> Double {
    guard freedom > 0 else { return 0 }
    let spread = 2 / (9 * freedom)
    return .pow(max(0, 1 - spread + refutation * spread.squareRoot()), 3)
  }

  /// The variance within the runs of two sides.
  private struct Rounds {
    /// The variance of the rounds of a run.
    let ofRound: Double
    /// The variance of a run's mean, if its rounds are independent.
    let ofMean: Double

    /// - Parameter logs: the logarithms of the rounds of each run of each side.
    init(_ logs: [[[Double]]]) {
      let runs = Array(logs.joined())
      ofRound = variance(runs).value
      ofMean = ofRound * Double(runs.count) / Double(runs.joined().count)
    }
  }

  /// Returns the pooled variance within groups, and its degrees of freedom. The variance is 0 if there are no degrees
  /// of freedom.
  private static func variance(_ groups: [[Double]]) -> (value: Double, freedom: Double) {
    let freedom = Double(groups.reduce(0) { $0 + $1.count - 1 })
    let squares = groups.reduce(0) { sum, group in
      let middle = mean(group)
      return group.reduce(sum) { $0 + ($1 - middle) * ($1 - middle) }
    }
    return (freedom > 0 ? squares / freedom : 0, freedom)
  }

  private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
}
