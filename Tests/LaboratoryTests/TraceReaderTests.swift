import Platform
import Testing

@testable import Laboratory

/// Tests of the trace reader with invented records. Thread 1 is the first of the process, 2 is the caller, and 3 is a
/// pool thread. The body begins at 1000.
@Suite struct TraceReaderTests {
  private static func trace(
    _ events: [RecordedEvent], _ switches: [RecordedSwitch] = [], lost: (events: Int, first: UInt64) = (0, 0),
    obstacle: SystemError? = nil, seesCalls: Bool = true, ends: Bool = true
  ) -> Trace {
    let body = [RecordedEvent(.bodyBegins, at: 1000, thread: 2)] + events
    let record = TraceRecord(
      process: 1, events: ends ? body + [RecordedEvent(.bodyEnds, at: 2000, thread: 2)] : body, lost: lost,
      switches: switches, obstacle: obstacle, seesCalls: seesCalls)
    return TraceReader.trace(
      record, scenario: "s", variant: "v", point: "", cores: [0, 1], end: ends ? .completed : .hung)
  }

  private static func text(_ text: String, thread: Int, at time: UInt64) -> RecordedEvent {
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in text.utf8.enumerated() {
      if index < 8 { words.0 |= UInt64(byte) << (8 * index) } else { words.1 |= UInt64(byte) << (8 * (index - 8)) }
    }
    return RecordedEvent(.text, at: time, thread: thread, a: words.0, b: words.1)
  }

  @Test func `a block is joined to its submission`() throws {
    let trace = Self.trace([
      RecordedEvent(.queue, at: 1001, thread: 2, how: 1, count: 1, a: 77), Self.text("lab.queue", thread: 2, at: 1001),
      RecordedEvent(.submit, at: 1100, thread: 2, count: 1, a: 5, b: 77),
      RecordedEvent(.begin, at: 1200, thread: 3, a: 5, b: 77), RecordedEvent(.end, at: 1300, thread: 3, a: 5),
    ])
    #expect(trace.queues == [Trace.Queue(label: "lab.queue", kind: .serial)])
    let block = try #require(trace.blocks.first)
    #expect(trace.blocks.count == 1)
    #expect((block.submitted, block.begin, block.end) == (100, 200, 300))
    #expect(block.submitter.map { trace.lanes[$0].kind } == .caller)
    #expect(block.lane.map { trace.lanes[$0].thread } == 3)
  }

