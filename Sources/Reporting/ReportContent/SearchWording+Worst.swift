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

  /// Returns the names of the worst runs and the words for their ratios to the best run. The worst runs are the run
  /// with the largest difference and the runs that are equally bad. Returns nil if no run is certainly the worst, or if
  /// the ratios refer to a baseline.
  func worst(_ group: SearchGroup) -> (names: String, by: String)? {
    guard index.document.scenario.baseline == nil else { return nil }
    let ratios = ratios(group)
    guard let worst = ratios.last else { return nil }
    // An undecided run may be worse than every run that is certainly worse than the best run.
    guard !group.unclear.contains(where: { comparison.contrasts[$0]?.factor ?? 1 > worst.contrast.factor }) else {
      return nil
    }
    let alike = ratios.filter { areAlike($0.run, worst.run) }
    let runs = group.runs.filter { run in alike.contains { $0.run == run } }
    return (names(runs, of: group.runs), by(alike, worseThan: group.best))
  }

  /// Returns the words for the ratios of some runs to the best run, with the precision of the tables: the ratios of the
  /// first and the last run, the interval of a single imprecise ratio, or a lower bound for all ratios.
  ///
  /// - Parameter runs: The runs in the order of ``ratios(_:)``; at least one run.
  func by(_ runs: [(run: Int, contrast: Contrast)], worseThan best: Int) -> String {
    let intervals = runs.compactMap(\.contrast.interval)
    let isBound = runs.contains { index.isBound($0.run, to: best, by: metric) }
    let isWide = intervals.contains(where: \.isWide)
    // A best run whose figures alternate between two states can be worse in most rounds.
    let rounds = runs.count == 1 ? runs[0].contrast.seldom.map { ", but only in \($0)" } ?? "" : ""
    if isWide, !isBound, runs.count == 1, intervals[0].low > 1 || intervals[0].high < 1 {
      return intervals[0].range(metric.meaning) + rounds
    }
    if isBound || isWide {
      let least = intervals.map(\.nearest).min { max($0, 1 / $0) < max($1, 1 / $1) } ?? runs[0].contrast.ratio
      return least == 1 ? "worse in all rounds" : "at least \(metric.meaning.wording(least))"
    }
    let ends = [runs[0], runs[runs.count - 1]].map { metric.meaning.wording($0.contrast.ratio) }
    let from = ends[0].split(separator: " ").first.map(String.init) ?? ""
    return ends[1].hasPrefix("\(from) ") ? ends[1] + rounds : "\(from) to \(ends[1])"
  }

  /// Returns whether two runs are equally bad: the rounds do not distinguish them, or their ratio is below `alike`.
  func areAlike(_ run: Int, _ other: Int) -> Bool {
    guard run != other else { return true }
    let sides = [run, other].compactMap { index.document.runs[$0].metrics[metric.name]?.roundFigures }
    guard sides.count == 2, let contrast = Contrast(PairedRounds(sides[0], against: sides[1])) else { return false }
    return contrast.isDistinct != true || contrast.factor < Self.alike
  }

  /// The ratio below which the answer does not distinguish two of the worst runs.
  private static let alike = 1.05
}

extension Contrast {
  /// The ratio or its reciprocal, whichever is at least 1.
  var factor: Double { max(ratio, 1 / ratio) }
}
