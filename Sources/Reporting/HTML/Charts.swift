import Laboratory
import Measurement

import RealModule

/// The charts of a page, created from the content of the report.
struct Charts {
  private let content: ReportContent

  init(_ content: ReportContent) { self.content = content }

  /// The maximum number of charts of sweeps on a page.
  private static let mostSweeps = 4

  /// The charts with their captions: the speed-up, the first ``mostSweeps`` sweeps, and the distributions. The curve at
  /// the beginning of the page is not repeated.
  var all: [Markup] {
    let drawn: String? = if case .curve(let sweep)? = content.picture { sweep.metric.name } else { nil }
    let sweeps = content.sweeps.filter { $0.metric.name != drawn }.prefix(Self.mostSweeps)
    return ([content.speedUp?.curve].compactMap(\.self) + sweeps).compactMap { curve($0) }
      + content.distributions.flatMap { [percentiles($0), histogram($0)] }.compactMap(\.self)
  }

  private func figure(_ chart: Chart) -> Markup {
    """
    <figure><figcaption><b>\(chart.title)</b> \(chart.says)</figcaption>
    \(chart.drawing)</figure>

    """
  }

  // MARK: Sweeps

  /// The maximum value on the axis of a curve, as a multiple of the largest figure.
  private static let longestSpan = 1.25

  /// Returns the chart of a figure along the swept parameter; nil if there are fewer than two points, or if all points
  /// are at one position.
  ///
  /// - Parameter kind: the CSS class of the figure; nil for the default.
  func curve(_ sweep: SweepCurve, kind: String? = nil) -> Markup? {
    let places = sweep.places
    // Each variant has a colour of its own, unless a variant has several lines.
    let isOneEach = Set(sweep.series.map(\.variant)).count == sweep.series.count
    let lines = sweep.series.enumerated().map { number, series -> Chart.Line in
      let points = zip(zip(places, sweep.settings), series.points).compactMap { setting, point -> Chart.Point? in
        guard let point, point.median.isFinite else { return nil }
        let says = "\(series.label), \(sweep.parameter.label(setting.1)): \(point.text)"
        return Chart.Point(x: setting.0, y: point.median, says: says, span: point.rounds)
      }.sorted { $0.x < $1.x }
      return Chart.Line(
        label: series.label, style: SeriesStyle(number: isOneEach ? series.variant : number, isBroken: series.isBroken),
        points: points, isMarked: !(series.isFlat && sweep.isOfNumbers), isJoined: sweep.isOfNumbers)
    }
    let ideal = sweep.ideal.map { slope in
      let points = zip(places, sweep.settings).sorted { $0.0 < $1.0 }.map { place, setting in
        Chart.Point(x: place, y: slope * place, says: "ideal, \(sweep.parameter.label(setting))")
      }
      return Chart.Line(
        label: "ideal", style: SeriesStyle(number: lines.count, isBroken: false), points: points, isMarked: false)
    }
    let drawn = lines + [ideal].compactMap(\.self)
    let points = drawn.flatMap(\.points)
    // The figure of a single round may be far above all others. The axis does not extend to such a figure.
    let highest = Self.longestSpan * (points.map(\.y).max() ?? 1)
    let heights =
      points.map(\.y)
      + points.flatMap { [$0.span?.lowerBound, $0.span.map { min($0.upperBound, highest) }].compactMap(\.self) }
    guard points.count > 1, let low = places.min(), let high = places.max(), low < high else { return nil }
    let isLog = low > 0 && high / low > 8
    let margin = isLog ? Double.pow(high / low, 0.04) : 0.05 * (high - low)
    let across = Axis(
      low: isLog ? low / margin : low - margin, high: isLog ? high * margin : high + margin, isLog: isLog,
      ticks: thinned(
        zip(places, sweep.settings).map { ($0, sweep.parameter.describe($1)) }, over: low...high, isLog: isLog))
    let up = Axis(heights, sweep.metric.unit)
    let chart = Chart(
      title: "\(sweep.metric.name) by \(sweep.parameter.name)",
      says: "\(sweep.figures)\(sweep.note)\(sweep.distances)\(PictureFigure.better(sweep.metric))", across: across,
      up: up,
      lines: drawn, height: kind == nil ? 280 : 360)
    guard let kind else { return figure(chart) }
    let flat = zip(sweep.series, lines).filter { $0.0.isFlat && !$0.1.points.isEmpty }.map(\.0.label)
    let axes = [isLog ? sweep.parameter.name : "", up.isLog ? sweep.metric.name : ""].filter { !$0.isEmpty }
    let legend =
      PictureFigure(content).medians(
        hasSpans: points.contains { $0.span != nil }, isLog: false, hasBroken: sweep.series.contains(where: \.isBroken))
      + [
        flat.isEmpty ? "" : "No markers: the variant has no \(sweep.parameter.name).",
        axes.isEmpty ? "" : "Logarithmic: \(axes.joined(separator: ", ")).",
      ]
    return """
      <figure class="\(kind)"><figcaption><b>\(chart.title)</b> \(sweep.metric.says)\(PictureFigure.better(sweep.metric)); \(sweep.isOfMeans ? "means over the rounds" : "medians")\(sweep.note)\(sweep.distances)</figcaption>
      \(chart.drawing)
      \(PictureFigure.legend(legend))</figure>

      """
  }

