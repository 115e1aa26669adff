import Laboratory

/// The signs in the picture of a trace: a letter and a colour for each queue, and a pattern for each reason for a wait.
struct TraceKey {
  private let trace: Trace
  private let queues: QueueKey

  init(_ trace: Trace) {
    self.trace = trace
    queues = QueueKey(trace)
  }

  /// Returns the CSS class of a queue's colour. The colours are based on those of Okabe and Ito, which colour-blind
  /// readers can distinguish.
  func color(of queue: Int) -> String { Self.color(queues.index(of: queue)) }

  private static func color(_ index: Int) -> String { "q\(index % QueueKey.mostGroups)" }

  /// Returns the short name of a block: `A3`, or `A3!` for a barrier.
  func name(of block: Trace.Block) -> String { queues.name(of: block) }

  /// The HTML of the key: the queues of the trace with their colours, and the reasons for a wait with their patterns.
  var markup: Markup {
    let groups = queues.groups
    let signs = groups.prefix(QueueKey.mostGroups).enumerated().map { index, group -> Markup in
      let kind = [.serial, .concurrent, .actor].contains(group.kind) ? ", \(group.kind.rawValue)" : ""
      let count = group.queues.count > 1 ? " (\(group.queues.count) queues)" : ""
      return sign(Self.color(index), "\(QueueKey.letter(index)) \(group.label)\(kind)\(count)")
    }
    let more: Markup = groups.count > QueueKey.mostGroups ? "and \(groups.count - QueueKey.mostGroups) more " : ""
    let found = Set(trace.lanes.flatMap(\.waits).map(\.reason))
    let reasons = Trace.Wait.Reason.allCases.filter { found.contains($0) && $0 != .work }
      .map { sign("wait w-\($0.rawValue)", "waits \(trace.text(of: Trace.Wait(begin: 0, end: nil, for: $0)))") }
    let isUnknown = !trace.gaps.isEmpty || !trace.missing.isEmpty
    return "<p class=\"keys\">\(signs)\(more)\(reasons)\(isUnknown ? sign("unknown", "not known") : "")</p>\n"
  }

  /// The HTML of a table of the queues, with the figures of their blocks.
  var table: Markup {
    let rows = queues.rows(of: trace).map { cells -> Markup in
      let figures = cells.dropFirst().map { "<td>\($0)</td>" as Markup }
      return "<tr><th>\(cells[0])</th>\(figures)</tr>\n"
    }
    guard !rows.isEmpty else { return "" }
    let headings = QueueFigures.headings.map { "<th>\($0.title)</th>" as Markup }
    return """
      <div class="scroll"><table class="queues"><thead><tr>\(headings)</tr></thead><tbody>
      \(rows)</tbody></table></div>

      """
  }

  private func sign(_ kind: String, _ says: String) -> Markup {
    """
    <span class="sign"><svg aria-hidden="true"><rect class="\(kind) e" width="100%" height="100%"/></svg> \(says)</span>

    """
  }

  /// Returns the HTML of the explanation for all pictures of traces.
  static func explained(_ traces: [Trace]) -> Markup {
    let strip =
      traces.contains(where: \.knowsRunning)
      ? "Upper strip of a thread: the core it runs on; pale: preempted; empty: it does not run. " : ""
    return """
      <p class="quiet">\(strip)Lower strip: the block it is in, by queue and number, ! for a barrier; hatched: a wait, by reason; \
      small marks below: it submits blocks. Elements that are too short to be drawn are combined: the height of the mark is the share of its time that they take. \
      A mark shows its times when a pointer rests on it.</p>

      """
  }

  /// The SVG patterns, made of lines and dots, that distinguish the reasons for a wait. Each page includes them once.
  static let patterns: Markup = """
    <svg class="patterns" aria-hidden="true"><defs>
    \(pattern("group", 7, "M-1,1L1,-1M0,7L7,0M6,8L8,6"))\(pattern("semaphore", 7, "M-1,6L1,8M0,0L7,7M6,-1L8,1"))\
    \(pattern("sync", 5, "M0,2H5"))\(pattern("apply", 5, "M2,0V5"))\(pattern("once", 6, "M0,3H6M3,0V6"))\
    \(pattern("lock", 7, "M0,7L7,0M0,0L7,7"))\(pattern("condition", 5, "M1,1h2v2h-2z"))\(pattern("join", 8, "M0,2H8M0,5H4"))\
    \(pattern("sleep", 8, "M2,3h2M6,7h2"))\(pattern("descriptor", 6, "M2,0V3M5,3V6"))\(pattern("several", 4, "M0,4L4,0M0,2H4"))\
    \(pattern("unknown", 8, "M1,3q0,-2 2,-2t2,2q0,1 -2,1.5v1M3,7.2v.6"))</defs></svg>

    """

