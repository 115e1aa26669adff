import Platform

/// The threads of a record: the cores and times at which each thread ran, and the waits of each thread.
struct RecordedThreads {
  private let time: RecordedTime
  /// The time of the scheduler's first report; 0 if there are no reports.
  private let begin: UInt64
  private let isProgram: Bool
  private var threads: [Int: Thread] = [:]

  /// Creates the threads of a record, without reading any events.
  init(_ record: TraceRecord, in time: RecordedTime, isProgram: Bool) {
    self.time = time
    self.isProgram = isProgram
    begin = record.switches.first?.time ?? 0
  }

  private struct Thread {
    var name = ""
    var begin: UInt64?
    var end: UInt64?
    /// The intervals in which the thread ran, in monotonic time, including intervals before and after the body.
    var ran: [Trace.RunInterval] = []
    /// The core that the thread runs on, and the time at which it started to run there; nil if the thread is not
    /// running.
    var running: (since: UInt64, core: Int)?
    /// The waits of the thread. The waits refer to stacks by their numbers in the record.
    var waits: [Trace.Wait] = []
    var isCaller = false
    /// The running times of the thread that the system reported before and after the body.
    var reported: [(at: UInt64, ran: UInt64)] = []

    /// Records that the thread leaves its core. If the record does not contain the start of the interval, the thread
    /// had been running on the core since the beginning of the record.
    mutating func leave(at time: UInt64, core: Int, isPreempted: Bool = false, begin: UInt64) {
      ran.append(Trace.RunInterval(begin: running?.since ?? begin, end: time, core: core, isPreempted: isPreempted))
      running = nil
    }
  }

  // MARK: The scheduler's reports

  mutating func read(_ report: RecordedSwitch) {
    let thread = report.thread
    switch report.kind {
    case .on: threads[thread, default: Thread()].running = (report.time, report.core)
    case .off, .preempted:
      // A thread leaves its core once more after the report of the thread's end. The report on this departure is
      // ignored.
      guard threads[thread]?.end == nil || threads[thread]?.running != nil else { break }
      threads[thread, default: Thread()].leave(
        at: report.time, core: report.core, isPreempted: report.kind == .preempted, begin: begin)
    case .created: threads[thread, default: Thread()].begin = time.at(report.time)
    case .ended:
      // The last interval of the thread ends at this report.
      if let on = threads[thread]?.running { threads[thread]?.leave(at: report.time, core: on.core, begin: begin) }
      threads[thread, default: Thread()].end = time.at(report.time)
    case .lost: break
    }
  }

  /// Ends the running intervals of all threads that are on a core.
  mutating func finish(at last: UInt64) {
    for (number, thread) in threads {
      if let on = thread.running { threads[number]?.leave(at: last, core: on.core, begin: begin) }
    }
  }

  // MARK: The process's events

  mutating func name(_ event: RecordedEvent) {
    let name = String(decoding: event.bytes.prefix { $0 != 0 }, as: UTF8.self)
    // The name of Dispatch's manager is not replaced, since its thread is otherwise an ordinary thread of the pool.
    if threads[event.thread]?.name != "manager" { threads[event.thread, default: Thread()].name = name }
  }

  mutating func beginBody(_ event: RecordedEvent) { threads[event.thread, default: Thread()].isCaller = !isProgram }

  mutating func account(_ event: RecordedEvent) {
    threads[Int(event.a), default: Thread()].reported.append((event.time, event.b))
  }

  /// Records that a thread existed at the time of an event.
  mutating func see(_ event: RecordedEvent) {
    if threads[event.thread]?.begin == nil { threads[event.thread, default: Thread()].begin = time.at(event.time) }
  }

  mutating func wait(_ event: RecordedEvent, for queue: Int?) {
    var wait = Trace.Wait(begin: time.at(event.time), end: nil, for: event.waitReason, queue: queue)
    wait.stack = event.site
    wait.owner = event.a == 0 || !isProgram ? nil : Int(event.a)
    threads[event.thread, default: Thread()].waits.append(wait)
  }

