import Laboratory
import Measurement
import Platform

/// A plot of a figure against a swept parameter for a terminal, with a mark for each series. An axis is logarithmic if
/// the smallest value is above 0 and the largest value is more than four times the smallest value.
struct SweepPlot {
  private let sweep: SweepCurve
  private let style: TextStyle

  private static let rows = 12
  private static let fewestColumns = 20

  init(_ sweep: SweepCurve, _ style: TextStyle) {
    self.sweep = sweep
    self.style = style
  }

  private var series: [SweepCurve.Series] { sweep.series }
  private var places: [Double] { sweep.places }

  /// The names of the logarithmic axes, as a suffix of the title; empty if both axes are linear.
  var note: String {
    let values = self.values
    let vertical = values.min().flatMap { low in values.max().map { Scale(low, $0).isLog } } ?? false
    switch (horizontal?.isLog ?? false, vertical) {
    case (true, true): return ", both axes logarithmic"
    case (true, false): return ", \(sweep.parameter.name) logarithmic"
    case (false, true): return ", values logarithmic"
    case (false, false): return ""
    }
  }

  /// All figures of the plot, including those of the ideal line.
  private var values: [Double] {
    series.flatMap(\.values).compactMap(\.self) + (sweep.ideal.map { slope in places.map { slope * $0 } } ?? [])
  }

  /// Returns the vertical scale. The ends of the scale differ by at least a quarter, since noise would otherwise fill
  /// the plot. The scale is linear if a figure is 0.
  private static func vertical(_ least: Double, _ most: Double) -> Scale {
    guard least > 0 else { return Scale(least, most > least ? most : least + 1) }
    let middle = (least * most).squareRoot()
    return most / least < leastSpan
      ? Scale(middle / leastSpan.squareRoot(), middle * leastSpan.squareRoot()) : Scale(least, most)
  }

  private static let leastSpan = 1.25

  /// Returns the lines of the plot, the legend last; empty if the terminal is too narrow for a plot, or if there are no
  /// figures.
  func lines() -> [String] {
    let values = self.values
    guard let least = values.min(), let most = values.max() else { return [] }
    let vertical = Self.vertical(least, most)
    let labels = Dictionary(
      uniqueKeysWithValues: [0, Self.rows / 2, Self.rows - 1].map { row in
        (row, Quantity(vertical.value(1 - Double(row) / Double(Self.rows - 1)), sweep.metric.unit).description)
      })
    let margin = labels.values.map(\.displayWidth).max() ?? 0
    let columns = min(style.width - margin - 5, 100)
    guard columns >= Self.fewestColumns else { return [] }
    let places = columnsOfSettings(columns)
    var canvas = Array(repeating: [Mark?](repeating: nil, count: columns), count: Self.rows)
    for (index, one) in series.enumerated() where !one.isFlat {
      for (place, value) in zip(places, one.values) {
        guard let value else { continue }
        let row = Int((Double(Self.rows - 1) * (1 - vertical.position(value))).rounded())
        canvas[row][place] = canvas[row][place] == nil ? .series(index) : .several
      }
    }
    if let ideal = sweep.ideal, let horizontal {
      for column in 0..<columns {
        let value = ideal * horizontal.value(Double(column) / Double(columns - 1))
        let row = Int((Double(Self.rows - 1) * (1 - vertical.position(value))).rounded())
        if canvas[row][column] == nil { canvas[row][column] = .ideal }
      }
    }
    for (index, one) in series.enumerated() where one.isFlat {
      guard let value = one.values.lazy.compactMap(\.self).first else { continue }
      let row = Int((Double(Self.rows - 1) * (1 - vertical.position(value))).rounded())
      for column in 0..<columns {
        switch canvas[row][column] {
        case nil: canvas[row][column] = .line(index)
        case .line: canvas[row][column] = .several
        default: break
        }
      }
    }
    let axis = style.sign("┤", "|")
    let body = canvas.enumerated().map { row, cells in
      let label = labels[row] ?? ""
      let filler = String(repeating: " ", count: margin - label.displayWidth)
      return "  " + filler + SemanticColor.quiet(label + " " + (label.isEmpty ? style.sign("│", "|") : axis), style)
        + draw(cells)
    }
    let hasSeveral = canvas.joined().contains(.several)
    return body + [base(places, columns, margin)] + legend(margin, hasSeveral: hasSeveral)
  }

