import Measurement

/// A rule that every trace must follow. If a trace breaks a rule, either the record or Dispatch is wrong.
public enum TraceRule: String, Sendable, CaseIterable {
  /// No block begins before its submission.
  case submittedFirst = "no block begins before it was submitted"
  /// No two blocks of a serial queue, or jobs of an actor, overlap.
  case serial = "no two blocks of a serial queue overlap"
  /// No block overlaps a barrier of its queue.
  case barrier = "no block overlaps a barrier of its queue"
  /// No thread is in two places at once: no thread runs on two cores, and the waits of a thread do not overlap.
  case onePlace = "no thread is in two places at once"
  /// No core runs two threads at once.
  case oneThread = "no core runs two threads at once"
  /// Running times agree with the times that the system reports. The tolerance is the sum of 10 % of the reported time,
  /// 1 ms, 10 us for each switch, and, if the recorded time is longer, the time that the hypervisor can have taken.
  case accounts = "running times agree with those of the system"
  /// All blocks and waits that the caller of a completed trial began have ended.
  case closed = "everything that the caller began has ended when the caller has"
  /// No event was lost.
  case lossless = "no event was lost"

  /// The result of checking a trace against a rule.
  public enum Compliance: Sendable, Equatable {
    /// The trace follows the rule.
    case kept
    /// The trace breaks the rule at the described place.
    case broken(String)
    /// The trace contains no data that the rule applies to.
    case notJudged
  }

  /// Returns whether a trace follows the rule.
  public func compliance(of trace: Trace) -> Compliance {
    switch self {
    case .submittedFirst: Self.submittedFirst(trace)
    case .serial: Self.serial(trace)
    case .barrier: Self.barrier(trace)
    case .onePlace: Self.onePlace(trace)
    case .oneThread: Self.oneThread(trace)
    case .accounts: Self.accounts(trace)
    case .closed: Self.closed(trace)
    case .lossless: Self.lossless(trace)
    }
  }

  private static func name(_ block: Trace.Block, _ trace: Trace) -> String {
    "block \(block.number) of \(trace.queues[block.queue].label)"
  }

  private static func submittedFirst(_ trace: Trace) -> Compliance {
    let judged = trace.blocks.filter { $0.submitted != nil && $0.begin != nil }
    guard !judged.isEmpty else { return .notJudged }
    return judged.first { ($0.begin ?? 0) < ($0.submitted ?? 0) }.map { .broken(name($0, trace)) } ?? .kept
  }

  /// Returns, for each queue, the blocks that have begun, in the order in which the blocks began.
  private static func ran(_ trace: Trace) -> [Int: [Trace.Block]] {
    Dictionary(
      grouping: trace.blocks.filter { $0.begin != nil }.sorted { ($0.begin ?? 0) < ($1.begin ?? 0) }, by: \.queue)
  }

  private static func overlap(_ earlier: Trace.Block, _ later: Trace.Block, _ trace: Trace) -> Bool {
    // A block that begins while another block runs on the same thread was called by the other block, for example with
    // `apply` inside a block of the same queue as the loop.
    (earlier.end ?? trace.length) > (later.begin ?? 0) && earlier.lane != later.lane
  }

  private static func serial(_ trace: Trace) -> Compliance {
    var isJudged = false
    for (queue, blocks) in ran(trace) where trace.queues[queue].isSerial && blocks.count > 1 {
      isJudged = true
      var last = blocks[0]
      for block in blocks.dropFirst() {
        if overlap(last, block, trace) { return .broken("\(name(last, trace)) and \(block.number)") }
        if (block.end ?? trace.length) >= (last.end ?? trace.length) { last = block }
      }
    }
    return isJudged ? .kept : .notJudged
  }