  mutating func endWait(_ event: RecordedEvent) {
    guard let last = threads[event.thread]?.waits.indices.last, threads[event.thread]?.waits[last].end == nil else {
      return
    }
    threads[event.thread]?.waits[last].end = time.at(event.time)
    if event.hasTimedOut { threads[event.thread]?.waits[last].hasTimedOut = true }
  }

  // MARK: The lanes

  /// Returns the lanes of the threads that were active, in the order in which they are shown, and the accounts of their
  /// running times. Threads of a trial that were not active during the body belong to the lab. These threads run, if at
  /// all, when the process is killed. All threads of a program belong to the program.
  func lanes(_ record: TraceRecord, ran: (Int) -> Bool) -> (lanes: [Trace.Lane], accounts: [Trace.Account]) {
    let last = isProgram ? time.length : time.at(record.events.last?.time ?? 0)
    var lanes: [(lane: Trace.Lane, thread: Thread)] = []
    for (number, thread) in threads {
      let runs = runs(of: thread)
      guard thread.isCaller || !thread.waits.isEmpty || ran(number) || runs.contains(where: { $0.begin < last })
      else { continue }
      let kind = kind(of: thread, isFirst: number == record.process)
      let end = thread.end.flatMap { $0 < time.length ? $0 : nil }
      lanes.append(
        (
          Trace.Lane(
            thread: number, name: "", kind: kind, begin: thread.begin ?? 0, end: end, runs: runs, waits: thread.waits),
          thread
        ))
    }
    let ranks = Dictionary(uniqueKeysWithValues: Trace.Lane.Kind.allCases.enumerated().map { ($1, $0) })
    lanes.sort { left, right in
      let (leftRank, rightRank) = (ranks[left.lane.kind] ?? 0, ranks[right.lane.kind] ?? 0)
      return (leftRank, left.lane.begin, left.lane.thread) < (rightRank, right.lane.begin, right.lane.thread)
    }
    var counts: [Trace.Lane.Kind: Int] = [:]
    for index in lanes.indices {
      let kind = lanes[index].lane.kind
      counts[kind, default: 0] += 1
      lanes[index].lane.name =
        switch kind {
        case .caller: "caller"
        case .main: "main"
        case .manager: "events"
        case .pool: "pool \(counts[kind, default: 0])"
        case .own: "thread \(counts[kind, default: 0])"
        }
    }
    let accounts = record.obstacle == nil ? lanes.indices.compactMap { account(of: lanes[$0].thread, in: $0) } : []
    return (lanes.map(\.lane), accounts)
  }

  private func kind(of thread: Thread, isFirst: Bool) -> Trace.Lane.Kind {
    if thread.isCaller { return .caller }
    if isFirst { return .main }
    if thread.name == "manager" { return .manager }
    return thread.name == "pool" ? .pool : .own
  }

  /// Returns the intervals in which a thread ran during the period of the trace.
  private func runs(of thread: Thread) -> [Trace.RunInterval] {
    thread.ran.filter { $0.end > time.start && $0.begin < time.end }.map { interval in
      Trace.RunInterval(
        begin: time.at(interval.begin), end: time.at(interval.end), core: interval.core,
        isPreempted: interval.isPreempted && interval.end <= time.end)
    }
  }

  /// Returns the running time of a thread from both sources. Returns nil if the system did not report the time, or if
  /// the thread is not the caller and was running at the time of a report. The system reports the time of a running
  /// thread only up to the last tick.
  private func account(of thread: Thread, in lane: Int) -> Trace.Account? {
    guard let last = thread.reported.last, last.at > time.start else { return nil }
    let first = thread.reported.first.flatMap { $0.at < time.start ? $0 : nil } ?? (at: 0, ran: 0)
    for moment in [first.at, last.at] where !thread.isCaller {
      if thread.ran.contains(where: { $0.begin <= moment && moment <= $0.end }) { return nil }
    }
    let recorded = thread.ran.reduce(UInt64(0)) { sum, interval in
      let (begin, end) = (max(interval.begin, first.at), min(interval.end, last.at))
      return sum + (end > begin ? end - begin : 0)
    }
    return Trace.Account(lane: lane, reported: last.ran > first.ran ? last.ran - first.ran : 0, recorded: recorded)
  }
}
