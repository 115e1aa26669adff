import LabTesting
import Laboratory
import Testing

@testable import Reporting

@Suite struct TraceTextTests {
  private static func text(_ trace: Trace, width: Int = 80, from: UInt64? = nil, to: UInt64? = nil) -> String {
    TraceText(style: TextStyle(width: width, color: false, unicode: false), from: from, to: to).render([trace])
  }

  /// Returns the two rows of a lane, without its name and the bars.
  private static func rows(_ name: String, _ text: String) -> [String] {
    let lines = text.split(separator: "\n").map(String.init)
    guard let index = lines.firstIndex(where: { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "|") }) else {
      return []
    }
    return lines[index...index + 1].map { String($0.dropFirst(10).dropLast()) }
  }

  @Test(arguments: [40, 41, 60, 80, 140, 200])
  func `no line is wider than the terminal`(_ width: Int) {
    for line in Self.text(.sample, width: width).split(separator: "\n") { #expect(line.count <= width, "\(line)") }
  }

  @Test func `a picture without Unicode is ASCII`() {
    let others = Self.text(.sample).filter { !$0.isASCII }
    #expect(others.isEmpty)
  }

  @Test func `a program that submitted nothing has one sentence and no picture`() {
    var trace = Trace(scenario: "true", variant: "process 1", cores: [0, 1], length: 1_000_000)
    trace.program = Trace.Program(hang: 250_000_000)
    let text = Self.text(trace)
    #expect(text.contains("The program submitted nothing to Dispatch.\n"))
    #expect(!text.contains("active thread") && !text.contains("|") && !text.contains("Upper row"))
  }

  @Test func `a program that did nothing at the end has a sentence about this time`() {
    var trace = Trace.sample
    trace.program = Trace.Program(hang: 250_000_000)
    #expect(!trace.findingTexts.joined().contains("No thread ran"))
    (trace.length, trace.end) = (2_010_000_000, .other("still running, and killed"))
    #expect(
      trace.findingTexts.joined().hasSuffix(
        " No thread ran for the last 2 s, and the program had not ended: it waits for an event."))
    trace.blocks[0].kind = .job
    #expect(trace.findingTexts.joined().contains("or a task waits for a continuation that nothing resumes."))
    trace.end = .completed
    #expect(!trace.findingTexts.joined().contains("No thread ran"))
  }

  @Test func `a block is named after its queue and its number`() {
    let rows = Self.rows("pool 1", Self.text(.sample, from: 0))
    #expect(rows[1].contains("A1=="))
    #expect(rows[1].contains("A2=="))
    #expect(rows[0].contains("1111"))
    #expect(rows[0].contains("::"))
    #expect(rows[0].contains("0000"))
  }

  @Test func `a manager thread without events is neither drawn nor counted`() {
    func page(_ trace: Trace) -> String { TracePicture.figures([(trace, nil)], atMost: 1000).description }
    var trace = Trace.sample
    let active = TraceFigures(trace).threads
    trace.lanes.append(Trace.Lane(thread: 104, name: "manager", kind: .manager, begin: 800_000))
    #expect(!trace.hasEvents && TraceFigures(trace).threads == active)
    #expect(!Self.text(trace).contains("manager") && !page(trace).contains("manager"))
    trace.blocks.append(
      Trace.Block(
        .handler, queue: 0, number: 9, submitted: nil, submitter: nil, lane: 2, begin: 6_950_000, end: 6_960_000))
    #expect(TraceFigures(trace).threads == active + 1)
    #expect(Self.text(trace).contains("manager") && page(trace).contains("manager"))
  }

  @Test func `a barrier is marked`() {
    #expect(Self.rows("pool 2", Self.text(.sample, from: 0))[1].contains("B1!"))
  }

  @Test func `a wait is drawn over its block, with its reason`() {
    #expect(Self.rows("pool 2", Self.text(.sample, from: 0))[1].contains("~sema~"))
    #expect(Self.rows("caller", Self.text(.sample, from: 0))[1].contains("~group~"))
  }

  @Test func `a pool's thread without work is blank`() {
    let row = Self.rows("pool 1", Self.text(.sample, from: 0))[1]
    #expect(row.hasSuffix("      "))
    #expect(!row.contains("work"))
  }

  @Test func `a thread that has not begun is blank`() {
    #expect(Self.rows("pool 2", Self.text(.sample, from: 0))[0].hasPrefix("      "))
  }

  @Test func `times with lost records are shown as unknown, not as rest`() {
    var trace = Trace.sample
    trace.gaps = [
      Trace.Gap(.scheduler, begin: 0, end: 5_000_000, lost: 7),
      Trace.Gap(.calls, begin: 9_000_000, end: 10_000_000, lost: 3),
    ]
    let text = Self.text(trace, from: 0)
    let rows = Self.rows("caller", text)
    #expect(rows[0].hasPrefix(String(repeating: "?", count: 30)))
    #expect(rows[1].hasSuffix("????"))
    #expect(text.contains("7 of the scheduler's records were lost"))
    #expect(text.contains("3 events of blocks and waits were lost"))
  }

  @Test func `no thread is shown at rest if the scheduler's record is missing`() {
    var trace = Trace.sample
    trace.missing = [Trace.Missing(.scheduler, why: "which thread ran where is not seen")]
    let text = Self.text(trace, from: 0)
    #expect(!(Self.rows("caller", text).first ?? ".").contains("."))
    #expect(!text.contains("busy "))
    #expect(text.contains("which thread ran where is not seen"))
    #expect(!text.contains("cores busy"))
  }

  @Test func `the picture of a hang shows until when nothing more happens`() {
    var trace = Trace.sample
    trace.end = .hung
    trace.length = 900_000_000
    trace.lanes[0].runs.removeLast()
    trace.lanes[0].waits[0].end = nil
    let text = Self.text(trace)
    #expect(text.contains("nothing more happens until 900 ms"))
    #expect(text.contains("caller waits for the group"))
    #expect(text.contains("hung"))
  }

  @Test func `the text on a hang names the waiting block and the blocks behind it`() {
    var trace = Trace(
      scenario: "s", variant: "v", cores: [0, 1], length: 1000, end: .hung,
      queues: [Trace.Queue(label: "own", kind: .serial)])
    trace.lanes = [
      Trace.Lane(
        thread: 1, name: "caller", kind: .caller, begin: 0, waits: [Trace.Wait(begin: 20, end: nil, for: .group)]),
      Trace.Lane(
        thread: 2, name: "pool 1", kind: .pool, begin: 5, waits: [Trace.Wait(begin: 30, end: nil, for: .group)]),
    ]
    trace.blocks = [
      Trace.Block(
        .async, isBarrier: false, queue: 0, number: 1, submitted: 5, submitter: 0, lane: 1, begin: 10, end: nil),
      Trace.Block(
        .async, isBarrier: false, queue: 0, number: 2, submitted: 20, submitter: 1, lane: nil, begin: nil, end: nil),
    ]
    #expect(
      trace.findingTexts == [
        "At the end no thread can continue: caller waits for the group; pool 1, in block 1 of own, waits for the group. "
          + "Never begun: block 2 of own, behind block 1, which has not ended."
      ])
  }

  /// A trial prepares before its first submission, and a wait during the preparation is not drawn.
  @Test func `a wait is a finding only after the first submission, and its text has its length`() {
    func trace(_ waits: [Trace.Wait]) -> Trace {
      var trace = Trace(
        scenario: "s", variant: "v", cores: [0, 1], length: 3_000_000, end: .completed,
        queues: [Trace.Queue(label: "own", kind: .serial)])
      trace.lanes = [
        Trace.Lane(thread: 1, name: "caller", kind: .caller, begin: 0, waits: waits),
        Trace.Lane(thread: 2, name: "pool 1", kind: .pool, begin: 0),
      ]
      trace.blocks = [
        Trace.Block(
          .async, isBarrier: false, queue: 0, number: 1, submitted: 2_000_000, submitter: 0, lane: 1, begin: 2_100_000,
          end: 2_900_000)
      ]
      return trace
    }
    let before = Trace.Wait(begin: 100, end: 1_900_000, for: .semaphore)
    #expect(trace([before]).findingTexts == [] && trace([before]).longestWait == nil)
    let long = trace([before, Trace.Wait(begin: 1_950_000, end: 2_800_000, for: .group)])
    #expect(long.findingTexts == ["caller waits 800 us of 1 ms since the first submission for the group."])
    let text = Self.text(long).split { $0.isWhitespace }.joined(separator: " ")
    #expect(
      text.contains("drawn: 1.95 ms to 3 ms") && text.contains("longest wait 800 us: caller for the group"), "\(text)")
  }

  @Test func `the text on a trap names the block and the thread`() {
    var trace = Trace.sample
    trace.end = .trapped(signal: 4)
    trace.blocks[2].end = nil
    trace.lanes[0].waits = [Trace.Wait(begin: trace.length / 2, end: nil, for: .group)]
    #expect(Self.text(trace).contains("SIGILL ended the process inside block 1 of lab.both on pool 2 after 10 ms"))
  }

  @Test func `similar lanes are folded and counted`() {
    var trace = Trace.sample
    for number in 0..<40 {
      trace.lanes.append(
        Trace.Lane(thread: 200 + number, name: "pool \(number + 3)", kind: .pool, begin: 1_000_000))
    }
    let text = Self.text(trace, from: 0)
    #expect(text.contains(" more |") || text.contains("more|"))
    // The threads that did the most work have rows of their own.
    #expect(!Self.rows("pool 1", text).isEmpty)
    #expect(!Self.rows("pool 2", text).isEmpty)
    #expect(text.split(separator: "\n").count < 50)
  }

  @Test func `the pictures of several points have the same scale`() {
    var short = Trace.sample
    short.length = 5_000_000
    short.lanes[0].runs.removeLast()
    let both = TraceText(style: TextStyle(width: 80), from: 0).render([.sample, short])
    let axes = both.split(separator: "\n").filter { $0.contains("'0 ns") }
    #expect(axes.count == 2)
    #expect(Set(axes).count == 1)
  }

  @Test func `a coloured trace picture contains only escape codes of the lab itself`() {
    let style = TextStyle(width: 80, color: true)
    let text = TraceText(style: style).render([.sample])
    #expect(text.contains("\u{1b}["))
    #expect(style.safe(text) == text)
    #expect(!style.safe("\u{1b}[48;5;9mred").contains("\u{1b}"))
  }

  @Test func `a column with several blocks contains no block number`() {
    var trace = Trace.sample
    trace.blocks = (1...1000).map { number in
      let begin = UInt64(number) * 9000
      return Trace.Block(
        .async, queue: 0, number: number, submitted: 0, submitter: 0, lane: 2, begin: begin, end: begin + 9000)
    }
    let row = Self.rows("pool 1", Self.text(trace, from: 0))[1]
    #expect(row.contains("AAAAAAAAAA"))
    #expect(!row.contains("="))
  }

  @Test func `the backlog counts only blocks that are due and have not begun`() {
    var trace = Trace.sample
    trace.blocks.append(Trace.Block(.after, queue: 0, number: 9, submitted: 0, submitter: 0))
    let span = TimeColumns(trace, from: 0, to: trace.length, columns: 10)
    // The backlog contains two blocks of the serial queue, the barrier, and the block that the barrier holds back until
    // the end.
    #expect(span.most(of: trace.backlog) == [4, 4, 3, 3, 1, 1, 1, 1, 1, 1])
    trace.blocks[trace.blocks.count - 1].due = trace.length / 2
    let later = TimeColumns(trace, from: 0, to: trace.length, columns: 10)
    #expect(later.most(of: trace.backlog) == [4, 4, 3, 3, 1, 2, 2, 2, 2, 2])
    #expect(trace.blocks.last?.waitsToBegin == true)
  }

  @Test func `the time from submission to start leaves out the iterations of a loop`() {
    var trace = Trace.sample
    trace.blocks.append(
      Trace.Block(.apply, queue: 1, number: 3, submitted: 0, submitter: 0, lane: 2, begin: 9_000_000, end: 9_100_000))
    #expect(TraceFigures(trace).worstDelay == TraceFigures(.sample).worstDelay)
    #expect(TraceFigures(trace).blocks == 5)
  }

  @Test func `a program without findings has the longest delay of a block and the use of the cores`() {
    var trace = Trace.sample
    trace.program = Trace.Program(hang: 250_000_000)
    let text = trace.findingTexts.joined(separator: "\n")
    #expect(
      text.contains(/^Nothing found\. A block waited up to .* to begin; the program used \d+ % of the cores' time\.$/),
      "\(text)")
  }

  @Test func `one finding adds up the waits in sync, and another finding counts the threads of the pool`() {
    var trace = Trace.sample
    trace.program = Trace.Program(hang: 250_000_000)
    trace.lanes[2].waits = (0..<60).map {
      Trace.Wait(begin: 2_000_000 + $0 * 70_000, end: 2_062_000 + $0 * 70_000, for: .sync, queue: 0)
    }
    let wait = "add up to 3.72 ms"
    let text = trace.findingTexts.joined(separator: "\n")
    #expect(
      text.contains(
        "Certain: The waits of all threads in sync on \"lab.serial\" \(wait), within 9.30 ms since the first submission "
          + "(60 waits). See: gcdlab explain queue-vs-lock"), "\(text)")
    trace.lanes[3].waits = [Trace.Wait(begin: 2_000_000, end: 3_000_000, for: .sync, queue: 1)]
    #expect(
      trace.findingTexts.joined().contains(
        "all threads in sync add up to 4.72 ms, 3.72 ms of them on \"lab.serial\", within"), "\(trace.findingTexts)")
    trace.lanes = (0..<8).map { Trace.Lane(thread: $0, name: "pool \($0)", kind: .pool, begin: 0) }
    trace.blocks = (0..<8).map {
      Trace.Block(
        .async, queue: 1, number: $0, submitted: 0, submitter: nil, lane: $0, begin: 1_000_000, end: 9_000_000)
    }
    #expect(
      trace.findingTexts.joined().contains(
        "8 threads of the pool ran blocks on 2 cores: up to 8 blocks were in progress at the same time."),
      "\(trace.findingTexts)")
  }

  /// A block that never began or ended has waited, or run, for longer than all others.
  @Test func `blocks that did not begin or end are part of the figures`() {
    var trace = Trace.sample
    trace.blocks = [
      Trace.Block(.async, queue: 1, number: 1, submitted: 0, submitter: 0, lane: 1, begin: 1000, end: 2000),
      Trace.Block(.async, queue: 1, number: 2, submitted: 1_000_000, submitter: 0, lane: 1, begin: 1_001_000),
      Trace.Block(.async, queue: 1, number: 3, submitted: 2_000_000, submitter: 0),
      Trace.Block(.after, queue: 1, number: 4, submitted: 0, submitter: 0),
    ]
    #expect(TraceFigures(trace).notBegun == 1)
    #expect(
      TraceFigures(trace).pieces(trace).contains(
        "1 block not begun at the end, after up to \(TraceFigures.text(trace.length - 2_000_000))"))
    let cells = QueueFigures(trace, queues: [1], label: "one", kind: .serial).cells
    let delay = TraceFigures.text(trace.length - 2_000_000), run = TraceFigures.text(trace.length - 1_001_000)
    #expect(cells[5] == ">\(delay)" && cells[8] == ">\(run)", "\(cells)")
  }

  @Test func `the figures of a trace are calculated from its blocks, waits and runs`() {
    let figures = TraceFigures(.sample)
    #expect(figures.blocks == 4)
    #expect(figures.medianDelay == 2_300_000)
    #expect(figures.worstDelay == 3_250_000)
    #expect(figures.mostAtOnce == 2)
    #expect(figures.preemptions == 1)
    #expect(figures.longestWait?.time == 8_600_000)
  }
}
