import Laboratory
import Measurement

/// A picture of a trace for an HTML page: a row for each thread, and rows for the cores, the backlog and the number of
/// threads on the same axis.
///
/// Positions are shares of the width. The picture therefore fits any page, and its text has the same size at any width.
/// Marks that are too narrow to be visible are combined. The height of a combined mark shows the share of its time that
/// the combined marks cover.
struct TracePicture {
  let trace: Trace
  /// The time at the left end of the picture, in nanoseconds since the beginning of the trace.
  let origin: UInt64
  /// The time that the width of the picture represents, in nanoseconds.
  let scale: UInt64
  /// A note on the part of the record that is missing; nil if the record is complete.
  private let note: String?
  private let key: TraceKey
  /// The number of marks above which narrow marks are combined further.
  private let most: Int

  /// A caption for the pictures of a lab's trials.
  static let ofTrials = "one recorded trial of each, none of them measured"
  /// The maximum number of threads that have a row each. Further threads share a row.
  private static let mostLanes = 20

  init(_ trace: Trace, note: String?, from origin: UInt64, scale: UInt64, atMost most: Int) {
    self.trace = trace
    self.note = note
    self.origin = origin
    self.scale = max(1, scale)
    self.most = most
    key = TraceKey(trace)
  }

  /// Returns the pictures of some traces, and the explanation of their signs. All pictures of a variant have the same
  /// scale.
  static func figures(
    _ traces: [(trace: Trace, note: String?)], from: UInt64? = nil, to: UInt64? = nil, atMost most: Int
  ) -> Markup {
    guard !traces.isEmpty else { return "" }
    let each = max(150, min(2500, most / traces.count))
    let pictures = traces.map { trace, note -> Markup in
      let alike = traces.map(\.trace).filter { $0.variant == trace.variant }.map { $0.drawn(from: from, to: to) }
      let scale = alike.map { $0.end - $0.begin }.max() ?? trace.length
      let origin = trace.drawn(from: from, to: to).begin
      return TracePicture(trace, note: note, from: origin, scale: scale, atMost: each).figure
    }
    return "\(pictures)\(TraceKey.explained(traces.map(\.trace)))"
  }

  // MARK: The whole picture

  private var figure: Markup {
    let figures = TraceFigures(trace)
    let end: Markup = trace.end == .completed ? "" : " <span class=\"bad\">\(trace.endText)</span>"
    let findings = trace.findingTexts.map { "<p class=\"sees\">\($0)</p>\n" as Markup }
    let remarks = remarks.map { "<p class=\"care\">\($0)</p>\n" as Markup }
    return """
      <figure class="trace"><figcaption><b>\(trace.label)</b>\(end) \(figures.pieces(trace).joined(separator: " · "))</figcaption>
      \(findings)\(trace.length > 0 ? rows : "")\(key.markup)\(key.table)\(remarks)</figure>

      """
  }

  /// Notes on the facts that the record or the picture does not contain.
  private var remarks: [String] {
    var remarks = [note].compactMap(\.self) + trace.remarks(drawnTo: origin + scale)
    let count = trace.lanes.count(where: trace.isPreparation)
    if count > 0 {
      remarks.append(
        "\(count) thread\(count == 1 ? "" : "s") that ended before the first block \(count == 1 ? "is" : "are") not drawn"
      )
    }
    return remarks
  }

  private var rows: Markup {
    let there = trace.lanes.indices.filter { index in
      trace.lanes[index].end.map { $0 > origin } ?? true && trace.isActive(trace.lanes[index])
    }
    let shown = Array(there.prefix(there.count > Self.mostLanes + 1 ? Self.mostLanes : there.count))
    let others = Array(there.dropFirst(shown.count))
    let marks = TraceMarks(trace, lanes: shown, scale: scale, atMost: most)
    let lanes = zip(shown, marks.lanes).map { lane($0, $1) }
    let step = Self.step(scale)
    // Grid lines are at round times. The first line is at the first round time after the beginning.
    let first = (step - origin % step) % step
    return """
      <div class="rows" style="--step: \(Self.decimals(Double(step) / Double(scale) * 100))%; --first: \(Self.decimals(Double(first) / Double(scale) * 100))%">
      \(lanes)\(others.isEmpty ? "" : rest(others))\(counts)\(axis)</div>

      """
  }

  /// Returns the HTML of a row: its name, its drawing, and a description of the drawing.
  func row(_ name: Markup, _ kind: String, _ says: String, _ drawing: Markup) -> Markup {
    """
    <span class="lane">\(name)</span><svg class="\(kind)" role="img" aria-label="\(says)">\(drawing)</svg>

    """
  }

  // MARK: A thread

