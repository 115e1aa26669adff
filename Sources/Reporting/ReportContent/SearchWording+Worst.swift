import Laboratory
import Measurement

/// The words about the runs that are certainly worse than the best run of their group.
extension SearchWording {
  /// Returns the runs that are certainly worse than the best run, with their ratios to the best run. The run with the
  /// ratio nearest to 1 is first.
  func ratios(_ group: SearchGroup) -> [(run: Int, contrast: Contrast)] {
    group.worse.compactMap { run in comparison.contrasts[run].map { (run: run, contrast: $0) } }
      .sorted { $0.contrast.factor < $1.contrast.factor }
  }

  /// Returns the names of the worst runs and the words for their ratios to the best run. Returns nil if no run is
  /// certainly the worst, or if the ratios refer to a baseline.
  func worst(_ group: SearchGroup) -> (names: String, by: String)? {
    guard index.document.scenario.baseline == nil else { return nil }
    let alike = worstRuns(ratios(group))
    // An undecided run may be worse than every run that is certainly worse than the best run.
    guard let worst = alike.last,
      !group.unclear.contains(where: { comparison.contrasts[$0]?.factor ?? 1 > worst.contrast.factor })
    else { return nil }
    let runs = group.runs.filter { run in alike.contains { $0.run == run } }
    return (names(runs, of: group.runs), by(alike, worseThan: group.best))
  }

  /// Returns the words about the worst runs after a heading, `slowest: actor, 2.10x slower`; nil if ``worst(_:)`` is
  /// nil. If a group has two runs, or if `isPlain` is true, durations need no heading: `actor is 2.10x slower`.
  func worst(_ group: SearchGroup, under heading: String, isPlain: Bool = false) -> String? {
    worst(group).map { worst in
      (isPlain || group.runs.count == 2) && metric.meaning == .duration
        ? "\(worst.names) \(RunNames.verb(worst.names)) \(worst.by)" : "\(heading): \(worst.names), \(worst.by)"
    }
  }

  /// Returns the runs that may be as bad as the run with the largest ratio, in the order of `ratios`: the intervals of
  /// their ratios overlap, or nearly overlap. Apart from the worst run, only runs that are certainly much worse than
  /// the best run count. No other such run has a larger ratio or a larger lower bound than all of them, so that the
  /// tables show no other run that looks as bad.
  ///
  /// - Parameter ratios: the runs in the order of ``ratios(_:)``.
  func worstRuns(_ ratios: [(run: Int, contrast: Contrast)]) -> [(run: Int, contrast: Contrast)] {
    guard let worst = ratios.last else { return [] }
    let certain = ratios.filter { $0.contrast.nearest >= Self.much || $0.run == worst.run }
    let alike = certain.filter { $0.contrast.farthest * Self.alike >= worst.contrast.nearest }
    let (ratio, bound) = (alike.map(\.contrast.factor).min(), alike.map(\.contrast.nearest).min())
    guard let ratio, let bound else { return [worst] }
    return certain.filter { $0.contrast.factor >= ratio || $0.contrast.nearest >= bound }
  }

  /// The smallest ratio of a run that is much worse than the best run.
  private static let much = 1.1

  /// The factor by which intervals may miss each other if two of the worst runs count as equally bad.
  private static let alike = 1.05

  /// Returns the words for the ratios of some runs to the best run, with the precision of the tables: the ratio of a
  /// single run, its interval if the ratio is imprecise, or the lower bound of several ratios.
  ///
  /// - Parameter runs: the runs in the order of ``ratios(_:)``; at least one run.
  func by(_ runs: [(run: Int, contrast: Contrast)], worseThan best: Int) -> String {
    let intervals = runs.compactMap(\.contrast.interval)
    let isBound = runs.contains { index.isBound($0.run, to: best, by: metric) }
    let isWide = intervals.contains(where: \.isWide)
    // A best run whose figures alternate between two states can be worse in most rounds.
    let rounds = runs.count == 1 ? runs[0].contrast.seldom.map { ", but only in \($0)" } ?? "" : ""
    if isWide, !isBound, runs.count == 1, intervals[0].low > 1 || intervals[0].high < 1 {
      return intervals[0].range(metric.meaning) + rounds
    }
    if isBound || isWide || runs.count > 1 {
      let nearest = runs.min { $0.contrast.nearest < $1.contrast.nearest }?.contrast
      let least = nearest?.interval?.nearest ?? runs[0].contrast.ratio
      return least == 1 ? "worse in all rounds" : "at least \(metric.meaning.wording(least))"
    }
    return metric.meaning.wording(runs[0].contrast.ratio) + rounds
  }
}

extension Contrast {
  /// The ratio or its reciprocal, whichever is at least 1.
  var factor: Double { max(ratio, 1 / ratio) }

  /// The ends of the interval of ``factor``: the end near 1, and the other end. Without an interval, both are
  /// ``factor``.
  fileprivate var nearest: Double { interval.map { max($0.nearest, 1 / $0.nearest) } ?? factor }
  fileprivate var farthest: Double { interval.map { 1 + $0.largestDifference } ?? factor }
}
