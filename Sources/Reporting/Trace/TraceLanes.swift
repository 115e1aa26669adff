import Laboratory

/// The rows of the threads in the text of a trace.
extension TraceText {
  /// A row for one lane, or for several lanes of the same kind.
  struct Row {
    var name: String
    var lanes: [Int]
  }

  /// Returns a row for each lane if there is room. Otherwise, the most active lanes of a kind have a row each, and the
  /// other lanes of this kind share a row.
  func rows(_ trace: Trace, _ span: TimeColumns) -> [Row] {
    let shown = trace.lanes.indices.filter { index in
      let lane = trace.lanes[index]
      // The time before the first submission is drawn only on request.
      guard trace.isActive(lane) || from != nil && trace.isPreparation(lane) else { return false }
      return lane.begin < span.to && lane.end.map { $0 > span.from } ?? true
    }
    guard shown.count > Self.mostLanes else { return shown.map { Row(name: trace.lanes[$0].name, lanes: [$0]) } }
    let kinds = shown.grouped { trace.lanes[$0].kind }
    let kept = max(1, (Self.mostLanes - kinds.count * 2) / max(1, kinds.count { $0.elements.count > 2 }))
    return kinds.flatMap { _, lanes -> [Row] in
      guard lanes.count > kept + 1 else { return lanes.map { Row(name: trace.lanes[$0].name, lanes: [$0]) } }
      let active = Set(lanes.sorted { span.activity(of: $0) > span.activity(of: $1) }.prefix(kept))
      let rest = lanes.filter { !active.contains($0) }
      return lanes.filter(active.contains).map { Row(name: trace.lanes[$0].name, lanes: [$0]) }
        + [Row(name: "+\(rest.count) more", lanes: rest)]
    }
  }

  func draw(_ row: Row, _ trace: Trace, _ span: TimeColumns, _ key: QueueKey) -> [String] {
    if row.lanes.count == 1 {
      let cells = span.cells(of: row.lanes[0])
      return [
        line(row.name, cells.map { state($0.state) }),
        line("", spans(cells.map(\.content), trace, key)),
      ]
    }
    let all = row.lanes.map { span.cells(of: $0) }
    let running = (0..<span.columns).map { column -> Piece in
      if all.contains(where: { $0[column].state == .unknown }) { return Piece("?", nil) }
      let count = all.count { if case .runs = $0[column].state { true } else { false } }
      let there = all.count { $0[column].state != .absent }
      return Piece(there == 0 ? " " : count == 0 ? "." : count > 9 ? "+" : "\(count)", nil)
    }
    let contents = (0..<span.columns).map { column -> TimeColumns.Cell.Content in
      var counts: [TimeColumns.Cell.Content: Int] = [:]
      for cells in all {
        let content: TimeColumns.Cell.Content =
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

  /// A piece of a row, in one colour.
  struct Piece {
    var text: String
    var color: ((String) -> String)?
    init(_ text: String, _ color: ((String) -> String)?) {
      self.text = text
      self.color = color
    }
  }

  func line(_ name: String, _ pieces: [Piece]) -> String {
    let name = String(name.prefix(Self.nameWidth)) + String(repeating: " ", count: max(0, Self.nameWidth - name.count))
    // Adjacent characters of the same colour share their colour codes.
    let body = pieces.map { piece in style.color ? piece.color?(piece.text) ?? piece.text : piece.text }.joined()
    return "\(SemanticColor.name(name, style))|\(body)|"
  }

  private func state(_ state: TimeColumns.Cell.State) -> Piece {
    switch state {
    case .absent: Piece(" ", nil)
    case .rests: Piece(".", { SemanticColor.quiet($0, style) })
    case .preempted: Piece(":", { SemanticColor.bad($0, style) })
    case .runsInPart: Piece(",", nil)
    case .runs(let core): Piece(Self.digit(core), { Palette.of(core, $0) })
    case .unknown: Piece("?", { SemanticColor.care($0, style) })
    }
  }

  /// Returns the number of a core as one character, in base 36; `+` for numbers from 36 on.
  private static func digit(_ core: Int) -> String { core < 36 ? String(core, radix: 36) : "+" }

  /// Returns a piece for each sequence of cells with the same content. The piece contains the name of the content if
  /// there is room.
  private func spans(_ contents: [TimeColumns.Cell.Content], _ trace: Trace, _ key: QueueKey) -> [Piece] {
    // The block whose name the previous pieces contain.
    var named: Int?
    return merged(contents).equalRuns.map { content, width in
      defer {
        switch content {
        case .block(let block): named = block
        case .wait(_, _, let block): named = block
        case .nothing, .blocks, .unknown: named = nil
        }
      }
      return span(content, width, trace, key, named: named)
    }
  }

  /// Returns `contents`, in which short waits do not mention their blocks. Adjacent short waits of different blocks for
  /// the same reason thus share a piece that has room for the reason.
  private func merged(_ contents: [TimeColumns.Cell.Content]) -> [TimeColumns.Cell.Content] {
    contents.equalRuns.flatMap { content, width in
      guard case .wait(let reason, let queue, _) = content, width <= Self.word(reason).count else {
        return Array(repeating: content, count: width)
      }
      return Array(repeating: .wait(reason, queue: queue, in: nil), count: width)
    }
  }

  private func span(
    _ content: TimeColumns.Cell.Content, _ width: Int, _ trace: Trace, _ key: QueueKey, named: Int?
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
      // If a block begins with a wait, only the piece of the wait can contain the block's name.
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
}