  @Test func `a handler runs on the queue of its source, and not on the source`() {
    func handler(_ number: UInt64, of source: UInt64) -> [RecordedEvent] {
      [
        RecordedEvent(.begin, at: 1100 + number, thread: 3, how: 5, a: number, b: source),
        RecordedEvent(.end, at: 1100 + number, thread: 3, a: number),
      ]
    }
    let sources: [RecordedEvent] = [78, 79].flatMap { source in
      [
        RecordedEvent(.queue, at: 1001, thread: 2, how: 7, count: 1, a: source),
        Self.text("source", thread: 2, at: 1001),
      ]
    }
    let trace = Self.trace(
      [
        RecordedEvent(.queue, at: 1001, thread: 2, how: 4, count: 1, a: 77), Self.text("main", thread: 2, at: 1001),
      ] + sources + [
        RecordedEvent(.holds, at: 1002, thread: 2, a: 78, b: 77), RecordedEvent(.holds, at: 1003, thread: 2, a: 78),
      ] + handler(1, of: 78) + handler(2, of: 79))
    #expect(
      trace.queues == [Trace.Queue(label: "main", kind: .main), Trace.Queue(label: "source", kind: .serial)],
      "\(trace.queues)")
    #expect(trace.blocks.map(\.queue) == [0, 1])
    #expect(trace.blocks.allSatisfy { $0.kind == .handler })
  }

  @Test func `the threads of a program are shown even if none of its calls was recorded`() {
    let record = TraceRecord(
      process: 1, events: [], lost: (0, 0),
      switches: [
        RecordedSwitch(.on, at: 1000, thread: 1, core: 0), RecordedSwitch(.off, at: 1500, thread: 1, core: 0),
      ],
      obstacle: nil, seesCalls: false)
    let trace = TraceReader.program(record, name: "p", cores: [0, 1], end: .completed, ended: 2000, last: nil, hang: 1)
    #expect(trace.lanes.map(\.runs.count) == [1])
  }

  @Test func `the trace of a program begins where its record is complete, and has findings`() throws {
    var events: [RecordedEvent] = []
    // Blocks of 10 ns, each submitted within 200 ns. One block of the overwritten time remains.
    for block in UInt64(0)..<2000 {
      let time = 10_000 + block * 500
      events.append(RecordedEvent(.submit, at: time, thread: 2, count: 200, a: block, b: 77))
      events.append(RecordedEvent(.begin, at: time + 1300, thread: 3, a: block, b: 77))
      events.append(RecordedEvent(.end, at: time + 1310, thread: 3, a: block))
    }
    events.sort { $0.time < $1.time }
    func program(_ overwrittenUntil: UInt64, last: UInt64? = nil) -> Trace {
      var record = TraceRecord(process: 1, events: events, lost: (overwrittenUntil > 0 ? 4321 : 0, 0), switches: [])
      record.overwrittenUntil = overwrittenUntil
      return TraceReader.program(
        record, name: "p", cores: [0, 1], end: .completed, ended: 1_100_000, last: last, hang: 1_000_000)
    }
    for (trace, overwritten) in [
      (program(0), nil), (program(20_000), 4321), (program(20_000, last: 900_000), nil),
    ] as [(Trace, Int?)] {
      #expect(trace.program?.overwritten == overwritten)
      #expect(trace.gaps.isEmpty)
      let small = trace.findings.contains { if case .smallBlocks = $0 { true } else { false } }
      #expect(small, "\(trace.findings)")
    }
    #expect(program(20_000).length < program(0).length)
  }

  @Test func `a delayed block is due after its delay, unless the record ends before`() {
    // The count of a submission for a later time is the delay in microseconds, plus 1.
    let trace = Self.trace([
      RecordedEvent(.submit, at: 1100, thread: 2, how: 3, count: 1, a: 5, b: 77),
      RecordedEvent(.submit, at: 1200, thread: 2, how: 3, count: 0, a: 6, b: 77),
      RecordedEvent(.submit, at: 1300, thread: 2, how: 3, count: 2, a: 7, b: 77),
      RecordedEvent(.submit, at: 1400, thread: 2, how: 0, count: 1, a: 8, b: 77),
      RecordedEvent(.begin, at: 1500, thread: 3, how: 3, a: 5, b: 77),
    ])
    #expect(trace.blocks.map(\.due) == [100, nil, nil, nil])
    #expect(trace.blocks.map(\.ready) == [100, nil, nil, 400])
  }

  @Test func `a later queue at the same address is another queue`() {
    let events: [RecordedEvent] = [(1000, "one"), (1100, "two")].flatMap { time, label in
      [
        RecordedEvent(.queue, at: time + 1, thread: 2, how: 2, count: 1, a: 77),
        Self.text(label, thread: 2, at: time + 1),
        RecordedEvent(.submit, at: time + 2, thread: 2, count: 1, a: time, b: 77),
      ]
    }
    #expect(Self.trace(events).queues.map(\.label) == ["one", "two"])
  }

  @Test func `an executor that the record does not describe is of an unknown kind`() {
    func kinds(_ described: [RecordedEvent]) -> [Trace.Queue.Kind] {
      let jobs: [RecordedEvent] = [(5, 3), (6, 4)].flatMap { job, thread in
        [
          RecordedEvent(.submit, at: 1100, thread: 2, how: 6, a: job),
          RecordedEvent(.begin, at: 1200, thread: thread, how: 6, a: job, b: 77),
          RecordedEvent(.end, at: 1300, thread: thread, a: job),
        ]
      }
      let trace = Self.trace((described + jobs).sorted { $0.time < $1.time })
      #expect(trace.blocks.map(\.queue) == [1, 1])
      // Overlapping jobs are not a defect of an executor that may run several at once.
      #expect(
        TraceRule.serial.compliance(of: trace) == (described.isEmpty ? .notJudged : .broken("block 1 of queue 2 and 2"))
      )
      return trace.queues.map(\.kind)
    }
    #expect(kinds([]) == [.swiftPool, .unknown])
    #expect(kinds([RecordedEvent(.queue, at: 1001, thread: 3, how: 6, a: 77)]) == [.swiftPool, .actor])
  }

  @Test func `a block without a recorded submission belongs to a queue of its own`() {
    let trace = Self.trace([
      RecordedEvent(.submit, at: 1100, thread: 2, how: 2, count: 1, a: 10),
      RecordedEvent(.begin, at: 1200, thread: 2, how: 32, a: 5), RecordedEvent(.end, at: 1300, thread: 2, a: 5),
    ])
    #expect(trace.queues.map(\.label) == ["parallel loops", "queue 2"])
    #expect(trace.queues.map(\.kind) == [.global, .unknown])
  }

  @Test func `the iterations of a parallel loop are blocks of the same submission`() {
    let trace = Self.trace([
      RecordedEvent(.submit, at: 1100, thread: 2, how: 2, count: 3, a: 10),
      RecordedEvent(.begin, at: 1200, thread: 2, how: 2, a: 11), RecordedEvent(.end, at: 1300, thread: 2, a: 11),
    ])
    #expect(trace.blocks.map(\.kind) == [.apply, .apply, .apply])
    #expect(trace.blocks.map(\.begin) == [nil, 200, nil])
  }

  @Test func `a work item submitted twice is two blocks`() {
    let submission = { RecordedEvent(.submit, at: $0, thread: 2, how: 32, count: 1, a: 900, b: 77) }
    let trace = Self.trace([
      RecordedEvent(.item, at: 1001, thread: 2, a: 900, b: 5), submission(1100), submission(1110),
      RecordedEvent(.begin, at: 1200, thread: 3, how: 32, a: 5), RecordedEvent(.end, at: 1300, thread: 3, a: 5),
      RecordedEvent(.begin, at: 1400, thread: 3, how: 32, a: 5), RecordedEvent(.end, at: 1500, thread: 3, a: 5),
    ])
    #expect(trace.blocks.map(\.submitted) == [100, 110])
    #expect(trace.blocks.map(\.begin) == [200, 400])
  }

  @Test func `a block without a recorded end stays open`() {
    let trace = Self.trace(
      [
        RecordedEvent(.submit, at: 1100, thread: 2, count: 1, a: 5, b: 77),
        RecordedEvent(.begin, at: 1200, thread: 3, a: 5, b: 77),
        RecordedEvent(.wait, at: 1250, thread: 3, how: 2, b: 77),
      ], [RecordedSwitch(.off, at: 1260, thread: 3, core: 0), RecordedSwitch(.ended, at: 9000, thread: 3, core: 0)],
      ends: false)
    #expect(trace.length == 8000)
    #expect(trace.blocks.first?.end == nil)
    #expect(trace.lanes.last?.waits == [Trace.Wait(begin: 250, end: nil, for: .sync, queue: 0)])
  }

  @Test func `a running interval lasts from a thread's arrival on a core to its departure`() {
    let trace = Self.trace(
      [],
      [
        RecordedSwitch(.on, at: 900, thread: 2, core: 1), RecordedSwitch(.preempted, at: 1400, thread: 2, core: 1),
        RecordedSwitch(.on, at: 1500, thread: 2, core: 0), RecordedSwitch(.on, at: 2500, thread: 3, core: 1),
      ])
    #expect(
      trace.lanes.first?.runs == [
        Trace.RunInterval(begin: 0, end: 400, core: 1, isPreempted: true),
        Trace.RunInterval(begin: 500, end: 1000, core: 0),
      ])
    // A thread that did nothing during the body belongs to the harness.
    #expect(trace.lanes.count == 1)
  }

  @Test func `the running interval of a thread ends with the thread`() {
    let trace = Self.trace(
      [RecordedEvent(.wait, at: 1100, thread: 3, how: 8)],
      [
        RecordedSwitch(.on, at: 1050, thread: 3, core: 1), RecordedSwitch(.ended, at: 1300, thread: 3, core: 1),
        RecordedSwitch(.off, at: 1310, thread: 3, core: 1),
      ])
    #expect(trace.lanes.last?.runs == [Trace.RunInterval(begin: 50, end: 300, core: 1)])
    #expect(trace.lanes.last?.end == 300)
  }

  @Test func `lost events become a gap in the trace`() {
    let trace = Self.trace(
      [],
      [
        RecordedSwitch(.on, at: 1100, thread: 2, core: 0),
        RecordedSwitch(.lost, at: 1600, thread: 0, core: 0, count: 7),
      ], lost: (3, 1900))
    #expect(
      trace.gaps == [
        Trace.Gap(.calls, begin: 900, end: 1000, lost: 3), Trace.Gap(.scheduler, begin: 100, end: 600, lost: 7),
      ])
  }

  @Test func `a trace lists its missing records with the reasons`() {
    let trace = Self.trace([], obstacle: SystemError(13, "see what the scheduler does"), seesCalls: false)
    #expect(trace.missing.map(\.record) == [.calls, .scheduler])
    #expect(trace.missing[0].why.contains("make build"))
    #expect(trace.missing[1].why.contains("perf_event_paranoid"))
  }

  @Test func `the reported and the recorded running time of a thread cover the same period`() {
    let trace = Self.trace(
      [RecordedEvent(.bodyEnds, at: 2000, thread: 2), RecordedEvent(.account, at: 2100, thread: 2, a: 3, b: 450)],
      [RecordedSwitch(.on, at: 1100, thread: 3, core: 0), RecordedSwitch(.off, at: 1550, thread: 3, core: 0)],
      ends: false)
    #expect(trace.accounts == [Trace.Account(lane: 1, reported: 450, recorded: 450)])
  }

  @Test func `threads are named after their role`() {
    var name = Self.text("pool", thread: 3, at: 1050)
    name.kind = .thread
    let trace = Self.trace([
      name, RecordedEvent(.begin, at: 1100, thread: 3, a: 1, b: 7), RecordedEvent(.end, at: 1110, thread: 3, a: 1),
      RecordedEvent(.wait, at: 1100, thread: 1, how: 8), RecordedEvent(.wait, at: 1200, thread: 4, how: 8),
    ])
    #expect(trace.lanes.map(\.name) == ["caller", "main", "pool 1", "thread 1"])
  }
}
