import Laboratory
import Measurement

/// A plot of distributions for a terminal, with a line of bars for each distribution on a common logarithmic axis.
struct HistogramPlot {
  private let series: [Distribution.Series]
  private let unit: Unit
  private let style: TextStyle
  private let hasTicks: Bool

  /// Creates a plot of a metric's distributions.
  ///
  /// - Parameter ticks: whether a line below each distribution marks its percentiles.
  init(_ distribution: Distribution, _ style: TextStyle, ticks: Bool = true) {
    hasTicks = ticks
    series = distribution.series
    unit = distribution.metric.unit
    self.style = style
  }

  private static let fewestColumns = 16

  /// Returns the lines of the plot; empty if the terminal is too narrow for a plot, or if no value is above 0.
  func lines() -> [String] {
    let labels = min(series.map(\.label.displayWidth).max() ?? 0, style.width / 3)
    let columns = style.width - labels - 4
    guard columns >= Self.fewestColumns, let axis = axis(columns: columns) else { return [] }
    var lines: [String] = []
    for one in series {
      let name = SemanticColor.name(one.label.shortened(to: labels, style).padded(to: labels), style)
      lines.append("  \(name)  \(bars(one.samples, axis))")
      guard hasTicks else { continue }
      lines.append(
        "  " + String(repeating: " ", count: labels + 2) + SemanticColor.quiet(ticks(one.samples, axis), style))
    }
    lines.append("  " + String(repeating: " ", count: labels + 2) + SemanticColor.quiet(scale(axis), style))
    return lines.map(\.trimmed)
  }

  /// The logarithmic axis of the values, in columns of equal width.
  private struct Axis {
    let low: Double
    let high: Double
    let columns: Int

    func column(_ value: Double) -> Int {
      let position = LogScale.position(value, low: low, high: high)
      return min(max(Int(position * Double(columns)), 0), columns - 1)
    }
  }

  private func axis(columns: Int) -> Axis? {
    let values = series.flatMap { $0.samples.histogram.map(\.value.value) }.filter { $0 > 0 }
    guard let low = values.min(), let high = values.max() else { return nil }
    // A single value needs an axis with two different ends.
    return Axis(low: low * 0.98, high: max(high * 1.02, low * 1.2), columns: columns)
  }

  private func bars(_ samples: SampleFacts, _ axis: Axis) -> String {
    var heights = [Int](repeating: 0, count: axis.columns)
    for pair in samples.histogram { heights[axis.column(pair.value.value)] += pair.count }
    let levels = Array(style.sign("▁▂▃▄▅▆▇█", ".:-=+*#@"))
    let tallest = Double(heights.max() ?? 1)
    return String(
      heights.map { height -> Character in
        guard height > 0 else { return " " }
        return levels[min(levels.count - 1, Int(Double(height) / tallest * Double(levels.count)))]
      })
  }

  private func ticks(_ samples: SampleFacts, _ axis: Axis) -> String {
    let marks = [Statistic.p50, .p90, .p99].compactMap { statistic in
      samples[statistic].map { (axis.column($0), style.sign("╵", "^") + statistic.rawValue) }
    }
    return Self.place(marks, in: axis.columns, marksAlone: true)
  }

  private func scale(_ axis: Axis) -> String {
    var marks: [(Int, String)] = []
    let steps: [Double] = axis.high / axis.low < 100 ? [1, 2, 5] : [1]
    for decade in LogScale.decades(from: axis.low / 10, to: axis.high) {
      for value in steps.map({ decade * $0 }) where value >= axis.low && value <= axis.high {
        marks.append((axis.column(value), mark(value)))
      }
    }
    if marks.count < 2 { marks = [axis.low, (axis.low * axis.high).squareRoot()].map { (axis.column($0), mark($0)) } }
    return Self.place(marks, in: axis.columns)
  }

  private func mark(_ value: Double) -> String { style.sign("└", "|") + Quantity(value, unit).description }

  /// Returns a line that contains texts at their columns. A text that would touch the previous text is omitted. With
  /// `marksAlone`, the mark of an omitted text remains if there is room.
  private static func place(_ marks: [(Int, String)], in columns: Int, marksAlone: Bool = false) -> String {
    var line = ""
    for (column, text) in marks.sorted(by: { $0.0 < $1.0 }) {
      let start = min(column, columns - text.count)
      if line.isEmpty ? start >= 0 : start > line.count {
        line += String(repeating: " ", count: start - line.count) + text
      } else if column >= line.count, column < columns, marksAlone {
        line += String(repeating: " ", count: column - line.count) + text.prefix(1)
      }
    }
    return line
  }
}