  /// Returns the ticks for which there is room on a narrow page. If two ticks are too close, the tick with the smaller
  /// value is omitted.
  private func thinned(
    _ ticks: [(value: Double, label: String)], over range: ClosedRange<Double>, isLog: Bool = false
  ) -> [(value: Double, label: String)] {
    let (low, high) = (range.lowerBound, range.upperBound)
    guard low < high else { return ticks }
    var kept: [(value: Double, label: String)] = []
    var begin = Double.infinity
    for tick in ticks.sorted(by: { $0.value > $1.value }) {
      let place = isLog ? LogScale.position(tick.value, low: low, high: high) : (tick.value - low) / (high - low)
      let half = 0.013 * Double(tick.label.count)
      guard place + half < begin else { continue }
      kept.append(tick)
      begin = place - half - 0.01
    }
    return kept.reversed()
  }

  // MARK: Distributions

  /// Returns a chart of percentile curves; nil if there are no curves to draw. On the horizontal axis, the distance
  /// from 90 % to 99 % equals the distance from 99 % to 99.9 %, and so on, as in the HdrHistogram plotter.
  private func percentiles(_ distribution: Distribution) -> Markup? {
    let lines = distribution.series.map { series -> Chart.Line in
      let pairs = series.samples.histogram
      let total = pairs.reduce(0) { $0 + Double($1.count) }
      var seen = 0.0
      let points = pairs.map { pair -> Chart.Point in
        seen += Double(pair.count)
        // The largest of n samples is at the percentile with half a sample above it, not at infinity.
        let above = max(1 - seen / total, 0.5 / total)
        return Chart.Point(x: -Double.log10(above), y: pair.value.value, says: "")
      }
      let start = pairs.first.map { Chart.Point(x: 0, y: $0.value.value, says: "") }
      return Chart.Line(
        label: series.label, style: SeriesStyle(number: series.variant, isBroken: series.isBroken),
        points: [start].compactMap(\.self) + points, isMarked: false)
    }
    guard let end = lines.flatMap(\.points).map(\.x).max(), end > 0 else { return nil }
    let ticks: [(value: Double, label: String)] = [
      (0, "0 %"), (-Double.log10(0.5), "50 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"),
      (5, "99.999 %"),
    ]
    let chart = Chart(
      title: "percentiles of \(distribution.metric.name)",
      says: "across: share of the samples; up: the value that they do not exceed\(distribution.note)",
      across: Axis(low: 0, high: end, isLog: false, ticks: thinned(ticks.filter { $0.value <= end }, over: 0...end)),
      up: Axis(lines.flatMap(\.points).map(\.y), distribution.metric.unit), lines: lines)
    return figure(chart)
  }

  /// The minimum ratio between the ends of a histogram's axis. With a smaller ratio, the labels of the ticks could be
  /// equal.
  private static let leastSpan = 1.2

  /// Returns a chart of the distributions as histograms, one above the other, on a common axis; nil if there is nothing
  /// to draw.
  private func histogram(_ distribution: Distribution) -> Markup? {
    let series = distribution.series
    let values = series.flatMap { $0.samples.histogram.map(\.value.value) }.filter { $0 > 0 }
    guard let least = values.min(), let most = values.max() else { return nil }
    let axis = Axis([least, max(most, least * Self.leastSpan)], distribution.metric.unit, atMost: 5)
    return """
      <figure><figcaption><b>distribution of \(distribution.metric.name)</b>\(axis.isLog ? " logarithmic" : "")\(distribution.note)</figcaption>
      \(RidgelinePlot(series: series, axis: axis).svg)</figure>

      """
  }
}
