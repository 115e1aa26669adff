import Laboratory
import Measurement

import RealModule

/// The charts of a page: what the reading has to draw.
struct Figures {
  private let reading: Reading

  init(_ reading: Reading) { self.reading = reading }

  /// A page with more charts than these is read by nobody.
  private static let mostSweeps = 4

  /// Every figure with its caption, sweeps first.
  var all: [Markup] {
    reading.sweeps.prefix(Self.mostSweeps).compactMap(sweep)
      + reading.distributions.flatMap { [percentiles($0), histogram($0)] }.compactMap(\.self)
  }

  private func figure(
    _ title: String, _ says: String, _ drawing: Markup, _ series: [(label: String, variant: Int)]
  ) -> Markup {
    let keys = series.map { "<span class=\"key c\($0.variant % Chart.colors)\">\($0.label)</span> " as Markup }
    return """
      <figure><figcaption><b>\(title)</b> \(says)</figcaption>\(drawing)<p class="keys">\(keys)</p></figure>

      """
  }

  // MARK: Sweeps

  private func sweep(_ sweep: SweepCurve) -> Markup? {
    let numbers = sweep.settings.compactMap { if case .integer(let number) = $0 { Double(number) } else { nil } }
    // Words stand at equal steps.
    let areNumbers = numbers.count == sweep.settings.count
    let places = areNumbers ? numbers : sweep.settings.indices.map { Double($0) }
    // A variant has its colour, unless it has several lines.
    let isOneEach = Set(sweep.series.map(\.variant)).count == sweep.series.count
    let colors = sweep.series.indices.map { isOneEach ? sweep.series[$0].variant : $0 }
    let lines = zip(sweep.series, colors).map { series, color -> Chart.Line in
      let points = zip(zip(places, sweep.settings), series.values).compactMap { setting, value -> Chart.Point? in
        guard let value else { return nil }
        let says = "\(series.label), \(sweep.parameter.label(setting.1)): \(Quantity(value, sweep.metric.unit))"
        return Chart.Point(x: setting.0, y: value, says: says)
      }
      return Chart.Line(color: color, points: points, isMarked: true, isJoined: areNumbers)
    }
    let heights = lines.flatMap(\.points).map(\.y)
    guard heights.count > 1, let low = places.min(), let high = places.max(), low < high else { return nil }
    let isLog = low > 0 && high / low > 8
    let margin = isLog ? 1.2 : 0.05 * (high - low)
    let across = Chart.Axis(
      low: isLog ? low / margin : low - margin, high: isLog ? high * margin : high + margin, isLog: isLog,
      ticks: thinned(Array(zip(places, sweep.settings.map(sweep.parameter.describe))), isLog: isLog))
    let chart = Chart(
      title: "\(sweep.metric.name) by \(sweep.parameter.name)", says: "medians over the rounds\(sweep.note)",
      across: across,
      up: Chart.Axis(heights, sweep.metric.unit), lines: lines)
    return figure(chart.title, chart.says, chart.svg, Array(zip(sweep.series.map(\.label), colors)))
  }

  /// Of many ticks those that have room.
  private func thinned(_ ticks: [(Double, String)], isLog: Bool) -> [(value: Double, label: String)] {
    let sorted = ticks.sorted { $0.0 < $1.0 }
    guard let low = sorted.first?.0, let high = sorted.last?.0, low < high else { return sorted.map { ($0.0, $0.1) } }
    var kept: [(value: Double, label: String)] = []
    var end = -1.0
    for (value, label) in sorted {
      let place = isLog ? LogScale.position(value, low: low, high: high) : (value - low) / (high - low)
      let half = 0.01 * Double(label.count)
      guard place - half > end else { continue }
      kept.append((value, label))
      end = place + half + 0.01
    }
    return kept
  }

  // MARK: Distributions

  /// Percentile curves on the axis of the HdrHistogram plotter: each further nine takes the same room.
  private func percentiles(_ distribution: Distribution) -> Markup? {
    let lines = distribution.series.map { series -> Chart.Line in
      let pairs = series.samples.histogram
      let total = pairs.reduce(0) { $0 + Double($1.count) }
      var seen = 0.0
      let points = pairs.map { pair -> Chart.Point in
        seen += Double(pair.count)
        // The largest of n samples stands where half a sample would be above it, not at infinity.
        let above = max(1 - seen / total, 0.5 / total)
        return Chart.Point(x: -Double.log10(above), y: pair.value.value, says: "")
      }
      let start = pairs.first.map { Chart.Point(x: 0, y: $0.value.value, says: "") }
      return Chart.Line(color: series.variant, points: [start].compactMap(\.self) + points, isMarked: false)
    }
    guard let end = lines.flatMap(\.points).map(\.x).max(), end > 0 else { return nil }
    let ticks: [(value: Double, label: String)] = [
      (0, "0 %"), (-Double.log10(0.5), "50 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"),
      (5, "99.999 %"),
    ]
    let chart = Chart(
      title: "percentiles of \(distribution.metric.name)",
      says: "what share of the samples is at most this\(distribution.note)",
      across: Chart.Axis(low: 0, high: end, isLog: false, ticks: ticks.filter { $0.value <= end }),
      up: Chart.Axis(lines.flatMap(\.points).map(\.y), distribution.metric.unit), lines: lines)
    return figure(chart.title, chart.says, chart.svg, distribution.series.map { ($0.label, $0.variant) })
  }

  /// Each distribution as a hill of its own on a common logarithmic axis.
  private func histogram(_ distribution: Distribution) -> Markup? {
    let series = distribution.series
    let values = series.flatMap { $0.samples.histogram.map(\.value.value) }.filter { $0 > 0 }
    guard let least = values.min(), let most = values.max() else { return nil }
    let ridges = Ridges(
      series: series, axis: Chart.Axis([least, max(most, least * 10)], distribution.metric.unit))
    return figure(
      "distribution of \(distribution.metric.name)", "logarithmic\(distribution.note)", ridges.svg,
      series.map { ($0.label, $0.variant) })
  }
}
