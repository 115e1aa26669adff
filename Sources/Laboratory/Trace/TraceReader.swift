import Platform

/// Builds a ``Trace`` from the records: it turns events and switches, in order of time, into blocks, waits and
/// stretches of threads.
struct TraceReader {
  private let record: TraceRecord
  private var isProgram = false
  private let start: UInt64
  private let length: UInt64
  private var threads: [Int: Thread] = [:]
  private var order: [Int] = []
  private var queues: [Trace.Queue] = []
  private var queueOf: [QueueKey: Int] = [:]
  private var made: [UInt64: (kind: Trace.Queue.Kind, label: String)] = [:]
  private var submittedTo: [Int] = []
  private var blocks: [Trace.Block] = []
  /// The blocks that were submitted and have not begun, by their numbers. A work item may be submitted more than once.
  private var pending: [UInt64: [Int]] = [:]
  private var items: [UInt64: UInt64] = [:]
  private var cancelled: Set<UInt64> = []
  private var held: Set<Int> = []
  private var stacks = CallStacks()

  /// The key of a queue. An address may be that of a queue. Without an address the key means Swift's pool, or the
  /// parallel loops' own queue.
  private struct QueueKey: Hashable {
    var address: UInt64
    var kind: Trace.Queue.Kind
  }

  /// A thread during the reading.
  private struct Thread {
    var name = ""
    var begin: UInt64?
    var end: UInt64?
    /// The times for which the thread ran, in monotonic time, including those before and after the body.
    var ran: [Trace.RunInterval] = []
    /// The time at which the thread got its present core, and that core.
    var isOn: (since: UInt64, core: Int)?
    var waits: [Trace.Wait] = []
    var open: [Int?] = []
    var runsBlocks = false
    var isCaller = false
    /// The running time of the thread that the system reported, before the body and after it.
    var told: [(at: UInt64, ran: UInt64)] = []
  }

  /// Returns the trace of a trial that ended in this way.
  static func trace(
    _ record: TraceRecord, scenario: String, variant: String, point: String, cores: [Int], end: Trace.End
  ) -> Trace {
    guard let first = record.events.first(where: { $0.kind == .bodyBegins }) else {
      return Trace(scenario: scenario, variant: variant, point: point, cores: cores, length: 0, end: end)
    }
    let last =
      record.events.last { $0.kind == .bodyEnds }?.time
      ?? max(record.events.last?.time ?? 0, record.switches.last { $0.kind != .lost }?.time ?? 0)
    var reader = TraceReader(record, start: first.time, length: max(1, last - first.time))
    reader.readSwitches()
    reader.readEvents()
    var trace = reader.trace(
      Trace(scenario: scenario, variant: variant, point: point, cores: cores, length: reader.length, end: end))
    trace.missing = reader.missing
    return trace
  }

  /// Returns the trace of a user's program.
  ///
  /// - Parameters:
  ///   - name: the name of the program, if it has not recorded its own.
  ///   - ended: the time at which the record ended, in monotonic nanoseconds.
  ///   - last: how many nanoseconds before the end of the record the trace begins; nil for the whole record.
  ///   - hang: see ``Trace/Program/hang``.
  static func program(
    _ record: TraceRecord, name: String, cores: [Int], end: Trace.End, ended: UInt64, last: UInt64?, hang: UInt64
  ) -> Trace {
    let first = record.events.first?.time ?? record.switches.first?.time ?? ended
    let until = record.events.last { $0.kind == .bodyEnds }?.time ?? ended
    let asked = last.map { max(first, until - min($0, until)) } ?? first
    // Nothing is known of the time whose events were overwritten, so the trace begins after it.
    let start = max(asked, record.overwrittenUntil)
    var reader = TraceReader(record, start: start, length: max(1, until - min(start, until)))
    reader.isProgram = true
    reader.stacks = CallStacks(record.events)
    reader.readSwitches()
    reader.readEvents()
    var trace = reader.trace(
      Trace(
        scenario: Self.name(in: record.events) ?? name, variant: "process \(record.process)", cores: cores,
        length: reader.length, end: end))
    trace.missing = reader.missing
    trace.program = Trace.Program(
      hang: hang, stacks: reader.stacks.found, heldQueues: reader.held,
      overwritten: start > asked ? record.lost.events : nil)
    return trace
  }

