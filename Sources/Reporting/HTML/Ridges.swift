import Measurement

/// Histograms one above the other, each as high as its row and with its name.
struct Ridges {
  let series: [Distribution.Series]
  let axis: Chart.Axis

  private static let (width, row, bins) = (480.0, 60.0, 96)
  private static let side = 10.0
  /// What the name takes of a row.
  private static let name = 16.0

  /// The drawing.
  var svg: Markup {
    let height = Self.row * Double(series.count)
    let ticks = axis.ticks.enumerated().filter { axis.ticks.count < 8 || $0.offset.isMultiple(of: 3) }.map {
      _, tick -> Markup in
      let x = n(Self.side + axis.position(tick.value) * (Self.width - 2 * Self.side))
      return """
        <line class="grid" x1="\(x)" x2="\(x)" y1="0" y2="\(n(height))"/>\
        <text class="tick mid" x="\(x)" y="\(n(height + 18))">\(tick.label)</text>
        """
    }
    let rows = series.enumerated().map { row($0.element, base: Self.row * Double($0.offset + 1)) }
    return "<svg viewBox=\"0 0 480 \(n(height + 26))\" role=\"img\" aria-label=\"histograms\">\(ticks)\(rows)</svg>"
  }

  private func row(_ series: Distribution.Series, base: Double) -> Markup {
    var heights = [Double](repeating: 0, count: Self.bins)
    for pair in series.samples.histogram where pair.value.value > 0 {
      let bin = Int(axis.position(pair.value.value) * Double(Self.bins))
      heights[min(max(bin, 0), Self.bins - 1)] += Double(pair.count)
    }
    let tallest = max(heights.max() ?? 1, 1)
    let step = (Self.width - 2 * Self.side) / Double(Self.bins)
    let bars = heights.enumerated().filter { $0.element > 0 }.map { bin, count -> Markup in
      // The square root keeps a single slow sample visible beside thousands of fast ones.
      let tall = max(1.5, (Self.row - Self.name - 4) * (count / tallest).squareRoot())
      let x = n(Self.side + Double(bin) * step)
      return "<rect x=\"\(x)\" y=\"\(n(base - tall))\" width=\"\(n(step))\" height=\"\(n(tall))\"/>"
    }
    return """
      <g class="c\(series.variant % Chart.colors)">\
      <line class="grid" x1="0" x2="480" y1="\(n(base))" y2="\(n(base))"/>\(bars)</g>\
      <text class="name" x="0" y="\(n(base - Self.row + Self.name - 3))">\(series.label)</text>
      """
  }

  private func n(_ value: Double) -> String { Quantity.fixed(value, decimals: 1) }
}
