import Measurement

/// A line chart as inline SVG: it takes its colours from the page and needs nothing else.
struct Chart {
  struct Point {
    let x: Double
    let y: Double
    /// What a pointer that rests on it is told.
    let says: String
  }
  struct Line {
    /// Its colour's number, the same for a variant in all charts of a page.
    let color: Int
    let points: [Point]
    /// Whether each point is drawn, or the line alone.
    let isMarked: Bool
    /// Whether a line joins them: between words there is nothing.
    var isJoined = true
  }
  /// An axis with its ticks; positions are those of ``LogScale`` where it is logarithmic.
  struct Axis {
    let low: Double
    let high: Double
    let isLog: Bool
    let ticks: [(value: Double, label: String)]

    func position(_ value: Double) -> Double {
      isLog ? LogScale.position(value, low: low, high: high) : (value - low) / (high - low)
    }
  }

  let title: String
  let says: String
  let across: Axis
  let up: Axis
  let lines: [Line]

  private static let (width, height) = (480.0, 300.0)
  private static let (left, right, top, bottom) = (70.0, 14.0, 10.0, 34.0)

  /// The drawing.
  var svg: Markup {
    let ticks = up.ticks.map { tick -> Markup in
      let y = self.y(tick.value)
      return """
        <line class="grid" x1="\(n(Self.left))" x2="\(n(Self.width - Self.right))" y1="\(n(y))" y2="\(n(y))"/>\
        <text class="tick end" x="\(n(Self.left - 6))" y="\(n(y + 4))">\(tick.label)</text>
        """
    }
    let base = Self.height - Self.bottom
    let marks = across.ticks.map { tick -> Markup in
      let x = self.x(tick.value)
      return """
        <line class="grid" x1="\(n(x))" x2="\(n(x))" y1="\(n(Self.top))" y2="\(n(base))"/>\
        <text class="tick mid" x="\(n(x))" y="\(n(base + 18))">\(tick.label)</text>
        """
    }
    return """
      <svg viewBox="0 0 480 300" role="img" aria-label="\(title): \(says)">\(ticks)\(marks)\(lines.map(draw))</svg>
      """
  }

  private func draw(_ line: Line) -> Markup {
    let path = line.points.map { "\(n(x($0.x))),\(n(y($0.y)))" }.joined(separator: " ")
    let dots =
      line.isMarked
      ? line.points.map { point -> Markup in
        "<circle cx=\"\(n(x(point.x)))\" cy=\"\(n(y(point.y)))\" r=\"4\"><title>\(point.says)</title></circle>"
      } : []
    let joined: Markup = line.isJoined ? "<polyline points=\"\(path)\"/>" : ""
    return "<g class=\"c\(line.color % Chart.colors)\">\(joined)\(dots)</g>"
  }

  /// How many colours the page's style has.
  static let colors = 12

  private func x(_ value: Double) -> Double {
    Self.left + clamped(across.position(value)) * (Self.width - Self.left - Self.right)
  }
  private func y(_ value: Double) -> Double {
    Self.height - Self.bottom - clamped(up.position(value)) * (Self.height - Self.top - Self.bottom)
  }
  private func clamped(_ position: Double) -> Double { min(max(position, 0), 1) }
  private func n(_ value: Double) -> String { Quantity.fixed(value, decimals: 1) }
}

extension Chart.Axis {
  /// An axis for values of `unit`: logarithmic when they span more than eight times the smallest.
  init(_ values: [Double], _ unit: Unit) {
    let (least, most) = (values.min() ?? 0, values.max() ?? 1)
    let isLog = least > 0 && most / least > 8
    // A little room at both ends; a flat line needs an axis with two ends.
    let spread = most > least ? most - least : max(abs(most), 1)
    let low = isLog ? least / 1.15 : max(least - 0.08 * spread, least >= 0 ? 0 : -.infinity)
    let high = isLog ? most * 1.15 : most + 0.08 * spread
    let marks = isLog ? Self.decades(low, high) : Self.round(low, high)
    self.init(
      low: low, high: high, isLog: isLog, ticks: marks.map { ($0, Quantity($0, unit).description) })
  }

  private static func decades(_ low: Double, _ high: Double) -> [Double] {
    let decades = LogScale.decades(from: low / 10, to: high)
    let steps: [Double] = decades.count > 4 ? [1] : [1, 2, 5]
    return decades.flatMap { decade in steps.map { decade * $0 } }.filter { $0 >= low && $0 <= high }
  }

  /// Four to nine round numbers.
  private static func round(_ low: Double, _ high: Double) -> [Double] {
    let decade = LogScale.decades(from: (high - low) / 10, to: high - low).first ?? (high - low) / 5
    let step = [0.2, 0.5, 1, 2].map { $0 * decade }.first { (high - low) / $0 <= 6 } ?? 2 * decade
    let first = Int((low / step).rounded(.up))
    let last = Int((high / step).rounded(.down))
    return first <= last ? (first...min(last, first + 20)).map { Double($0) * step } : []
  }
}
