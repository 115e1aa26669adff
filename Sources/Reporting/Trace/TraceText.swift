import Laboratory
import Measurement

/// A renderer of traces as text for a terminal. A picture contains two rows for each thread, and below these the rows
/// of the cores, the backlog and the number of threads, on the same axis.
///
/// ```
/// caller |0000,...................1|
///        |  ~group~~~~~~~~~~~~~~~~~|
/// pool 1 |.1111:11111..............|
///        | A1===A2====             |
/// ```
public struct TraceText {
  let style: TextStyle
  let from: UInt64?
  private let to: UInt64?

  /// The maximum number of lanes that have a row each. If there are more lanes, lanes of the same kind share a row.
  static let mostLanes = 12
  /// The width of the lanes' names, in characters. `margin` also includes the bars at both ends of a row.
  static let nameWidth = 9
  private static let margin = nameWidth + 2

  /// Creates a renderer of traces.
  ///
  /// - Parameters:
  ///   - style: the style of the text.
  ///   - from: the beginning of the time span that is drawn, in nanoseconds; nil to begin shortly before the first
  ///     submission.
  ///   - to: the end of the time span that is drawn, in nanoseconds; nil for the end of each trace, or shortly after
  ///     the last event of a hang.
  public init(style: TextStyle, from: UInt64? = nil, to: UInt64? = nil) {
    self.style = style
    self.from = from
    self.to = to
  }

  /// Returns the pictures of some traces as text. All pictures of a variant have the same scale.
  public func render(_ traces: [Trace]) -> String {
    var text = ""
    var sharesRows = false
    for trace in traces {
      let alike = traces.filter { $0.variant == trace.variant }
      let scale = alike.map { $0.drawn(from: from, to: to) }.map { $0.end - $0.begin }.max() ?? trace.length
      let begin = trace.drawn(from: from, to: to).begin
      let span = TimeColumns(
        trace, from: begin, to: begin + max(1, scale), columns: max(20, style.width - Self.margin))
      let rows = rows(trace, span)
      sharesRows = sharesRows || rows.contains { $0.lanes.count > 1 }
      text += picture(trace, span, rows).map { $0 + "\n" }.joined() + "\n"
    }
    let key = key(traces, sharesRows: sharesRows).map { $0 + "\n" }.joined()
    // Readers of several pictures need the key before the first picture. A single picture fits on a screen with its
    // key.
    return traces.count > 1 ? key + "\n" + text : text + key
  }

  // MARK: One picture

  private func picture(_ trace: Trace, _ span: TimeColumns, _ rows: [Row]) -> [String] {
    var lines = Heading.lines(
      "\(trace.scenario) \(trace.label)", trace.end == .completed ? "" : trace.endText, Self.color(trace), style)
    guard trace.length > 0 else {
      return lines + style.wrapped(trace.findingTexts.first ?? "Nothing was recorded.")
    }
    if trace.isEmptyProgram {
      return lines + (trace.findingTexts + trace.remarks(drawnTo: trace.length)).flatMap { style.wrapped($0) }
    }
    let key = QueueKey(trace)
    // The findings about a program precede the picture, since the user recorded the program to obtain findings.
    let isProgram = trace.program != nil
    if isProgram {
      let parts = [trace.findingTexts.flatMap { style.wrapped($0) }, table(key, trace)].filter { !$0.isEmpty }
      lines += parts.flatMap { $0 + [""] }
    }
    for row in rows { lines += draw(row, trace, span, key) }
    lines += below(trace, span)
    lines.append(axis(span))
    if !isProgram { lines += table(key, trace) }
    lines += trace.remarks(drawnTo: to == nil ? span.to : trace.length).flatMap { style.wrapped($0, .care) }
    if span.from > 0, from == nil {
      lines.append(
        SemanticColor.quiet(
          "drawn: \(TraceFigures.text(span.from)) to \(TraceFigures.text(min(span.to, trace.length)))", style))
    }
    let figures = TraceFigures(trace)
    lines += style.wrapped(figures.pieces(trace).joined(separator: style.sign(" · ", "; ")), .quiet)
    if !isProgram { lines += trace.findingTexts.flatMap { style.wrapped($0) } }
    return lines
  }

  private static func color(_ trace: Trace) -> SemanticColor? {
    switch trace.end {
    case .completed: nil
    case .hung, .trapped: trace.isForeseen ? .care : .bad
    case .other: .care
    }
  }

  // MARK: Below the lanes

  private func below(_ trace: Trace, _ span: TimeColumns) -> [String] {
    var lines: [String] = []
    if trace.knowsRunning {
      lines.append(
        line(
          "busy",
          span.busyCores.map { busy in
            guard let busy else { return Piece("?", nil) }
            let whole = Int(busy.rounded())
            return Piece(busy <= 0 ? "." : whole == 0 ? "," : whole > 9 ? "+" : "\(whole)", nil)
          }))
    }
    if trace.knowsCalls { lines.append(line("backlog", bars(span.most(of: trace.backlog)))) }
    lines.append(line("threads", bars(span.most(of: trace.threads))))
    return lines
  }

