import Laboratory
import Measurement

/// The picture at the beginning of a scenario's section.
struct PictureFigure {
  private let content: ReportContent

  init(_ content: ReportContent) { self.content = content }

  /// The explanation of orange in all pictures and tables of a page.
  private static let orange = "Orange: a deliberately broken variant."

  /// The HTML of the picture; empty if there is nothing to draw.
  var markup: Markup {
    switch content.picture {
    case .outcomes(let bars)?: outcomes(bars)
    case .heat(let map)?: heat(map)
    case .curve(let sweep)?: Charts(content).curve(sweep, kind: "picture") ?? ""
    case .dots(let plot)?: dots(plot)
    case nil: ""
    }
  }

  private func figure(_ title: String, _ note: String, _ body: Markup, keys: Markup = "", _ legend: [String]) -> Markup
  {
    """
    <figure class="picture"><figcaption><b>\(title)</b> \(note)</figcaption>
    <div class="strips">
    \(body)</div>
    \(keys)\(Self.legend(legend))</figure>

    """
  }

  static func legend(_ sentences: [String]) -> Markup {
    let text = sentences.filter { !$0.isEmpty }.joined(separator: " ")
    return text.isEmpty ? "" : "<p class=\"legend\">\(text)</p>\n"
  }

  /// Returns the explanations of the signs in a picture of medians.
  func medians(hasSpans: Bool, isLog: Bool, hasBroken: Bool) -> [String] {
    let rounds = content.rounds
    let span =
      hasSpans
      ? "Thin line: the range of the rounds." : rounds == 1 ? "One round: no interval." : ""
    return [span, isLog ? "Logarithmic axis." : "", hasBroken ? Self.orange : ""]
  }

  static func better(_ metric: MetricFacts) -> String {
    metric.better == .neither ? "" : "; \(metric.better.rawValue) is better"
  }

  private func leftOut(_ labels: [String], _ why: String) -> String {
    guard !labels.isEmpty else { return "" }
    return "\(why): \(labels.abridged(to: 6))."
  }

  // MARK: Dots

  private func dots(_ plot: DotPlot) -> Markup {
    let values = plot.values
    let isCount = plot.metric.kind == .count
    let axis = Axis(values, plot.metric.unit, isFromZero: isCount || (values.min() ?? 1) == 0, atMost: 6)
    let panels = plot.panels.map { panel -> Markup in
      let title: Markup = panel.title.map { "<h3>\($0)</h3>\n" } ?? ""
      let reference = panel.rows.first { $0.isReference }?.median
      let strips = StripChart(
        rows: panel.rows.map { row($0, axis, reference) },
        foot: panel.rows.contains { $0.median != nil || $0.span != nil } ? StripChart.ticks(axis) : nil)
      return "\(title)\(strips.markup)"
    }
    let rows = plot.panels.flatMap(\.rows)
    let reference = plot.reference.map { rows.contains { $0.isReference } ? $0 : "" } ?? ""
    let isHollow = rows.contains { $0.isDistinct == false && !$0.isTooNoisy }
    let legend =
      medians(
        hasSpans: rows.contains { $0.median != nil && $0.span != nil }, isLog: axis.isLog,
        hasBroken: rows.contains(where: \.isBroken))
      + [
        reference.isEmpty ? "" : "Dashed line: \(plot.panels.count > 1 ? "the baseline, " : "")\(reference).",
        isHollow ? "Hollow: not significantly different from \(plot.reference ?? RunComparison.bestWords)." : "",
        rows.contains(where: \.isTooNoisy)
          ? "Dashed outline and \(Signs.undecided): undecided against \(plot.reference ?? RunComparison.bestWords)."
          : "",
        leftOut(plot.leftOut, "No figure"),
        plot.morePoints > 0
          ? "\(plot.morePoints) more setting\(plot.morePoints == 1 ? " is" : "s are") in the table." : "",
      ]
    return figure(plot.title, plot.note + Self.better(plot.metric), "\(panels)", legend)
  }

