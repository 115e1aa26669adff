import Laboratory
import Measurement

extension RunIndex {
  /// Returns whether a parameter affects a variant. If so, the variant has a run for each value of the parameter.
  func depends(_ variant: String, _ parameter: ParameterFacts) -> Bool {
    document.runs.contains { $0.variant == variant && $0.point[parameter.name] != nil }
  }

  /// Returns whether the geometric mean of a metric over the rounds ranks the runs of a comparison. The result is false
  /// if the document is not one of a comparison, or if a figure is 0.
  func ranksByMean(_ metric: MetricFacts) -> Bool {
    let figures = document.runs.compactMap { $0.metrics[metric.name]?.figures }.joined()
    return document.scenario.isComparison && metric.name == document.scenario.show.first
      && metric.better.ranking != nil && figures.allSatisfy { $0 > 0 }
  }

  /// Returns whether a metric's figure of a round is the median of several samples, and not a single sample.
  func isOfMedians(_ metric: MetricFacts) -> Bool {
    metric.kind == .latency
      && document.runs.contains { $0.metrics[metric.name].map { $0.count > $0.rounds.count } ?? false }
  }

  /// Returns whether the tables show the geometric mean of a metric over the rounds, and not the median. The result is
  /// true for a headline whose means rank the runs, and beside such a headline for a rate with one positive figure for
  /// each round, such as a speed-up: the ratio of two speed-ups then agrees with the ratio of the times.
  func showsMean(_ metric: MetricFacts) -> Bool {
    let headline = document.scenario.metrics.first { $0.name == document.scenario.show.first }
    guard let headline, ranksByMean(headline) else { return false }
    if metric.name == headline.name { return true }
    return metric.kind == .rate
      && document.runs.compactMap { $0.metrics[metric.name] }.allSatisfy { samples in
        !samples.isRange && samples.figures.allSatisfy { $0 > 0 }
      }
  }

  /// Returns the figure of a run that the tables show for a metric: the mean (``showsMean(_:)``) or the median. Returns
  /// nil if the metric was not measured.
  func shownFigure(_ run: Int, of metric: MetricFacts) -> Double? {
    document.runs[run].metrics[metric.name].flatMap { showsMean(metric) ? $0.roundMean : $0.median }
  }

  /// Returns whether the median of some samples is so short that the clock or the timing loop is a large part of the
  /// median.
  func isNearFloor(_ samples: SampleFacts) -> Bool {
    samples.median.map { !cell($0, samples).facts.isDisjoint(with: [.nearFloor, .ownFloor]) } ?? false
  }

  /// Returns whether the ratio of two runs is only a lower bound of the true ratio: the shorter time is near its noise
  /// floor. The cost of the measurement is part of both times, and a larger part of the shorter time.
  func isLowerBound(_ run: Int, to other: Int, by metric: MetricFacts) -> Bool {
    let sides = [run, other].compactMap { document.runs[$0].metrics[metric.name] }
      .sorted { ($0.median ?? 0) < ($1.median ?? 0) }
    return sides.count == 2 && isNearFloor(sides[0])
  }

  /// Returns a cell with a figure of some samples, marked if the figure is near the noise floor.
  func cell(_ value: Double, _ samples: SampleFacts) -> Cell {
    let text = Quantity(value, samples.unit).description
    guard let floor = samples.floor?.value, NoiseFloor.isNear(value, floor: floor) else { return Cell(text) }
    let floorOf: Cell.Facts =
      samples.emptyLoop != nil ? .ownFloor : floor < document.machine.floor ? [.nearFloor, .sharedFloor] : .nearFloor
    return Cell(text + Signs.nearFloor, floorOf)
  }
}

extension SampleFacts {
  /// Whether a trial has several samples that are not durations. If so, cells show the range of the samples.
  var isRange: Bool { kind != .latency && count > rounds.count }

  /// The figure that ranks the runs of a comparison; nil if no round has a figure. The figure is the geometric mean of
  /// the rounds, or their median if a figure is 0.
  var roundMean: Double? { Ranking.typical(figures) }

  /// The median of the rounds' figures, or the median of all samples if no round has a figure.
  var median: Double? { Summary(figures)?.p50 ?? p50.value }
}
