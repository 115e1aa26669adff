import Laboratory
import Measurement

/// Draws traces for a terminal: two rows for each thread, and below them cores, backlog and threads on the same axis.
///
/// ```
/// caller |0000,...................1|
///        |  ~group~~~~~~~~~~~~~~~~~|
/// pool 1 |.1111:11111..............|
///        | A1===A2====             |
/// ```
public struct TraceText {
  private let style: TextStyle
  private let from: UInt64?
  private let to: UInt64?

  /// The most lanes that are drawn. If there are more, lanes of the same kind share a row.
  static let mostLanes = 12
  /// The width of the lanes' names in characters. The second width includes the bars at both ends.
  private static let nameWidth = 9
  private static let margin = nameWidth + 2

  /// Creates a drawing of whole traces, or of the part between two times in nanoseconds.
  public init(style: TextStyle, from: UInt64? = nil, to: UInt64? = nil) {
    self.style = style
    self.from = from
    self.to = to
  }

  /// Returns the pictures of traces. Those of one variant's points have the same scale.
  public func render(_ traces: [Trace]) -> String {
    var text = ""
    for trace in traces {
      let alike = traces.filter { $0.variant == trace.variant }
      let scale = alike.map { $0.drawn(from: from, to: to) }.map { $0.end - $0.begin }.max() ?? trace.length
      text += picture(trace, scale: scale).map { $0 + "\n" }.joined() + "\n"
    }
    let key = key(traces).map { $0 + "\n" }.joined()
    // A reader of many pictures needs the key before the first one. A single picture fits a screen with its key.
    return traces.count > 1 ? key + "\n" + text : text + key
  }

  // MARK: One picture