  private func row(_ row: DotPlot.Row, _ axis: Axis, _ reference: Double?) -> StripChart.Row {
    let unit = axis
    let line: Markup =
      reference.map {
        let x = percent(unit.position($0))
        return "<line class=\"reference\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(StripChart.height)\"/>"
      } ?? ""
    let span: Markup =
      row.span.map {
        "<line class=\"span\" x1=\"\(percent(axis.position($0.lowerBound)))\" x2=\"\(percent(axis.position($0.upperBound)))\" y1=\"\(StripChart.middle)\" y2=\"\(StripChart.middle)\"/>"
      } ?? ""
    let marker = row.isReference ? SeriesStyle.reference : row.isBroken ? SeriesStyle.broken : SeriesStyle.plain
    let dot: Markup =
      row.median.map {
        """
        <svg class="mark\(row.isTooNoisy ? " noisy" : row.isDistinct == false ? " hollow" : "")" x="\(percent(axis.position($0)))" y="\(StripChart.middle)">\
        <path d="\(marker)"/>\(row.isTooNoisy ? "<text x=\"8\" y=\"-3\">\(Signs.undecided)</text>" as Markup : "")</svg>
        """
      } ?? ""
    let word = row.median == nil && row.span == nil
    let ratio = !row.ratio.isEmpty ? row.ratio : row.isReference ? "baseline" : reference == nil ? "" : "not compared"
    let figure: Markup =
      word
      ? "<i>\(row.figure)</i>"
      : "<b>\(row.figure)</b>\(ratio.isEmpty ? "" : " <small>\(ratio)</small>" as Markup)"
    let says = ([row.label + ": " + row.figure] + (ratio.isEmpty ? [] : [ratio])).joined(separator: ", ")
    return StripChart.Row(
      name: row.label, isBroken: row.isBroken, says: says,
      drawing: "<g class=\"\(row.isBroken ? "wrong" : "right")\">\(StripChart.grid(axis))\(line)\(span)\(dot)</g>",
      figure: figure)
  }

  // MARK: Outcomes

  /// The minimum share of an outcome that is labelled with its name, from 0 to 1.
  private static let wide = 0.34

  private func outcomes(_ bars: OutcomeBars) -> Markup {
    let rows = bars.rows.map { row -> StripChart.Row in
      var begin = 0.0
      let parts = row.entries.map { entry -> Markup in
        defer { begin += entry.share }
        let says = Self.says(entry)
        let label: Markup =
          entry.share >= Self.wide
          ? "<text class=\"on\" x=\"\(percent(begin))\" dx=\"8\" y=\"18\">\(says)</text>" : ""
        return """
          <g><title>\(row.label): \(says), \(entry.count.withCommas) of \(entry.total.withCommas)\(entry.expectation.map { ", \($0.rawValue)" } ?? "")</title>\
          <rect class="\(Self.kind(entry.expectation))" x="\(percent(begin))" y="2" width="\(percent(max(entry.share, 0.004)))" height="22"/>\(label)</g>
          """
      }
      let small = row.entries.filter { $0.share < Self.wide }.map(Self.says)
      let total = row.entries.first.map { "of \($0.total.withCommas)" } ?? ""
      let says = row.entries.map { Self.says($0) + ($0.expectation.map { ", \($0.rawValue)" } ?? "") }
      return StripChart.Row(
        name: row.label, isBroken: row.isBroken, says: "\(row.label): \(says.joined(separator: "; ")); \(total)",
        drawing: "\(parts)",
        figure:
          "\(small.isEmpty ? "" : "<b>\(small.joined(separator: ", "))</b> " as Markup)<small>\(total)</small>")
    }
    let kinds = bars.expectations.map { expectation -> Markup in
      let means =
        switch expectation {
        case .allowed: "allowed"
        case .forbidden: "forbidden: no claim foresaw it"
        case .anomaly: "anomaly: the failure that the scenario shows"
        case .trapExpected: "trap expected: the scenario shows this trap"
        case .hangExpected: "hang expected: the scenario shows this hang"
        }
      return """
        <span class="key"><svg width="26" height="14" aria-hidden="true"><rect class="\(Self.kind(expectation))" width="100%" height="100%"/></svg> \(means)</span>

        """
    }
    let hasBroken = bars.rows.contains(where: \.isBroken)
    let legend = [hasBroken ? Self.orange : "", leftOut(bars.leftOut, "Not counted")]
    return figure(
      bars.title, "\(bars.note), with the share of each outcome", StripChart(rows: rows).markup,
      keys: "<p class=\"keys\">\(kinds)</p>\n", legend)
  }

  private static func says(_ entry: OutcomeShares.Entry) -> String { "\(entry.outcome): \(entry.shareText)" }

