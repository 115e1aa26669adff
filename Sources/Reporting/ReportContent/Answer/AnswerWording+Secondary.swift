import Laboratory
import Measurement

/// The words about the metric that a scenario shows second, such as the speed-up, which an answer states beside the
/// figures that rank the runs.
extension AnswerWording {
  /// Returns words about runs of which none gains anything: `nothing gains: speedup is below 1 at every ranked setting
  /// (the plain loop's time divided by the variant's)`. Returns nil if ``secondary`` is no speed-up, if a run of the
  /// group has none, or if any run gains. The speed-up of a yardstick such as the plain loop is about 1.
  func loss(of group: AnswerGroup) -> String? {
    guard let secondary, secondary.isSpeedUp else { return nil }
    func figure(_ run: Int) -> Double? { index.shownFigure(run, of: secondary) }
    let others = index.document.runs.indices.filter { !group.runs.contains($0) }.compactMap(figure)
    guard group.runs.allSatisfy({ figure($0).map { $0 < 1 } ?? false }),
      others.allSatisfy({ $0 < 1 + ConfidenceInterval.alikeDifference })
    else { return nil }
    return "nothing gains: `\(secondary.name)` is below 1 at every ranked setting (\(secondary.says))"
  }

  /// Returns words about the best runs if they differ by 2x or more in ``secondary``, which may decide between them:
  /// `34 (semaphore-at-submit), 90 (semaphore)`. Returns nil if they differ by less, or if there are many.
  func secondaryChoice(of group: AnswerGroup) -> String? {
    guard let secondary, group.leaders.count > 1, group.leaders.count <= ComparisonAnswer.mostNames else { return nil }
    let figures = group.leaders.compactMap { run in
      index.shownFigure(run, of: secondary).map { (run: run, value: $0) }
    }.sorted { $0.value < $1.value }
    guard figures.count == group.leaders.count, let least = figures.first, let most = figures.last, least.value > 0,
      most.value >= AnswerGroup.far * least.value
    else { return nil }
    return figures.grouped { Quantity($0.value, secondary.unit).description }
      .map { "\($0) (\(names($1.map(\.run), of: group.runs)))" }.joined(separator: ", ")
  }

  /// Returns the figures of the best runs of several groups for ``secondary``: `1.73 (threads 2) at balance uniform;
  /// 1.52 (threads 4) at balance ramp`, or `1.52 to 1.73 at the lowest means` of many groups. Returns nil if a best run
  /// has no such figure.
  func secondaryFigures(of groups: [AnswerGroup]) -> String? {
    guard let secondary else { return nil }
    let figures = groups.compactMap { group in index.shownFigure(group.best, of: secondary).map { (group, $0) } }
    guard figures.count == groups.count, let least = figures.map(\.1).min(), let most = figures.map(\.1).max() else {
      return nil
    }
    func text(_ value: Double) -> String { Quantity(value, secondary.unit).description }
    return groups.count <= Self.fewGroups
      ? figures.map { group, value in
        "\(text(value)) (\(names([group.best], of: group.runs))) at \(settingsText(of: group))"
      }.joined(separator: "; ")
      : "\([text(least), text(most)].distinct.joined(separator: " to ")) at the \(bestMeanWords)s"
  }

  /// The maximum number of groups of which each has a figure.
  private static let fewGroups = 3

  /// Returns the figure of the best run for ``secondary`` with the figures of the other runs: `4,000 (mutex), 1,913 to
  /// 2,614 (the others)`. Of runs that are as good as the best run, each has its figure, which may decide. A run
  /// without the metric is omitted. Returns nil if there is no such metric, or if the figure of the best run is 0.
  func secondaryFigures(of group: AnswerGroup) -> String? {
    guard let secondary, let own = index.shownFigure(group.best, of: secondary), own != 0 else { return nil }
    func figure(_ run: Int) -> Double? { index.shownFigure(run, of: secondary) }
    func text(_ value: Double) -> String { Quantity(value, secondary.unit).description }
    let good = [group.best] + (group.near + group.undecided).filter { $0 != group.best }
    let first = good.count <= ComparisonAnswer.mostNames ? good : [group.best]
    let others = group.runs.filter { !first.contains($0) && figure($0) != nil }
    let named = (first + (others.count == 1 ? others : [])).filter { figure($0) != nil }
    let texts = named.grouped { figure($0).map(text) ?? "" }.map { "\($0) (\(names($1, of: group.runs)))" }
    let unranked = index.document.runs.indices.filter {
      !group.runs.contains($0) && figure($0) != nil && !index.isBroken($0) && !comparison.flawed.contains($0)
    }
    let beside =
      unranked.isEmpty || unranked.count > ComparisonAnswer.mostNames
      ? ""
      : "; not ranked: "
        + unranked.map { "\(figure($0).map(text) ?? "") (\(names([$0], of: Array(index.document.runs.indices))))" }
        .joined(separator: ", ")
    guard others.count > 1 else { return texts.joined(separator: ", ") + beside }
    let range = [others.compactMap(figure).min(), others.compactMap(figure).max()].compactMap { $0.map(text) }
    let ends = range.first == range.last ? range[0] : range.joined(separator: " to ")
    // A group does not contain runs with a flaw, and runs that show a mistake.
    let isWhole = index.document.runs.indices.allSatisfy { group.runs.contains($0) || figure($0) == nil }
    return (texts + ["\(ends) (\(isWhole ? "the others" : "the others that are ranked"))"]).joined(separator: ", ")
      + beside
  }
}