  private static func pattern(_ name: String, _ size: Int, _ path: String) -> Markup {
    """
    <pattern id="w-\(name)" class="c-\(name)" patternUnits="userSpaceOnUse" width="\(size)" height="\(size)"><rect class="ground" width="\(size)" height="\(size)"/><path d="\(path)"/></pattern>

    """
  }

  /// The style rules that a page with pictures of traces needs.
  static let style: Markup = """
    .trace { margin: 1.5rem 0; break-inside: auto; } .trace .sees { margin: .15rem 0 .5rem; } p.care { font-weight: normal; font-size: .875rem; margin: .15rem 0; }
    .trace .rows { display: grid; grid-template-columns: minmax(3.6rem, max-content) minmax(0, 1fr); column-gap: .5rem; font-size: .75rem; }
    .trace .lane { line-height: 1.2; padding-top: 12px; overflow-wrap: anywhere; } .trace .lane small { display: block; font-size: .7rem; }
    .trace .rows > svg { display: block; width: 100%; height: 43px; break-inside: avoid; border-left: 1px solid var(--line);
      background: repeating-linear-gradient(to right, var(--line) var(--first) calc(var(--first) + 1px), transparent calc(var(--first) + 1px) calc(var(--first) + var(--step))); print-color-adjust: exact; }
    .trace .rows > svg.count { height: 30px; margin-top: 6px; } .trace .rows > svg.axis { height: 16px; background: none; border: 0; overflow: visible; }
    .trace svg svg { width: 100%; height: 100%; } .trace text { fill: #111; font-size: 10px; pointer-events: none; } .trace text.on { fill: var(--page); font-size: 8.5px; }
    .trace text.over { fill: var(--ink); stroke: var(--page); stroke-width: 3px; paint-order: stroke; stroke-linejoin: round; font-size: 9.5px; }
    .trace text.tick { fill: var(--quiet); font-size: 11px; }
    .trace .life { fill: var(--line); } .trace .submits { fill: var(--ink); } .trace .preempted { fill: light-dark(#f0c9c4, #6b3a36); }
    .trace rect.k { fill: light-dark(#6b7280, #9aa3af); } .trace .k0 { fill: light-dark(#30363f, #e3e6ea); } .trace .k1 { fill: light-dark(#7a828e, #949ca8); }
    .trace .k2 { fill: light-dark(#565d68, #bcc2cb); } .trace .k3 { fill: light-dark(#98a0ac, #767e8a); }
    .trace rect.q { fill: #999; } .trace .q0 { fill: #56b4e9; } .trace .q1 { fill: #e69f00; } .trace .q2 { fill: #23b08a; } .trace .q3 { fill: #f0e442; }
    .trace .q4 { fill: #cc79a7; } .trace .q5 { fill: #e0702a; } .trace .q6 { fill: #8c9be8; } .trace .q7 { fill: #b5b5b5; }
    .trace rect.e { stroke: light-dark(#0008, #000a); stroke-width: .6; } .trace rect.f { fill-opacity: .8; } .trace rect.life, .trace rect.submits { stroke: none; }
    .trace .inside { fill: #56b4e9; } .trace .running { fill: light-dark(#565d68, #bcc2cb); } .trace .most { fill-opacity: .4; }
    .trace .queues { font-size: .75rem; }
    .trace .keys { margin-top: .5rem; } .sign { white-space: nowrap; margin-right: .9rem; } .sign svg { width: 1.6em; height: .9em; vertical-align: -.1em; }
    .patterns { position: absolute; width: 0; height: 0; } .patterns .ground { fill: var(--page); fill-opacity: .5; } .patterns path { stroke: currentColor; stroke-width: 1.3; fill: none; }
    \(["group", "semaphore", "sync", "apply", "once", "lock", "condition", "join", "sleep", "descriptor", "several"].map { ".trace .w-\($0) { fill: url(#w-\($0)); }" as Markup })
    .trace .unknown { fill: url(#w-unknown); stroke: var(--care); stroke-width: .6; } .c-unknown { color: var(--care); }
    .c-group, .c-apply, .c-sleep { color: light-dark(#0b4f8a, #9fd0ff); } .c-semaphore, .c-lock, .c-join { color: light-dark(#8a2f00, #ffb38a); }
    .c-sync, .c-once, .c-condition, .c-descriptor, .c-several { color: light-dark(#5b1f66, #e6b3f0); }
    .trace .wait { stroke: light-dark(#0007, #fff7); stroke-width: .6; }
    @media (max-width: 999px) { .trace text.wide { display: none; } }
    @media print { .trace .rows > svg { break-inside: avoid; } }
    """
}