  /// Returns a row of numbers as text. A zero is shown as a dot. Other numbers are shown as digits if no number exceeds
  /// 9. Otherwise, numbers are scaled to the maximum and shown as bars, or as the digits 1 to 9 without Unicode.
  private func bars(_ values: [Int]) -> [Piece] {
    let most = values.max() ?? 0
    let steps = style.unicode ? Array("▁▂▃▄▅▆▇█").map(String.init) : (1...9).map { "\($0)" }
    return values.map { value in
      if value == 0 { return Piece(".", { SemanticColor.quiet($0, style) }) }
      if most <= 9 { return Piece("\(value)", nil) }
      return Piece(steps[(value * steps.count + most - 1) / most - 1], nil)
    }
  }

  /// Returns a table of the figures of each queue's blocks, with the columns for which there is room. If there is no
  /// room for a table, returns the names of the queues.
  private func table(_ key: QueueKey, _ trace: Trace) -> [String] {
    let rows = key.rows(of: trace)
    guard !rows.isEmpty else { return [] }
    let more = key.groups.count > rows.count ? ["and \(key.groups.count - rows.count) more queues"] : []
    let grid = AlignedColumns(headings: QueueFigures.headings, rows: rows)
    for highest in [2, 1, 0] {
      let columns = grid.headings.indices.filter { grid.headings[$0].omission <= highest }
      let kept = grid.keeping(columns, rows: Array(rows.indices))
      if AlignedColumns.width(of: kept.widths) <= style.width {
        let lines = kept.lines()
        return lines.prefix(1).map { SemanticColor.quiet($0, style) } + lines.dropFirst() + more
      }
    }
    let names = key.groups.prefix(rows.count).enumerated().map { "\(QueueKey.letter($0)) = \"\($1.label.inLine)\"" }
    return style.wrapped("Queues: \(names.joined(separator: ", "))") + more
  }

  /// Returns the axis below the picture, with ticks at round times.
  private func axis(_ span: TimeColumns) -> String {
    let length = Double(span.to - span.from)
    let each = length / Double(span.columns)
    let step = Self.round(each * 12)
    var text = Array(repeating: " ", count: span.columns + 2)
    var time = (Double(span.from) / step).rounded(.up) * step
    while time <= Double(span.to) {
      let column = Int((time - Double(span.from)) / each)
      let label = Array(TraceFigures.text(UInt64(time))).map(String.init)
      if column + label.count + 1 < text.count {
        text[column + 1] = "'"
        for (offset, character) in label.enumerated() { text[column + 2 + offset] = character }
      }
      time += step
    }
    return SemanticColor.quiet(String(repeating: " ", count: Self.nameWidth) + text.joined(), style)
  }

  /// Returns the smallest number of the series 1, 2, 5, 10, 20 … that is not below `value`.
  private static func round(_ value: Double) -> Double {
    var unit = 1.0
    while true {
      for factor in [1.0, 2, 5] where unit * factor >= value { return unit * factor }
      unit *= 10
    }
  }

  /// Returns the lines of the key, which explains all pictures; empty if there are no pictures.
  ///
  /// - Parameter sharesRows: whether several lanes share a row in a picture.
  private func key(_ traces: [Trace], sharesRows: Bool) -> [String] {
    guard traces.contains(where: { $0.length > 0 && !$0.isEmptyProgram }) else { return [] }
    let upper =
      "Upper row of a thread: its core; \",\" if it ran for less than half of the column; \":\" preempted; \".\" not "
      + "running." + (sharesRows ? " For threads drawn in one row, the number of them that run." : "")
    let lower =
      "Lower row: its block, by queue and number, \"A2==\" as long as it lasts; \"!\" for a barrier; or what it "
      + "~waits~ for."
    // Without a record of the calls, the picture contains neither blocks nor waits.
    let knowsCalls = traces.contains(where: \.knowsCalls)
    let isUnknown = traces.contains { !$0.knowsCalls || !$0.knowsRunning || !$0.gaps.isEmpty }
    let lines = [
      traces.contains { $0.program == nil } ? "caller: the thread that runs the variant's body" : nil, upper,
      knowsCalls ? lower : nil, isUnknown ? "\"?\": not recorded" : nil,
      "busy: cores in use; \(knowsCalls ? "backlog: blocks that could begin and have not begun; " : "")threads: all "
        + "threads, idle ones included. Bars replace numbers above 9.",
    ]
    return lines.compactMap(\.self).flatMap { style.wrapped($0, .quiet) }
  }
}

extension Trace {
  /// Whether the trace of a program contains no blocks, and no threads that ran or waited. No picture is drawn of such
  /// a trace.
  fileprivate var isEmptyProgram: Bool {
    program != nil && blocks.isEmpty && lanes.allSatisfy { $0.runs.isEmpty && $0.waits.isEmpty }
  }
}
