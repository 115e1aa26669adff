import Measurement

/// A plot of histograms, one above the other. Each histogram has a name, and fills the height of its row.
struct RidgelinePlot {
  let series: [Distribution.Series]
  let axis: Axis

  private static let (row, bins) = (58.0, 96)
  /// The height of the name, in pixels.
  private static let name = 16.0

  /// The plot as inline SVG.
  var svg: Markup {
    let height = Self.row * Double(series.count)
    let ticks = axis.ticks.map { tick -> Markup in
      let x = percent(axis.position(tick.value))
      return """
        <line class="grid" x1="\(x)" x2="\(x)" y1="0" y2="\(coordinate(height))"/>\
        <text class="tick mid" x="\(x)" y="\(coordinate(height + 18))">\(tick.label)</text>
        """
    }
    let rows = series.enumerated().map { row($0.element, base: Self.row * Double($0.offset + 1)) }
    let names = series.map(\.label).joined(separator: ", ")
    return """
      <div class="ridges"><svg height="\(coordinate(height + 26))" role="img"><title>histograms: \(names)</title>\(ticks)\(rows)</svg></div>
      """
  }

  private func row(_ series: Distribution.Series, base: Double) -> Markup {
    var heights = [Double](repeating: 0, count: Self.bins)
    for pair in series.samples.histogram where pair.value.value > 0 {
      let bin = Int(axis.position(pair.value.value) * Double(Self.bins))
      heights[min(max(bin, 0), Self.bins - 1)] += Double(pair.count)
    }
    let tallest = max(heights.max() ?? 1, 1)
    let step = 1 / Double(Self.bins)
    let bars = heights.enumerated().filter { $0.element > 0 }.map { bin, count -> Markup in
      // The square root makes a single slow sample visible beside thousands of fast samples.
      let tall = max(1.5, (Self.row - Self.name - 4) * (count / tallest).squareRoot())
      return
        "<rect x=\"\(percent(Double(bin) * step))\" y=\"\(coordinate(base - tall))\" width=\"\(percent(step))\" height=\"\(coordinate(tall))\"/>"
    }
    let style = SeriesStyle(number: series.variant, isBroken: series.isBroken)
    return """
      <g class="\(style.classes)">\
      <line class="grid" x1="0" x2="100%" y1="\(coordinate(base))" y2="\(coordinate(base))"/>\(bars)</g>\
      <text class="name" x="0" y="\(coordinate(base - Self.row + Self.name - 3))">\(series.label)</text>
      """
  }
}
