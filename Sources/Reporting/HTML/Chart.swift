import Measurement

/// A line chart as inline SVG. The colours of the chart are those of the page. The chart fills the width of the page,
/// and its text has the same size at any width.
///
/// Horizontal positions are shares of the width, and vertical positions are pixels. The name of a line is at the right
/// end of the line, or in a row of keys below the chart if there is no room.
struct Chart {
  struct Point {
    let x: Double
    let y: Double
    /// The text that appears when the pointer is over the point.
    let says: String
    /// The range of the thin line through the point; nil for no line.
    var span: ClosedRange<Double>? = nil
  }
  struct Line {
    let label: String
    let style: SeriesStyle
    let points: [Point]
    /// Whether each point has a marker.
    let isMarked: Bool
    /// Whether a line joins the points. Points at settings that are not numbers are not joined, since there are no
    /// values between such settings.
    var isJoined = true
  }

  let title: String
  let says: String
  let across: Axis
  let up: Axis
  let lines: [Line]
  var height = 300.0

  private static let (top, bottom) = (10.0, 30.0)
  /// The approximate width of a letter, in pixels.
  private static let letter = 7.0
  /// The maximum length of a name beside the chart, in letters.
  private static let longName = 26
  /// The minimum distance between two names, in pixels.
  private static let nameStep = 15.0

  /// The HTML of the chart and its keys.
  var drawing: Markup {
    let base = height - Self.bottom
    let ticks = up.ticks.map { tick -> Markup in
      let y = coordinate(self.y(tick.value))
      return """
        <line class="grid" x1="0" x2="100%" y1="\(y)" y2="\(y)"/>\
        <text class="tick end" x="-8" y="\(coordinate(self.y(tick.value) + 4))">\(tick.label)</text>
        """
    }
    let marks = across.ticks.map { tick -> Markup in
      let x = percent(across.position(tick.value))
      return """
        <line class="grid" x1="\(x)" x2="\(x)" y1="\(coordinate(Self.top))" y2="\(coordinate(base))"/>\
        <text class="tick mid" x="\(x)" y="\(coordinate(base + 19))">\(tick.label)</text>
        """
    }
    let left = (up.ticks.map { Double($0.label.count) * Self.letter }.max() ?? 0) + 12
    let longest = lines.map(\.label.count).max() ?? 0
    let isNamed = longest <= Self.longName
    let right = isNamed ? Double(longest) * Self.letter + 36 : 12
    let described = lines.filter(\.isMarked).flatMap(\.points).map(\.says).joined(separator: "; ")
    let description: Markup = described.isEmpty ? "" : "<desc>\(described)</desc>"
    return """
      <div class="chart\(isNamed ? "" : " keyed")" style="--left: \(coordinate(left))px; --right: \(coordinate(right))px">
      <svg role="img" height="\(coordinate(height))"><title>\(title): \(says)</title>\(description)\(ticks)\(marks)\
      <svg class="lines" viewBox="0 0 1000 \(coordinate(height))" preserveAspectRatio="none" width="100%" \
      height="\(coordinate(height))">\(lines.map(path))</svg>\(lines.map(dots))\(isNamed ? names : "")</svg>
      <p class="keys">\(lines.map(key))</p></div>
      """
  }

  private func path(_ line: Line) -> Markup {
    guard line.isJoined, line.points.count > 1 else { return "" }
    let path = line.points.map { "\(coordinate(1000 * across.position($0.x))),\(coordinate(y($0.y)))" }
    return "<g class=\"\(line.style.classes)\"><polyline points=\"\(path.joined(separator: " "))\"/></g>"
  }

  private func dots(_ line: Line) -> Markup {
    guard line.isMarked else { return "" }
    let dots = line.points.map { point -> Markup in
      let x = percent(across.position(point.x))
      let span: Markup =
        point.span.map {
          "<line class=\"span\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(coordinate(y($0.lowerBound)))\" y2=\"\(coordinate(y($0.upperBound)))\"/>"
        } ?? ""
      return """
        \(span)<svg class="mark" x="\(x)" y="\(coordinate(y(point.y)))"><title>\(point.says)</title><path d="\(line.style.marker)"/></svg>
        """
    }
    return "<g class=\"\(line.style.classes)\">\(dots)</g>"
  }

  /// The names of the lines, each at the right end of its line. Names are moved vertically so that they do not overlap.
  private var names: Markup {
    let ends = lines.compactMap { line in line.points.last.map { (line: line, y: y($0.y)) } }.sorted { $0.y < $1.y }
    var places: [Double] = []
    for end in ends { places.append(max(end.y, places.last.map { $0 + Self.nameStep } ?? Self.top)) }
    // Names that were moved below the lower end are moved up again.
    var lowest = height - Self.bottom + 4
    for index in places.indices.reversed() {
      places[index] = min(places[index], lowest)
      lowest = places[index] - Self.nameStep
    }
    let names = zip(ends, places).map { end, place -> Markup in
      let marker: Markup =
        end.line.isMarked
        ? "<svg class=\"mark\" x=\"24\" y=\"\(coordinate(place))\"><path d=\"\(end.line.style.marker)\"/></svg>" : ""
      return """
        <g class="\(end.line.style.classes)"><line class="leader" x1="2" x2="18" y1="\(coordinate(end.y))" y2="\(coordinate(place))"/>\
        \(marker)<text x="\(end.line.isMarked ? 33 : 22)" y="\(coordinate(place + 4))">\(end.line.label)</text></g>
        """
    }
    return "<svg class=\"names\" x=\"100%\">\(names)</svg>"
  }

  private func key(_ line: Line) -> Markup {
    let joined: Markup = line.isJoined ? "<line class=\"leader\" x1=\"0\" x2=\"26\" y1=\"7\" y2=\"7\"/>" : ""
    let marker: Markup =
      line.isMarked ? "<svg class=\"mark\" x=\"13\" y=\"7\"><path d=\"\(line.style.marker)\"/></svg>" : ""
    return """
      <span class="key"><svg class="\(line.style.classes)" width="26" height="14" aria-hidden="true">\(joined)\(marker)</svg> \(line.label)</span>

      """
  }

  private func y(_ value: Double) -> Double {
    height - Self.bottom - up.position(value) * (height - Self.top - Self.bottom)
  }
}