  private static func barrier(_ trace: Trace) -> Compliance {
    var isJudged = false
    // Barriers have no effect on a global queue, as documented.
    for (queue, blocks) in ran(trace)
    where trace.queues[queue].kind == .concurrent && blocks.contains(where: \.isBarrier) {
      isJudged = true
      var last = blocks[0]
      var lastBarrier: Trace.Block?
      for block in blocks.dropFirst() {
        if last.isBarrier { lastBarrier = last }
        if block.isBarrier, overlap(last, block, trace) {
          return .broken("\(name(last, trace)) and barrier \(block.number)")
        }
        if let lastBarrier, overlap(lastBarrier, block, trace) {
          return .broken("barrier \(name(lastBarrier, trace)) and \(block.number)")
        }
        if (block.end ?? trace.length) >= (last.end ?? trace.length) { last = block }
      }
    }
    return isJudged ? .kept : .notJudged
  }

  private static func onePlace(_ trace: Trace) -> Compliance {
    guard trace.lanes.contains(where: { $0.runs.count > 1 || $0.waits.count > 1 }) else { return .notJudged }
    for lane in trace.lanes {
      for (run, next) in zip(lane.runs, lane.runs.dropFirst()) where run.end > next.begin {
        return .broken("\(lane.name), which runs twice")
      }
      for (wait, next) in zip(lane.waits, lane.waits.dropFirst()) where (wait.end ?? trace.length) > next.begin {
        return .broken("\(lane.name), which waits twice")
      }
    }
    return .kept
  }

  private static func oneThread(_ trace: Trace) -> Compliance {
    let runs = Dictionary(grouping: trace.lanes.flatMap(\.runs).sorted { $0.begin < $1.begin }, by: \.core)
    guard !runs.isEmpty else { return .notJudged }
    for (core, runs) in runs {
      for (run, next) in zip(runs, runs.dropFirst()) where run.end > next.begin { return .broken("core \(core)") }
    }
    return .kept
  }

  /// The tolerance for the difference between the reported and the recorded running time: the sum of a share of the
  /// reported time, a fixed time, and a time for each switch. The times are in nanoseconds. The system's time includes
  /// the cost of a switch and of a thread's end, and the record's time does not. The record's time includes interrupts
  /// and the time that the hypervisor took (``Trace/stolenAtMost``), and the system's time does not.
  private static let tolerance = (share: 0.1, atMost: 1_000_000.0, ofSwitch: 10_000.0)

  /// Checks the total time of all threads, since the time of a thread that hardly ran is counted in ticks and rounded.
  private static func accounts(_ trace: Trace) -> Compliance {
    let reported = trace.accounts.reduce(0.0) { $0 + Double($1.reported) }
    let recorded = trace.accounts.reduce(0.0) { $0 + Double($1.recorded) }
    guard reported > 1_000_000, !trace.gaps.contains(where: { $0.record == .scheduler }) else { return .notJudged }
    let switches = Double(trace.accounts.reduce(0) { $0 + trace.lanes[$1.lane].runs.count })
    let tolerated = reported * tolerance.share + tolerance.atMost + switches * tolerance.ofSwitch
    if reported - recorded <= tolerated, recorded - reported <= tolerated + Double(trace.stolenAtMost) { return .kept }
    let (one, other) = (Quantity(reported, .nanoseconds), Quantity(recorded, .nanoseconds))
    return .broken("the system reports \(one), and the record \(other)")
  }

  private static func closed(_ trace: Trace) -> Compliance {
    guard trace.end == .completed, let caller = trace.lanes.firstIndex(where: { $0.kind == .caller }),
      !trace.gaps.contains(where: { $0.record == .calls })
    else { return .notJudged }
    if let open = trace.blocks.first(where: { $0.lane == caller && $0.begin != nil && $0.end == nil }) {
      return .broken(name(open, trace))
    }
    return trace.lanes[caller].waits.contains { $0.end == nil } ? .broken("a wait of the caller") : .kept
  }

  private static func lossless(_ trace: Trace) -> Compliance {
    guard trace.length > 0, trace.knowsCalls || trace.knowsRunning else { return .notJudged }
    let lost = trace.gaps.reduce(0) { $0 + $1.lost }
    return lost == 0 ? .kept : .broken("\(lost) events")
  }
}