  private static func name(in events: [RecordedEvent]) -> String? {
    guard let index = events.firstIndex(where: { $0.kind == .image }) else { return nil }
    let texts = events[index...].lazy.filter { $0.kind == .text && $0.thread == events[index].thread }
    let bytes = texts.prefix(events[index].count).flatMap(Self.bytes).filter { $0 != 0 }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private init(_ record: TraceRecord, start: UInt64, length: UInt64) {
    self.record = record
    self.start = start
    self.length = length
  }

  /// Returns a monotonic time as the time since the body began, within the body.
  private func at(_ time: UInt64) -> UInt64 { min(time > start ? time - start : 0, length) }

  private func isInside(_ time: UInt64) -> Bool { time >= start && time <= start + length }

  // MARK: The scheduler's reports

  private mutating func readSwitches() {
    for told in record.switches {
      switch told.kind {
      case .on: threads[told.thread, default: Thread()].isOn = (told.time, told.core)
      case .off, .preempted:
        // A thread that has ended leaves its core one last time.
        guard threads[told.thread]?.end == nil || threads[told.thread]?.isOn != nil else { break }
        leave(told.thread, at: told.time, core: told.core, isPreempted: told.kind == .preempted)
      case .born: threads[told.thread, default: Thread()].begin = at(told.time)
      case .gone:
        // No report says that a thread leaves its core for good.
        if let on = threads[told.thread]?.isOn { leave(told.thread, at: told.time, core: on.core, isPreempted: false) }
        threads[told.thread, default: Thread()].end = at(told.time)
      case .lost: break
      }
    }
    let last = max(start + length, record.switches.last?.time ?? 0)
    for (number, thread) in threads {
      if let on = thread.isOn { leave(number, at: last, core: on.core, isPreempted: false) }
    }
  }

  private mutating func leave(_ number: Int, at time: UInt64, core: Int, isPreempted: Bool) {
    // A thread whose first report is that it leaves was running when the record began.
    let since = threads[number]?.isOn?.since ?? record.switches.first?.time ?? time
    threads[number, default: Thread()].isOn = nil
    threads[number, default: Thread()].ran.append(
      Trace.RunInterval(begin: since, end: time, core: core, isPreempted: isPreempted))
  }

  // MARK: The worker's events

  private mutating func readEvents() {
    var labels: [Int: (address: UInt64, left: Int, bytes: [UInt8])] = [:]
    for event in record.events {
      switch event.kind {
      case .thread:
        // Dispatch's manager is a thread of the pool that has been recognized.
        if threads[event.thread]?.name != "manager" { threads[event.thread, default: Thread()].name = Self.text(event) }
      case .queue:
        made[event.a] = (Self.queueKind(event.how), "")
        // Another queue had this address before.
        if event.time > start { queueOf = queueOf.filter { $0.key.address != event.a } }
        if event.count > 0 { labels[event.thread] = (event.a, event.count, []) }
      case .text:
        guard var part = labels[event.thread] else { break }
        part.bytes += Self.bytes(event)
        part.left -= 1
        made[part.address]?.label = String(decoding: part.bytes.filter { $0 != 0 }, as: UTF8.self)
        labels[event.thread] = part.left > 0 ? part : nil
      case .account: threads[Int(event.a), default: Thread()].told.append((event.time, event.b))
      case .item: items[event.a] = event.b
      case .bodyBegins: threads[event.thread, default: Thread()].isCaller = !isProgram
      case .cancel: cancelled.insert(items[event.a] ?? event.a)
      case .holds:
        // A system queue as the target delays nothing.
        if event.b == 0 || made[event.b]?.kind != .global { held.insert(queue(event.a, .unknown)) }
      case .submit where isInside(event.time): submit(event)
      case .begin where isInside(event.time): begin(event)
      case .end where isInside(event.time): end(event)
      case .wait where isInside(event.time):
        let reason = Self.reason(event.how)
        let queue = event.b == 0 ? nil : queue(event.b, .unknown)
        var wait = Trace.Wait(begin: at(event.time), end: nil, for: reason, queue: queue)
        wait.stack = stacks[event.site]
        wait.owner = event.a == 0 || !isProgram ? nil : Int(event.a)
        threads[event.thread, default: Thread()].waits.append(wait)
        seen(event)
      case .waited where isInside(event.time):
        if let last = threads[event.thread]?.waits.indices.last, threads[event.thread]?.waits[last].end == nil {
          let end = at(event.time)
          threads[event.thread]?.waits[last].end = end
        }
        seen(event)
      case .none, .submit, .begin, .end, .wait, .waited, .bodyEnds, .image, .site, .calls, .module: break
      }
    }
  }

  private mutating func seen(_ event: RecordedEvent) {
    if threads[event.thread]?.begin == nil { threads[event.thread, default: Thread()].begin = at(event.time) }
  }

  private mutating func submit(_ event: RecordedEvent) {
    let kind = Self.blockKind(event.how)
    let isItem = event.how & 32 != 0
    let number = isItem ? items[event.a] ?? event.a : event.a
    let queue = kind == .job ? queue(0, .swiftPool) : queue(event.b, kind == .apply ? .global : .unknown)
    for offset in 0..<UInt64(kind == .apply ? max(1, event.count) : 1) {
      submittedTo[queue] += 1
      pending[number + offset, default: []].append(blocks.count)
      var block = Trace.Block(
        kind, isBarrier: event.how & 16 != 0, queue: queue, number: submittedTo[queue], submitted: at(event.time),
        submitter: event.thread)
      block.stack = stacks[event.site]
      if isProgram, kind != .apply, event.count > 0 { block.submissionTime = UInt64(event.count) }
      blocks.append(block)
    }
    seen(event)
  }

  private mutating func begin(_ event: RecordedEvent) {
    let kind = Self.blockKind(event.how)
    var index = blocks.count
    if let waiting = pending[event.a]?.first {
      index = waiting
      pending[event.a]?.removeFirst()
      // A job of an actor may have been submitted to the pool to run there.
      if kind == .job, event.b != 0 { blocks[index].queue = queue(event.b, .actor) }
    } else {
      let queue = kind == .job ? queue(event.b, event.b == 0 ? .swiftPool : .actor) : queue(event.b, .unknown)
      submittedTo[queue] += 1
      blocks.append(
        Trace.Block(
          kind, isBarrier: event.how & 16 != 0, queue: queue, number: submittedTo[queue], submitted: nil, submitter: nil
        ))
    }
    blocks[index].lane = event.thread
    blocks[index].begin = at(event.time)
    var thread = threads[event.thread] ?? Thread()
    thread.runsBlocks = true
    thread.open.append(index)
    threads[event.thread] = thread
    seen(event)
  }

  private mutating func end(_ event: RecordedEvent) {
    guard let index = threads[event.thread]?.open.popLast() ?? nil else { return }
    blocks[index].end = at(event.time)
  }

  private mutating func queue(_ address: UInt64, _ guess: Trace.Queue.Kind) -> Int {
    let known = made[address]
    let kind = address == 0 ? guess : known?.kind ?? guess
    let key = QueueKey(address: address, kind: kind)
    if let index = queueOf[key] { return index }
    let label =
      switch (address, kind) {
      case (0, .swiftPool): "Swift's pool"
      case (0, _): "parallel loops"
      default: known?.label ?? ""
      }
    queues.append(Trace.Queue(label: label.isEmpty ? "queue \(queues.count + 1)" : Self.short(label), kind: kind))
    submittedTo.append(0)
    queueOf[key] = queues.count - 1
    return queues.count - 1
  }

  // MARK: The whole trace

  private func trace(_ empty: Trace) -> Trace {
    var trace = empty
    // Threads that did nothing during the body belong to the lab. They run at most when the process is killed.
    let last = at(record.events.last?.time ?? 0)
    let shown = threads.filter { number, thread in
      thread.isCaller || !thread.waits.isEmpty || thread.runsBlocks || runs(of: thread).contains { $0.begin < last }
    }
    func kind(_ number: Int, _ thread: Thread) -> Trace.Lane.Kind {
      if thread.isCaller { return .caller }
      if number == record.process { return .main }
      if thread.name == "manager" { return .manager }
      return thread.name == "pool" ? .pool : .own
    }
    let ranks = Dictionary(uniqueKeysWithValues: Trace.Lane.Kind.allCases.enumerated().map { ($1, $0) })
    let sorted = shown.map { (number: $0.key, kind: kind($0.key, $0.value), thread: $0.value) }.sorted { left, right in
      let (leftRank, rightRank) = (ranks[left.kind] ?? 0, ranks[right.kind] ?? 0)
      return (leftRank, left.thread.begin ?? 0, left.number) < (rightRank, right.thread.begin ?? 0, right.number)
    }
    var counts: [Trace.Lane.Kind: Int] = [:]
    var laneOf: [Int: Int] = [:]
    for (number, kind, thread) in sorted {
      counts[kind, default: 0] += 1
      let name =
        switch kind {
        case .caller: "caller"
        case .main: "main"
        case .manager: "events"
        case .pool: "pool \(counts[kind, default: 0])"
        case .own: "thread \(counts[kind, default: 0])"
        }
      laneOf[number] = trace.lanes.count
      trace.lanes.append(
        Trace.Lane(
          thread: number, name: name, kind: kind, begin: thread.begin ?? 0,
          end: thread.end.flatMap { $0 < length ? $0 : nil }, runs: runs(of: thread), waits: thread.waits))
      if let account = account(of: thread, in: trace.lanes.count - 1) { trace.accounts.append(account) }
    }
    trace.queues = queues
    // An item that was cancelled before it began never begins, and is not part of a backlog.
    let never = Set(cancelled.flatMap { pending[$0] ?? [] })
    trace.blocks = blocks.enumerated().filter { !never.contains($0.offset) }.map { _, block in
      var block = block
      block.lane = block.lane.flatMap { laneOf[$0] }
      block.submitter = block.submitter.flatMap { laneOf[$0] }
      return block
    }
    trace.gaps = gaps
    return trace
  }

  /// Returns the times for which a thread ran during the body.
  private func runs(of thread: Thread) -> [Trace.RunInterval] {
    thread.ran.filter { $0.end > start && $0.begin < start + length }.map { stretch in
      Trace.RunInterval(
        begin: at(stretch.begin), end: at(stretch.end), core: stretch.core,
        isPreempted: stretch.isPreempted && stretch.end <= start + length)
    }
  }

  /// Returns the running time of a thread from both sources; nil if the thread was running when the system was asked,
  /// which then reports the time of the last tick.
  private func account(of thread: Thread, in lane: Int) -> Trace.Account? {
    guard record.obstacle == nil, let last = thread.told.last, last.at > start else { return nil }
    let first = thread.told.first.flatMap { $0.at < start ? $0 : nil } ?? (at: 0, ran: 0)
    for moment in [first.at, last.at] where !thread.isCaller {
      if thread.ran.contains(where: { $0.begin <= moment && moment <= $0.end }) { return nil }
    }
    let recorded = thread.ran.reduce(UInt64(0)) { sum, stretch in
      let (begin, end) = (max(stretch.begin, first.at), min(stretch.end, last.at))
      return sum + (end > begin ? end - begin : 0)
    }
    return Trace.Account(lane: lane, told: last.ran > first.ran ? last.ran - first.ran : 0, recorded: recorded)
  }

  private var gaps: [Trace.Gap] {
    var gaps: [Trace.Gap] = []
    if record.lost.first > 0 {
      gaps.append(Trace.Gap(.calls, begin: at(record.lost.first), end: length, lost: record.lost.events))
    } else if record.overwrittenUntil > start {
      gaps.append(Trace.Gap(.calls, begin: 0, end: at(record.overwrittenUntil), lost: record.lost.events))
    }
    var lastOf: [Int: UInt64] = [:]
    for told in record.switches {
      if told.kind == .lost, told.time > start, lastOf[told.core] ?? 0 < start + length {
        gaps.append(
          Trace.Gap(.scheduler, begin: at(lastOf[told.core] ?? 0), end: at(told.time), lost: told.count))
      }
      lastOf[told.core] = told.time
    }
    return gaps
  }

  private var missing: [Trace.Missing] {
    var missing: [Trace.Missing] = []
    if !record.seesCalls {
      missing.append(
        Trace.Missing(
          .calls,
          why: isProgram
            ? "blocks and waits are not seen: the program has not loaded Dispatch"
            : "blocks and waits are not seen: this binary is linked dynamically; make build makes the one that shows them"
        ))
    }
    if let obstacle = record.obstacle {
      missing.append(
        Trace.Missing(
          .scheduler,
          why:
            "which thread ran where is not seen: \(obstacle); sysctl kernel.perf_event_paranoid=2, and a seccomp profile that "
            + "lets perf_event_open pass, show it"))
    }
    return missing
  }

  // MARK: The meaning of numbers

  private static func blockKind(_ how: Int) -> Trace.Block.Kind {
    let kinds: [Trace.Block.Kind] = [.async, .sync, .apply, .after, .notify, .handler, .job]
    return kinds[min(how & 15, kinds.count - 1)]
  }

  private static func reason(_ how: Int) -> Trace.Wait.Reason {
    let reasons = Trace.Wait.Reason.allCases
    return reasons[min(how, reasons.count - 1)]
  }

  private static func queueKind(_ how: Int) -> Trace.Queue.Kind {
    let kinds: [Trace.Queue.Kind] = [.unknown, .serial, .concurrent, .global, .main, .swiftPool, .actor]
    return kinds[min(how, kinds.count - 1)]
  }

  static func bytes(_ event: RecordedEvent) -> [UInt8] {
    [event.a, event.b].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) } }
  }

  /// Returns a name, which ends at its terminator.
  private static func text(_ event: RecordedEvent) -> String {
    String(decoding: bytes(event).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the short name of a system queue.
  private static func short(_ label: String) -> String {
    let root = "com.apple.root."
    guard label.hasPrefix(root) else { return label.inLine }
    return "global \(label.dropFirst(root.count).replacing("-qos", with: "").replacing(".overcommit", with: ""))"
  }
}
