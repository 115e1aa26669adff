import RealModule

extension ConfidenceInterval {
  /// The confidence that nothing seems changed between runs of the same program, as a whole: runs are dear, and of what
  /// seems changed half is for the better, so that one of 40 comparisons of equals has a figure that seems worse.
  public static let confidenceOfRuns = 0.95

  /// What is known of how runs differ before there are several: the rounds of one run share its luck (where its memory
  /// lies, what else the machine does, how warm it is). On quiet machines the figures of one program's runs were seen
  /// to differ by some 5 %, and elsewhere by as much as the rounds of a run do.
  private static let luck = 0.05
  /// How many degrees of freedom that knowledge counts for, against those of the runs themselves.
  private static let weight = 4.0

  /// The interval of the ratio left to right of what two programs measured in several runs, each run with its rounds:
  /// of the geometric means. Nil where a figure is not positive, or a side has fewer rounds than ``fewest``.
  ///
  /// A run is one observation, however many rounds it has. The runs of a side are few, so their variance is moderated
  /// by what is known beforehand (Smyth, "Linear Models and Empirical Bayes Methods", 2004); it is that of both sides,
  /// as in Student's two-sample test: with two or three runs a side Welch's would have next to no degrees of freedom.
  public static func ofRatio(
    _ left: [[Double]], to right: [[Double]], among comparisons: Int = 1
  ) -> ConfidenceInterval? {
    let sides = [left, right].map { side in side.filter { !$0.isEmpty } }
    guard sides.allSatisfy({ $0.joined().count >= fewest }),
      sides.joined().joined().allSatisfy({ $0 > 0 && $0.isFinite })
    else { return nil }
    let logs = sides.map { side in side.map { run in run.map { Double.log($0) } } }
    let means = logs.map { side in side.map(mean) }
    let runs = variance(means)
    let rounds = variance(Array(logs.joined()))
    let freedom = weight + runs.freedom
    let expected = luck * luck + rounds.value
    let moderated = (weight * expected + runs.freedom * runs.value) / freedom
    return ConfidenceInterval(
      estimate: mean(means[0]) - mean(means[1]),
      error: (moderated * (1 / Double(means[0].count) + 1 / Double(means[1].count))).squareRoot(), freedom: freedom,
      share: (1 - confidenceOfRuns) / Double(max(comparisons, 1))
    ).exponential
  }

  /// The variance within groups, of all of them together.
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