  private static func kind(_ expectation: OutcomeShares.Expectation?) -> String {
    switch expectation {
    case .allowed?: "allowed"
    case .forbidden?: "forbidden"
    case .anomaly?, .trapExpected?, .hangExpected?: "interest"
    case nil: "open"
    }
  }

  // MARK: Grids

  /// Returns a hatch pattern over a cell that is too noisy to compare. The pattern shows that the colour of the cell is
  /// not a result.
  private func hatch(_ left: Double, _ width: Double) -> Markup {
    "<rect class=\"noisy\" x=\"\(percent(left))\" y=\"0\" width=\"\(percent(width))\" height=\"\(StripChart.height)\"/>"
  }

  /// The maximum number of columns that fit on a narrow page. A picture with more columns scrolls on such a page.
  private static let fewColumns = 6

  private func heat(_ map: HeatMap) -> Markup {
    let panels = map.panels.map { panel -> Markup in
      let width = 1 / Double(max(panel.columns.count, 1))
      let head = panel.columns.enumerated().map { column, label -> Markup in
        "<text class=\"tick mid\" x=\"\(percent((Double(column) + 0.5) * width))\" y=\"14\">\(label)</text>"
      }
      let rows = panel.rows.map { row in
        let cells = row.cells.enumerated().map { column, cell -> Markup in
          let tint = cell.strength.map { Quantity.fixed(0.06 + 0.54 * $0, decimals: 2) } ?? "0"
          let kind = cell.strength == nil ? "none" : cell.isBetter ? "better" : "worse"
          let left = Double(column) * width
          let title: Markup = cell.says.isEmpty ? "" : "<title>\(cell.says)</title>"
          return """
            <g>\(title)<rect class="cell \(kind)" fill-opacity="\(tint)" x="\(percent(left))" y="0" width="\(percent(width))" height="\(StripChart.height)"/>\(cell.isTooNoisy ? hatch(left, width) : "")\
            <text class="\(cell.isBest ? "best mid" : "mid")" x="\(percent(left + width / 2))" y="17">\(cell.text)</text></g>
            """
        }
        return StripChart.Row(
          name: row.label, isBroken: row.isBroken,
          says:
            "\(panel.title), \(row.label): \(zip(panel.columns, row.cells).map { "\($0) \($1.text)" }.joined(separator: ", "))",
          drawing: "\(cells)", figure: "")
      }
      let title: Markup =
        "<h3\(panel.rows.allSatisfy(\.isBroken) ? " class=\"broken\"" : "" as Markup)>\(panel.title) <small>\(panel.depends ? "by \(map.across.name)" : "")</small></h3>\n"
      return "\(title)\(StripChart(rows: rows, head: "\(head)").markup)"
    }
    let columns = map.panels.map(\.columns.count).max() ?? 0
    let isMany = columns > Self.fewColumns
    let what =
      map.meaning.map { "\(map.metric.name) \($0)" }
      ?? "\(map.isOfMeans ? "mean" : "median") \(map.metric.name)"
    let cells = map.panels.flatMap(\.rows).flatMap(\.cells)
    let reference = map.reference ?? RunComparison.bestWords
    let legend = [
      "The stronger the colour, the farther from \(reference), logarithmically.",
      cells.contains { $0.isBetter && $0.strength ?? 0 > 0 } ? "Green, italic: better." : "",
      cells.contains(where: \.isBest) ? "\(Signs.best) best mean." : "",
      cells.contains(where: \.isNearBest) ? "\(Signs.nearBest) no difference from \(reference) was found." : "",
      cells.contains(where: \.isTooNoisy) ? "Hatched, with \(Signs.undecided): undecided against \(reference)." : "",
      cells.contains { $0.text.contains(Signs.outclassed) }
        ? "\(Signs.outclassed) undecided, but certainly worse than another run." : "",
      map.panels.flatMap(\.rows).contains(where: \.isBroken) ? Self.orange : "",
      leftOut(map.leftOut, "In the tables only"),
    ]
    return """
      <figure class="picture heat"><figcaption><b>\(what)</b> \(map.metric.says)\(Self.better(map.metric))</figcaption>
      <div class="scroll"><div class="strips"\(isMany ? " style=\"min-width: \(columns * 52)px\"" : "" as Markup)>
      \(panels)</div></div>
      \(Self.legend(legend))</figure>

      """
  }
}
