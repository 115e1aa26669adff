import Platform

/// A reader that creates a ``Trace`` from a record. The reader processes the scheduler's reports and then the events,
/// and passes each report and each event to the property that it concerns.
struct TraceReader {
  private let record: TraceRecord
  private let isProgram: Bool
  private let time: RecordedTime
  private var texts = RecordedTexts()
  private var threads: RecordedThreads
  private var queues = RecordedQueues()
  private var blocks: RecordedBlocks
  private var stacks = RecordedStacks()
  private var gaps: RecordedGaps
  /// The name that the program has recorded; nil if the program has not recorded a name.
  private var name: String?

  /// Returns the trace of a trial that ended as `end` describes. If the body did not begin, the trace is empty.
  static func trace(
    _ record: TraceRecord, scenario: String, variant: String, point: String, cores: [Int], end: Trace.End
  ) -> Trace {
    guard let first = record.events.first(where: { $0.kind == .bodyBegins }) else {
      return Trace(scenario: scenario, variant: variant, point: point, cores: cores, length: 0, end: end)
    }
    let last =
      record.events.last { $0.kind == .bodyEnds }?.time
      ?? max(record.events.last?.time ?? 0, record.switches.last { $0.kind != .lost }?.time ?? 0)
    var reader = TraceReader(record, in: RecordedTime(from: first.time, until: last), isProgram: false)
    reader.read()
    var trace = Trace(
      scenario: scenario, variant: variant, point: point, cores: cores, length: reader.time.length, end: end)
    reader.fill(&trace, CallStacks(reader.stacks))
    return trace
  }

  /// Returns the trace of a user's program.
  ///
  /// - Parameters:
  ///   - name: the name of the program, which is used if the program has not recorded a name.
  ///   - ended: the time at which the record ended, in monotonic nanoseconds.
  ///   - last: the length of the trace in nanoseconds, counted back from the end of the record; nil for the whole
  ///     record.
  ///   - hang: see ``Trace/Program/hang``.
  static func program(
    _ record: TraceRecord, name: String, cores: [Int], end: Trace.End, ended: UInt64, last: UInt64?, hang: UInt64
  ) -> Trace {
    let first = record.events.first?.time ?? record.switches.first?.time ?? ended
    let until = record.events.last { $0.kind == .bodyEnds }?.time ?? ended
    let asked = last.map { max(first, until - min($0, until)) } ?? first
    // The trace begins after the period whose events were overwritten.
    let start = max(asked, record.overwrittenUntil)
    var reader = TraceReader(record, in: RecordedTime(from: start, until: until), isProgram: true)
    reader.read()
    let stacks = CallStacks(reader.stacks)
    var trace = Trace(
      scenario: reader.name ?? name, variant: "process \(record.process)", cores: cores, length: reader.time.length,
      end: end)
    reader.fill(&trace, stacks)
    trace.program = Trace.Program(
      hang: hang, stacks: stacks.found, delayedQueues: reader.queues.delayed,
      overwritten: start > asked ? record.lost.events : nil)
    return trace
  }

  private init(_ record: TraceRecord, in time: RecordedTime, isProgram: Bool) {
    self.record = record
    self.time = time
    self.isProgram = isProgram
    threads = RecordedThreads(record, in: time, isProgram: isProgram)
    blocks = RecordedBlocks(in: time, isProgram: isProgram)
    gaps = RecordedGaps(record, in: time)
  }

  private mutating func read() {
    for report in record.switches {
      threads.read(report)
      gaps.read(report)
    }
    threads.finish(at: max(time.end, record.switches.last?.time ?? 0))
    for event in record.events {
      describe(event)
      if time.contains(event.time) { follow(event) }
    }
  }

  /// Reads an event that describes an object, whether or not the time of the event is part of the trace.
  private mutating func describe(_ event: RecordedEvent) {
    switch event.kind {
    case .thread: threads.name(event)
    case .account: threads.account(event)
    case .bodyBegins: threads.beginBody(event)
    case .queue: queues.describe(event)
    case .holds: queues.hold(event)
    case .item: blocks.create(item: event)
    case .cancel: blocks.cancel(event)
    case .site, .calls: stacks.read(event)
    case .none, .submit, .begin, .end, .wait, .waited, .bodyEnds, .text, .image, .module: break
    }
    guard let (of, text) = texts.read(event) else { return }
    switch of.kind {
    case .queue: queues.name(of.a, text)
    case .module: stacks.add(module: text, at: of.a)
    default: name = name ?? text
    }
  }

  /// Reads an event at a time that is part of the trace.
  private mutating func follow(_ event: RecordedEvent) {
    switch event.kind {
    case .submit: blocks.submit(event, &queues)
    case .begin: blocks.begin(event, &queues)
    case .end: return blocks.end(event)
    case .wait: threads.wait(event, for: queues.number(ofWait: event))
    case .waited: threads.endWait(event)
    default: return
    }
    threads.see(event)
  }

  /// Fills an empty trace, and replaces the record's numbers of threads and stacks with indices.
  private func fill(_ trace: inout Trace, _ stacks: CallStacks) {
    (trace.lanes, trace.accounts) = threads.lanes(record, ran: blocks.ran(on:))
    trace.stolenAtMost = record.stolenAtMost
    let laneOf = Dictionary(uniqueKeysWithValues: trace.lanes.enumerated().map { ($1.thread, $0) })
    for lane in trace.lanes.indices {
      for wait in trace.lanes[lane].waits.indices {
        trace.lanes[lane].waits[wait].stack = stacks[trace.lanes[lane].waits[wait].stack]
      }
    }
    trace.blocks = blocks.shown.map { block in
      var block = block
      block.lane = block.lane.flatMap { laneOf[$0] }
      block.submitter = block.submitter.flatMap { laneOf[$0] }
      block.stack = stacks[block.stack]
      return block
    }
    trace.queues = queues.used
    trace.gaps = gaps.gaps
    trace.missing = record.missing(isProgram: isProgram)
  }
}