  /// The content of a character cell of the plot.
  private enum Mark: Equatable {
    case series(Int)
    /// A part of the line of a series that does not depend on the swept parameter. The value is the number of the
    /// series.
    case line(Int)
    /// Points of several series coincide.
    case several
    /// A point of the ideal line.
    case ideal
  }

  private func draw(_ cells: [Mark?]) -> String {
    var text = ""
    for cell in cells {
      switch cell {
      case .series(let index): text += color(index)(mark(index), style)
      case .line(let index): text += color(index)(line(index), style)
      case .several: text += several
      case .ideal: text += SemanticColor.quiet(dot, style)
      case nil: text += " "
      }
    }
    return text.trimmed
  }

  private func columnsOfSettings(_ columns: Int) -> [Int] {
    guard let horizontal else { return places.map { _ in 0 } }
    return places.map { Int((horizontal.position($0) * Double(columns - 1)).rounded()) }
  }

  /// The horizontal scale; nil if there is only one setting.
  private var horizontal: Scale? {
    guard let low = places.min(), let high = places.max(), low < high else { return nil }
    return Scale(low, high)
  }

  /// Returns the horizontal axis in three lines: the ticks, the values for which there is room, and the name of the
  /// parameter.
  private func base(_ places: [Int], _ columns: Int, _ margin: Int) -> String {
    var rule = Array(repeating: style.sign("─", "-"), count: columns)
    var names = ""
    for (place, setting) in zip(places, sweep.settings).sorted(by: { $0.0 < $1.0 }) {
      rule[place] = style.sign("┬", "+")
      let name = sweep.parameter.describe(setting)
      let start = max(0, min(place - name.count / 2, columns - name.count))
      if names.isEmpty ? start >= 0 : start > names.count {
        names += String(repeating: " ", count: start - names.count) + name
      }
    }
    let indent = String(repeating: " ", count: margin + 3)
    return indent + SemanticColor.quiet(style.sign("└", "+") + rule.joined(), style) + "\n" + indent + " "
      + SemanticColor.quiet(names, style)
      + "\n" + indent + " " + SemanticColor.quiet(sweep.parameter.name, style)
  }

  private func legend(_ margin: Int, hasSeveral: Bool) -> [String] {
    let indent = String(repeating: " ", count: margin + 4)
    var lines: [String] = []
    var used = style.width
    let keys =
      series.enumerated().map { (label: $1.label.inLine, mark: color($0)($1.isFlat ? line($0) : mark($0), style)) }
      + (hasSeveral ? [(label: "several at once", mark: several)] : [])
      + (sweep.ideal == nil ? [] : [(label: "ideal", mark: SemanticColor.quiet(dot, style))])
    for key in keys {
      let cells = key.label.displayWidth + 4
      if used + cells > style.width {
        lines.append(indent)
        used = indent.count
      }
      lines[lines.count - 1] += key.mark + " " + key.label + "  "
      used += cells
    }
    return lines.map(\.trimmed)
  }

  private var several: String { style.sign("✱", "=") }
  private var dot: String { style.sign("·", ".") }

  private func mark(_ series: Int) -> String {
    let marks = Array(style.sign("●○■□▲△◆◇▼▽", "o*x#+@%&$~"))
    return String(marks[series % marks.count])
  }

  /// Returns the mark for the line of a series that does not depend on the parameter. Up to eight of these lines have
  /// different marks.
  private func line(_ index: Int) -> String {
    let marks = Array(style.sign("╌═┈━┄╍┅─", "-_:^';,!"))
    return String(marks[series.prefix(index).count(where: \.isFlat) % marks.count])
  }

  /// Returns the colour of a series. Several series may have the same colour, since the mark alone identifies a series.
  private func color(_ series: Int) -> SemanticColor { [.name, .good, .care, .heading][series % 4] }

  /// A scale whose values have positions from 0 to 1. The scale is logarithmic if its low end is above 0 and its high
  /// end is more than four times its low end.
  private struct Scale {
    private let low: Double
    private let high: Double
    let isLog: Bool

    init(_ low: Double, _ high: Double) {
      (self.low, self.high) = (low, high)
      isLog = low > 0 && high / low > SweepCurve.leastLogSpan
    }

    func position(_ value: Double) -> Double {
      isLog ? LogScale.position(value, low: low, high: high) : (value - low) / (high - low)
    }

    func value(_ position: Double) -> Double {
      isLog ? LogScale.value(position, low: low, high: high) : low + position * (high - low)
    }
  }
}