  private func picture(_ trace: Trace, scale: UInt64) -> [String] {
    var lines = Heading.lines(
      "\(trace.scenario) \(trace.label)", trace.end == .completed ? "" : trace.endText, Self.color(trace), style)
    guard trace.length > 0 else {
      return lines + style.wrapped(trace.findingTexts.first ?? "Nothing was recorded.")
    }
    let columns = max(20, style.width - Self.margin)
    let begin = trace.drawn(from: from, to: to).begin
    let folding = Folding(trace, from: begin, to: begin + max(1, scale), columns: columns)
    let key = QueueKey(trace)
    // The findings on a program come first, since its user looks for what is wrong.
    let isProgram = trace.program != nil
    if isProgram { lines += trace.findingTexts.flatMap { style.wrapped($0) } + [""] + table(key, trace) + [""] }
    for row in rows(trace, folding) { lines += draw(row, trace, folding, key) }
    lines += below(trace, folding)
    lines.append(axis(folding))
    if !isProgram { lines += table(key, trace) }
    lines += remarks(trace, folding)
    if folding.from > 0, from == nil {
      lines.append(
        SemanticColor.quiet(
          "drawn: \(TraceFigures.text(folding.from)) to \(TraceFigures.text(min(folding.to, trace.length)))", style))
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

  private func remarks(_ trace: Trace, _ folding: Folding) -> [String] {
    var remarks = trace.missing.map(\.why)
    if let overwritten = trace.program?.overwritten {
      remarks.append(
        "the trace begins where the record is complete: \(overwritten.withCommas) earlier events were overwritten")
    }
    for gap in trace.gaps {
      let what = gap.record == .calls ? "events of blocks and waits" : "of the scheduler's records"
      remarks.append(
        "\(gap.lost) \(what) were lost between \(TraceFigures.text(gap.begin)) and \(TraceFigures.text(gap.end)), drawn as ?"
      )
    }
    if trace.end == .hung, folding.to < trace.length, to == nil {
      remarks.append("nothing more happens until \(TraceFigures.text(trace.length)), when the lab ends it")
    }
    return remarks.flatMap { style.wrapped($0, .care) }
  }

  // MARK: Rows

  /// The row of one lane, or of several of the same kind.
  private struct Row {
    var name: String
    var lanes: [Int]
  }

  /// Returns a row for every lane if there is room. Otherwise the lanes of a kind after its first share a row.
  private func rows(_ trace: Trace, _ folding: Folding) -> [Row] {
    let hasEvents = trace.blocks.contains { $0.kind == .handler || $0.kind == .after }
    let shown = trace.lanes.indices.filter { index in
      let lane = trace.lanes[index]
      // The manager waits for events. It is of interest only if there are events.
      guard hasEvents || lane.kind != .manager, from != nil || !trace.isPreparation(lane) else { return false }
      return lane.begin < folding.to && lane.end.map { $0 > folding.from } ?? true
    }
    guard shown.count > Self.mostLanes else { return shown.map { Row(name: trace.lanes[$0].name, lanes: [$0]) } }
    let kinds = shown.grouped { trace.lanes[$0].kind }
    let kept = max(1, (Self.mostLanes - kinds.count * 2) / max(1, kinds.count { $0.elements.count > 2 }))
    return kinds.flatMap { _, lanes -> [Row] in
      guard lanes.count > kept + 1 else { return lanes.map { Row(name: trace.lanes[$0].name, lanes: [$0]) } }
      let active = Set(lanes.sorted { folding.activity(of: $0) > folding.activity(of: $1) }.prefix(kept))
      let rest = lanes.filter { !active.contains($0) }
      return lanes.filter(active.contains).map { Row(name: trace.lanes[$0].name, lanes: [$0]) }
        + [Row(name: "+\(rest.count) more", lanes: rest)]
    }
  }

  private func draw(_ row: Row, _ trace: Trace, _ folding: Folding, _ key: QueueKey) -> [String] {
    if row.lanes.count == 1 {
      let cells = folding.cells(of: row.lanes[0])
      return [
        line(row.name, cells.map { place($0.place) }),
        line("", spans(cells.map(\.content), trace, key)),
      ]
    }
    let all = row.lanes.map { folding.cells(of: $0) }
    let running = (0..<folding.columns).map { column -> Piece in
      if all.contains(where: { $0[column].place == .unknown }) { return Piece("?", nil) }
      let count = all.count { if case .runs = $0[column].place { true } else { false } }
      let there = all.count { $0[column].place != .absent }
      return Piece(there == 0 ? " " : count == 0 ? "." : count > 9 ? "+" : "\(count)", nil)
    }
    let contents = (0..<folding.columns).map { column -> Folding.Cell.Content in
      var counts: [Folding.Cell.Content: Int] = [:]
      for cells in all {
        let content: Folding.Cell.Content =
          switch cells[column].content {
          case .block(let block): .blocks(queue: trace.blocks[block].queue)
          case .wait(let reason, let queue, _): .wait(reason, queue: queue, in: nil)
          case .nothing, .blocks, .unknown: cells[column].content
          }
        counts[content, default: 0] += 1
      }
      counts[.nothing] = nil
      return counts.max { $0.value < $1.value }?.key ?? .nothing
    }
    return [line(row.name, running), line("", spans(contents, trace, key))]
  }

  /// A few characters with the same colour.
  private struct Piece {
    var text: String
    var color: ((String) -> String)?
    init(_ text: String, _ color: ((String) -> String)?) {
      self.text = text
      self.color = color
    }
  }

  private func line(_ name: String, _ pieces: [Piece]) -> String {
    let name = String(name.prefix(Self.nameWidth)) + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
    // Neighbours of the same colour share their colour codes.
    let body = pieces.map { piece in style.color ? piece.color?(piece.text) ?? piece.text : piece.text }.joined()
    return "\(SemanticColor.name(name, style))|\(body)|"
  }

  private func place(_ place: Folding.Cell.Place) -> Piece {
    switch place {
    case .absent: Piece(" ", nil)
    case .rests: Piece(".", { SemanticColor.quiet($0, style) })
    case .preempted: Piece(":", { SemanticColor.bad($0, style) })
    case .runsInPart: Piece(",", nil)
    case .runs(let core): Piece(Self.digit(core), { Palette.of(core, $0) })
    case .unknown: Piece("?", { SemanticColor.care($0, style) })
    }
  }

  /// Returns a core's number as one character.
  private static func digit(_ core: Int) -> String { core < 36 ? String(core, radix: 36) : "+" }

  /// Returns cells of the same content as one span, with the content's name in it if there is room.
  private func spans(_ contents: [Folding.Cell.Content], _ trace: Trace, _ key: QueueKey) -> [Piece] {
    var pieces: [Piece] = []
    var index = 0
    // The block that the spans up to here have named.
    var named: Int?
    while index < contents.count {
      let content = contents[index]
      let end = contents[index...].firstIndex { $0 != content } ?? contents.count
      pieces.append(span(content, end - index, trace, key, named: named))
      switch content {
      case .block(let block): named = block
      case .wait(_, _, let block): named = block
      case .nothing, .blocks, .unknown: named = nil
      }
      index = end
    }
    return pieces
  }

  private func span(
    _ content: Folding.Cell.Content, _ width: Int, _ trace: Trace, _ key: QueueKey, named: Int?
  ) -> Piece {
    func name(_ block: Int) -> String { key.name(of: trace.blocks[block]) }
    func filled(_ begin: String, _ fill: String) -> String {
      begin.count <= width
        ? begin + String(repeating: fill, count: width - begin.count)
        : String(begin.prefix(1))
          + String(repeating: fill, count: width - 1)
    }
    switch content {
    case .nothing: return Piece(String(repeating: " ", count: width), nil)
    case .unknown: return Piece(String(repeating: "?", count: width), { SemanticColor.care($0, style) })
    case .blocks(let queue):
      return Piece(String(repeating: key.letter(of: queue), count: width), { Palette.on(key.index(of: queue), $0) })
    case .block(let number):
      return Piece(filled(name(number), "="), { Palette.on(key.index(of: trace.blocks[number].queue), $0) })
    case .wait(let reason, let queue, let block):
      let wait = "~\(Self.word(reason))" + (queue.map { "~\(key.letter(of: $0))" } ?? "")
      // A wait at the beginning of a block would hide the block's name.
      let around = block.flatMap { $0 == named ? nil : name($0) } ?? ""
      let text = around.isEmpty || around.count + wait.count > width ? wait : around + wait
      return Piece(filled(text, "~"), { SemanticColor.quiet($0, style) })
    }
  }

  private static func word(_ reason: Trace.Wait.Reason) -> String {
    switch reason {
    case .descriptor: "io"
    case .semaphore: "sema"
    case .condition: "cond"
    case .group, .sync, .apply, .once, .lock, .join, .sleep, .work: reason.rawValue
    }
  }

  // MARK: Below the lanes

  private func below(_ trace: Trace, _ folding: Folding) -> [String] {
    var lines: [String] = []
    if trace.knowsRunning {
      lines.append(
        line(
          "busy",
          folding.busyCores.map { busy in
            guard let busy else { return Piece("?", nil) }
            let whole = Int(busy.rounded())
            return Piece(busy <= 0 ? "." : whole == 0 ? "," : whole > 9 ? "+" : "\(whole)", nil)
          }))
    }
    if trace.knowsCalls { lines.append(line("backlog", bars(folding.backlog))) }
    lines.append(line("threads", bars(folding.threads)))
    return lines
  }

  /// Returns small numbers as digits, and greater ones as bars in ninths of the greatest.
  private func bars(_ values: [Int]) -> [Piece] {
    let most = values.max() ?? 0
    let steps = style.unicode ? Array("▁▂▃▄▅▆▇█").map(String.init) : (1...9).map { "\($0)" }
    return values.map { value in
      if value == 0 { return Piece(".", { SemanticColor.quiet($0, style) }) }
      if most <= 9 { return Piece("\(value)", nil) }
      return Piece(steps[(value * steps.count + most - 1) / most - 1], nil)
    }
  }

  /// Returns the figures of each queue's blocks, as far as there is room, or only the queues' names if there is hardly
  /// any room.
  private func table(_ key: QueueKey, _ trace: Trace) -> [String] {
    let rows = key.rows(of: trace)
    guard !rows.isEmpty else { return [] }
    let more = key.groups.count > rows.count ? ["and \(key.groups.count - rows.count) more queues"] : []
    let grid = TextGrid(headings: QueueFigures.headings, rows: rows)
    for rank in [0, 1, 2] {
      let columns = Array(grid.headings.indices).filter {
        rank == 0 || grid.headings[$0].rank == 0 || grid.headings[$0].rank > rank
      }
      let kept = grid.keeping(columns, rows: Array(rows.indices))
      if TextGrid.width(of: kept.widths) <= style.width {
        let lines = kept.lines()
        return lines.prefix(1).map { SemanticColor.quiet($0, style) } + lines.dropFirst() + more
      }
    }
    let names = key.groups.prefix(rows.count).enumerated().map { "\(QueueKey.letter($0)) = \"\($1.label.inLine)\"" }
    return style.wrapped("Queues: \(names.joined(separator: ", "))") + more
  }

  /// Returns the times below the picture, at round numbers.
  private func axis(_ folding: Folding) -> String {
    let length = Double(folding.to - folding.from)
    let each = length / Double(folding.columns)
    let step = Self.round(each * 12)
    var text = Array(repeating: " ", count: folding.columns + 2)
    var time = (Double(folding.from) / step).rounded(.up) * step
    while time <= Double(folding.to) {
      let column = Int((time - Double(folding.from)) / each)
      let label = Array(TraceFigures.text(UInt64(time))).map(String.init)
      if column + label.count + 1 < text.count {
        text[column + 1] = "'"
        for (offset, character) in label.enumerated() { text[column + 2 + offset] = character }
      }
      time += step
    }
    return SemanticColor.quiet(String(repeating: " ", count: Self.nameWidth) + text.joined(), style)
  }

  /// Returns the smallest of 1, 2, 5, 10, 20 … that is not below the value.
  private static func round(_ value: Double) -> Double {
    var unit = 1.0
    while true {
      for factor in [1.0, 2, 5] where unit * factor >= value { return unit * factor }
      unit *= 10
    }
  }

  /// Returns how to read the pictures. It is printed once.
  private func key(_ traces: [Trace]) -> [String] {
    guard traces.contains(where: { $0.length > 0 }) else { return [] }
    let text =
      "caller: the thread that runs the variant's body. Upper row of a thread: the number of the core it runs on; \",\" if it ran for less than half of the column; \":\" preempted; "
      + "\".\" not running. Lower row: the block it is in, by queue and number, \"!\" for a barrier, or what it ~waits~ for. For threads "
      + "drawn in one row, a digit is the number of them that run. busy: cores in use; backlog: blocks submitted, not begun; threads: "
      + "threads that exist, idle ones included; both as a number, or as bars if it exceeds 9."
    return style.wrapped(text, .quiet)
  }
}