  private func lane(_ index: Int, _ marks: TraceMarks.Lane) -> Markup {
    let lane = trace.lanes[index]
    let life = rect("life", lane.begin, lane.end ?? trace.length, y: Self.top + Self.waits, height: 1, "")
    let drawing: [Markup] =
      [life] + marks.preempted.map(preempted) + marks.runs.map { run($0, of: lane) }
      + marks.blocks.enumerated().flatMap { depth, row in row.map { block($0, depth: depth) } }
      + marks.waits.map { wait($0, of: lane) } + marks.submissions.map(submission) + unknown(of: lane)
    return row("\(lane.name)", "thread", "\(lane.name), thread \(lane.thread)", "\(drawing)")
  }

  private func run(_ mark: Mark, of lane: Trace.Lane) -> Markup {
    switch mark {
    case .one(let span):
      let run = lane.runs[span.index]
      let says = "runs on core \(run.core): \(times(span))\(run.isPreempted ? ", then preempted" : "")"
      return rect("k\(run.core % 4)", span.begin, span.end, y: 0, height: 9, says, label: "\(run.core)", baseline: 8)
    case .several(let spans):
      let cores = Set(spans.map { lane.runs[$0.index].core })
      let kind = cores.count == 1 ? "k\((cores.first ?? 0) % 4)" : "k"
      let places = cores.sorted().map { "\($0)" }.joined(separator: ", ")
      return folded(
        kind, spans, y: 0, height: 9, "runs \(spans.count) times on core\(cores.count == 1 ? "" : "s") \(places)")
    }
  }

  private func preempted(_ mark: Mark) -> Markup {
    switch mark {
    case .one(let span): rect("preempted", span.begin, span.end, y: 0, height: 9, "preempted: \(times(span))")
    case .several(let spans): folded("preempted", spans, y: 0, height: 9, "preempted \(spans.count) times")
    }
  }

  /// The vertical positions in the lower strip of a thread, in pixels.
  ///
  /// The strip contains blocks, each a little lower than the block within which it ran. Waits are in the lower half, so
  /// that the names of a block and of a wait do not overlap.
  private static let (top, height, waits) = (11, 22, 11)

  private func block(_ mark: Mark, depth: Int) -> Markup {
    let y = Self.top + min(depth, 3) * 4
    let height = Self.height - min(depth, 3) * 4
    switch mark {
    case .one(let span):
      let block = trace.blocks[span.index]
      return rect(
        key.color(of: block.queue), span.begin, span.end, y: y, height: height, says(block, span),
        label: key.name(of: block), baseline: 20)
    case .several(let spans):
      let blocks = spans.map { trace.blocks[$0.index] }
      let queues = Set(blocks.map(\.queue))
      let places = queues.count == 1 ? trace.queues[blocks[0].queue].label : "\(queues.count) queues"
      let numbers = blocks.map(\.number)
      let which = queues.count == 1 ? " (\(numbers.min() ?? 0) to \(numbers.max() ?? 0))" : ""
      let colors = Set(blocks.map { key.color(of: $0.queue) })
      return folded(
        colors.count == 1 ? key.color(of: blocks[0].queue) : "q", spans, y: y, height: height,
        "\(spans.count) blocks of \(places)\(which)", label: "\(spans.count)", baseline: 20)
    }
  }

  private func says(_ block: Trace.Block, _ span: Span) -> String {
    var says =
      "\(trace.queues[block.queue].label) \(block.number) (\(block.kind.rawValue)\(block.isBarrier ? ", barrier" : ""))"
    says += ": \(times(span))" + (block.end == nil ? ", not ended" : "")
    if let submitted = block.submitted, submitted <= span.begin {
      let submitter = block.submitter.map { " by \(trace.lanes[$0].name)" } ?? ""
      says += "; submitted\(submitter) \(text(span.begin - submitted)) before"
    }
    return says
  }

  private func wait(_ mark: Mark, of lane: Trace.Lane) -> Markup {
    switch mark {
    case .one(let span):
      let wait = lane.waits[span.index]
      let end = wait.end == nil ? ", not ended" : wait.hasTimedOut == true ? ", timed out" : ""
      let says = "waits \(trace.text(of: wait)): \(times(span))\(end)"
      return rect(
        "wait w-\(wait.reason.rawValue)", span.begin, span.end, y: Self.top + Self.waits, height: Self.waits, says,
        label: wait.reason.rawValue, baseline: 31)
    case .several(let spans):
      let reasons = Set(spans.map { lane.waits[$0.index].reason })
      let what = trace.text(of: lane.waits[spans[0].index])
      return folded(
        "wait w-\(reasons.count == 1 ? lane.waits[spans[0].index].reason.rawValue : "several")", spans,
        y: Self.top + Self.waits,
        height: Self.waits, "\(spans.count) waits" + (reasons.count == 1 ? " \(what)" : " for several things"))
    }
  }

