/// A chart of rows. Each row has a name, a drawing that fills the width, and a text. On a narrow page, the drawing is
/// below the name.
///
/// Horizontal positions are shares of the width. The text therefore has the same size at any width.
struct StripChart {
  struct Row {
    let name: String
    /// Whether the row belongs to a broken variant.
    let isBroken: Bool
    /// A description of the row for readers who cannot see the drawing.
    let says: String
    let drawing: Markup
    /// The text to the right of the drawing, usually a figure.
    let figure: Markup
  }

  let rows: [Row]
  /// The content above the rows, such as the names of columns; nil for no content.
  var head: Markup?
  /// The content below the rows, such as ticks; nil for no content.
  var foot: Markup?

  /// The height of a drawing, in pixels.
  static let height = 26
  static let middle = "13"

  var markup: Markup {
    let rows = rows.map { row -> Markup in
      """
      <div class="strip\(row.isBroken ? " broken" : "")"><span class="name">\(row.name)</span>\
      <svg role="img" height="\(Self.height)"><title>\(row.says)</title>\(row.drawing)</svg>\
      <span class="figure">\(row.figure)</span></div>

      """
    }
    return "\(edge(head))\(rows)\(edge(foot))"
  }

  private func edge(_ drawing: Markup?) -> Markup {
    guard let drawing else { return "" }
    return """
      <div class="strip edge"><span class="name"></span><svg aria-hidden="true" height="20">\(drawing)</svg><span class="figure"></span></div>

      """
  }

  /// Returns the ticks of an axis, for the space below the rows. The first and the last tick do not extend beyond the
  /// rows.
  static func ticks(_ axis: Axis) -> Markup {
    let ticks = axis.ticks.map { tick -> Markup in
      let place = axis.position(tick.value)
      let side = place < 0.06 ? "" : place > 0.94 ? " end" : " mid"
      return "<text class=\"tick\(side)\" x=\"\(percent(place))\" y=\"14\">\(tick.label)</text>"
    }
    return "\(ticks)"
  }

  /// Returns the vertical lines at the ticks of an axis, for the background of a row.
  static func grid(_ axis: Axis) -> Markup {
    let lines = axis.ticks.map { tick -> Markup in
      let x = percent(axis.position(tick.value))
      return "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(height)\"/>"
    }
    return "\(lines)"
  }
}