  private func submission(_ mark: Mark) -> Markup {
    switch mark {
    case .one(let span):
      let block = trace.blocks[span.index]
      let fate = block.begin == nil ? ", which never began" : ""
      return rect(
        "submits", span.begin, span.begin, y: 35, height: 4,
        "submits \(trace.queues[block.queue].label) \(block.number) at \(text(span.begin))\(fate)")
    case .several(let spans):
      return rect(
        "submits", spans[0].begin, spans[spans.count - 1].end, y: 35, height: 4,
        "submits \(spans.count) blocks, \(text(spans[0].begin)) to \(text(spans[spans.count - 1].end))")
    }
  }

  /// Returns marks for the times that are missing in the record of a thread. The marks cover all other marks, and show
  /// that the activity of the thread is unknown.
  private func unknown(of lane: Trace.Lane) -> [Markup] {
    let end = lane.end ?? trace.length
    func draw(_ record: Trace.Gap.Recording, _ begin: UInt64, _ end: UInt64, _ says: String) -> Markup {
      let isStrip = record == .scheduler
      return rect(
        "unknown", begin, end, y: isStrip ? 0 : Self.top, height: isStrip ? 9 : Self.height, says)
    }
    let missing = trace.missing.map { draw($0.record, lane.begin, end, "not known: \($0.why)") }
    let gaps = trace.gaps.grouped(by: \.record).flatMap { record, gaps in
      let spans = gaps.enumerated().map { Span(begin: $1.begin, end: max($1.begin, $1.end), index: $0) }
        .filter { $0.begin < end && $0.end >= lane.begin }.sorted { $0.begin < $1.begin }
      return Mark.marks(of: spans, least: max(1, scale / 200)).map { mark -> Markup in
        let spans =
          switch mark {
          case .one(let span): [span]
          case .several(let spans): spans
          }
        let lost = spans.reduce(0) { $0 + gaps[$1.index].lost }
        let (from, to) = (max(lane.begin, spans[0].begin), min(end, spans[spans.count - 1].end))
        return draw(record, from, to, "not known: \(lost) events lost, \(text(from)) to \(text(to))")
      }
    }
    return missing + gaps
  }

  // MARK: Marks

  /// Returns a mark; empty if the mark is outside the picture. The mark contains `label` if there is room for the label
  /// on a wide page. A narrow page shows the label only if a narrow page also has room.
  func rect(
    _ kind: String, _ begin: UInt64, _ end: UInt64, y: Int, height: Int, _ says: String, label: String? = nil,
    baseline: Int = 0
  ) -> Markup {
    guard begin < origin + scale, end >= origin else { return "" }
    let left = share(of: begin) * 100
    let width = share(of: end) * 100 - left
    let title: Markup = says.isEmpty ? "" : "<title>\(says)</title>"
    let edge = width > 0.5 ? " e" : ""
    let drawn: Markup = """
      <rect class="\(kind)\(edge)" x="\(Self.decimals(left))%" width="\(Self.decimals(max(width, 0.1)))%" y="\(y)" height="\(height)">\(title)</rect>
      """
    // One percent of the row is 2.9 points on the narrowest page, and 9.5 points on a wide page.
    let room = Double(label?.count ?? 0) * 6 + 5
    guard let label, width * 9.5 > room else { return drawn }
    let isWide = width * 2.9 < room ? " wide" : ""
    let ground = kind.hasPrefix("k") ? " on" : kind.hasPrefix("wait") ? " over" : ""
    return drawn
      + "<text class=\"in\(ground)\(isWide)\" x=\"\(Self.decimals(left))%\" dx=\"3\" y=\"\(baseline)\">\(label)</text>"
  }

  /// Returns a combined mark for several spans. The height of the mark shows the share of the mark's width that the
  /// spans cover.
  private func folded(
    _ kind: String, _ spans: [Span], y: Int, height: Int, _ says: String, label: String? = nil, baseline: Int = 0
  ) -> Markup {
    let (begin, end) = (spans[0].begin, spans[spans.count - 1].end)
    let inside = spans.reduce(UInt64(0)) { $0 + $1.length }
    let share = end > begin ? Double(inside) / Double(end - begin) : 1
    let high = min(height, max(2, Int((share * Double(height)).rounded(.up))))
    return rect(
      kind + " f", begin, end, y: y + height - high, height: high,
      "\(says): \(text(inside)) of the time from \(text(begin)) to \(text(end))",
      label: high == height ? label : nil, baseline: baseline)
  }

  /// Returns the horizontal position of a time, as a share of the width from 0 to 1.
  func share(of time: UInt64) -> Double {
    time <= origin ? 0 : min(1, Double(time - origin) / Double(scale))
  }

  private func times(_ span: Span) -> String { "\(text(span.begin)) to \(text(span.end)), \(text(span.length))" }

  func text(_ nanoseconds: UInt64) -> String { TraceFigures.text(nanoseconds) }

  /// Returns a number as text with at most three decimals.
  static func decimals(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
    if rest == 0 { return "\(whole)" }
    var digits = "\(1000 + rest)".dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}
