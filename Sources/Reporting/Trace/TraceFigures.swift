import Laboratory
import Measurement

/// What a trace comes to in figures. One that cannot be known is nil.
public struct TraceFigures: Sendable {
  /// How many blocks were submitted.
  public let blocks: Int
  /// From submission to begin, in nanoseconds: the median.
  public let medianDelay: UInt64?
  /// The longest.
  public let worstDelay: UInt64?
  /// How many blocks were begun and not ended at once, at most.
  public let mostAtOnce: Int
  /// The share of the time of all cores that the trial's threads ran.
  public let busy: Double?
  /// How many threads did something.
  public let threads: Int
  /// How often a thread left its core.
  public let switches: Int?
  /// How often it could have gone on.
  public let preemptions: Int?
  /// The longest wait, but for a pool's thread without work and for events: which lane's, and which of its.
  public let longestWait: (lane: Int, wait: Trace.Wait)?
  /// The length of ``longestWait``.
  public let longestWaitTime: UInt64?
  /// The share of core time used by the busiest thread.
  public let busiest: (lane: Int, share: Double)?

  /// The figures of a trace.
  public init(_ trace: Trace) {
    let delays = trace.blocks.filter(\.isInBacklog).compactMap { block -> UInt64? in
      guard let submitted = block.submitted, let begin = block.begin else { return nil }
      return begin >= submitted ? begin - submitted : 0
    }.sorted()
    blocks = trace.blocks.count
    medianDelay = delays.isEmpty ? nil : delays[delays.count / 2]
    worstDelay = delays.last
    var edges = trace.blocks.flatMap { block -> [(UInt64, Int)] in
      guard let begin = block.begin else { return [] }
      return [(begin, 1), (block.end ?? trace.length + 1, -1)]
    }
    edges.sort { $0 < $1 }
    var (now, most) = (0, 0)
    for edge in edges {
      now += edge.1
      most = max(most, now)
    }
    mostAtOnce = most
    threads = trace.lanes.count { !trace.isPreparation($0) }
    let ran = trace.lanes.map { lane in lane.runs.reduce(UInt64(0)) { $0 + ($1.end - $1.begin) } }
    let knows = trace.knowsRunning && !trace.gaps.contains { $0.record == .scheduler }
    busy =
      knows && !trace.cores.isEmpty
      ? Double(ran.reduce(0, +)) / Double(trace.length) / Double(trace.cores.count) : nil
    busiest =
      knows
      ? ran.enumerated().max { $0.element < $1.element }.map { ($0.offset, Double($0.element) / Double(trace.length)) }
      : nil
    switches = knows ? trace.lanes.reduce(0) { $0 + $1.runs.count { $0.end < trace.length } } : nil
    preemptions = knows ? trace.lanes.reduce(0) { $0 + $1.runs.count(where: \.isPreempted) } : nil
    let waits = trace.lanes.enumerated().filter { $0.element.kind != .manager }.flatMap { lane in
      lane.element.waits.filter { $0.reason != .work }.map { (lane: lane.offset, wait: $0) }
    }
    func time(_ wait: Trace.Wait) -> UInt64 { (wait.end ?? trace.length) - wait.begin }
    longestWait = waits.max { time($0.wait) < time($1.wait) }
    longestWaitTime = longestWait.map { time($0.wait) }
  }
}

extension TraceFigures {
  /// The figures as a list of short pieces: `8 blocks begun after 12 us, worst 3.4 ms`.
  func pieces(_ trace: Trace) -> [String] {
    var pieces = ["\(Self.text(trace.length)) in all", Self.count(blocks, "block")]
    if let medianDelay, let worstDelay {
      pieces.append("from submission to begin \(Self.text(medianDelay)) (median), \(Self.text(worstDelay)) (worst)")
    }
    pieces.append(Self.count(threads, "active thread"))
    if let busy { pieces.append("cores busy \(Self.percent(busy))") }
    if let switches, let preemptions {
      pieces.append("\(Self.count(switches, "switch", "switches")), \(preemptions) of them preemptions")
    }
    if let longestWait, let longestWaitTime {
      pieces.append(
        "longest wait \(Self.text(longestWaitTime)): \(trace.lanes[longestWait.lane].name) \(trace.text(of: longestWait.wait))"
      )
    }
    return pieces
  }

  static func text(_ nanoseconds: UInt64) -> String { Quantity(Double(nanoseconds), .nanoseconds).description }
  static func percent(_ share: Double) -> String { "\(Quantity.number((share * 100).rounded())) %" }
  static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }

  /// What one sees, as far as the figures bear it out: one sentence.
  func sentence(_ trace: Trace) -> String? {
    let stuck = trace.lanes.filter { lane in
      lane.kind != .manager && lane.waits.contains { $0.end == nil && $0.reason != .work && $0.reason != .descriptor }
    }
    func waiting(_ lane: Trace.Lane) -> String {
      lane.waits.last { $0.end == nil }.map { "\(lane.name) waits \(trace.text(of: $0))" } ?? lane.name
    }
    switch trace.end {
    case .hung:
      guard !stuck.isEmpty else { return "No thread runs any more, and none ever will." }
      let others = stuck.count > 3 ? " and \(stuck.count - 3) more threads wait" : ""
      return "At the end no thread can go on: \(stuck.prefix(3).map(waiting).joined(separator: ", "))\(others)."
    case .trapped(let signal):
      let place = trace.blocks.last { $0.begin != nil && $0.end == nil }.map { block in
        " inside \(trace.name(of: block))" + (block.lane.map { " on \(trace.lanes[$0].name)" } ?? "")
      }
      return "\(SignalName.name("\(signal)", on: "Linux")) ended it\(place ?? "") after \(Self.text(trace.length))."
    case .other(let reason): return "The trial came to nothing: \(reason)."
    case .completed: break
    }
    let cores = trace.cores.count
    if mostAtOnce >= 4 * cores, threads >= 4 * cores {
      return
        "\(threads) threads for \(Self.count(cores, "core")): up to \(mostAtOnce) blocks were in progress at once."
    }
    if let busy, cores > 1, let busiest, busy * Double(cores) > 0.7, busy * Double(cores) < 1.25, busiest.share > 0.7 {
      return "\(trace.lanes[busiest.lane].name) did nearly all of the work: "
        + "of \(cores) cores \(Quantity.number((busy * Double(cores) * 10).rounded() / 10)) were busy on average."
    }
    if let longestWait, let longestWaitTime, Double(longestWaitTime) > 0.5 * Double(trace.length) {
      return
        "\(trace.lanes[longestWait.lane].name) spends \(Self.percent(Double(longestWaitTime) / Double(trace.length))) "
        + "of the time waiting \(trace.text(of: longestWait.wait))."
    }
    if mostAtOnce > 1 {
      let used = busy.map { ", cores were busy for \(Self.percent($0)) of their time" } ?? ""
      return "Up to \(mostAtOnce) blocks were in progress at once\(used)."
    }
    return blocks > 1 ? "One block after the other: no two were under way at once." : nil
  }
}

extension Trace {
  /// From when on blocks were submitted; 0 where none was.
  public var opening: UInt64 { blocks.compactMap(\.submitted).min() ?? 0 }

  /// Whether a lane ended before any block was submitted: one of those that only see whether there is room for them.
  func isPreparation(_ lane: Lane) -> Bool { lane.end.map { $0 <= opening } ?? false }

  /// What a wait is for, as the end of a sentence: `for the group`.
  func text(of wait: Wait) -> String {
    let queue = wait.queue.map { queues[$0].label.inLine }
    return switch wait.reason {
    case .group: "for the group"
    case .semaphore: "for a semaphore"
    case .sync: queue.map { "in sync on \($0)" } ?? "in sync"
    case .apply: "for the loop's other threads"
    case .once: "for another thread's once"
    case .lock: "for a lock"
    case .condition: "for a condition"
    case .join: "for a thread to end"
    case .sleep: "in a sleep"
    case .descriptor: "for a descriptor"
    case .work: "for work"
    }
  }

  /// What a block is called: by its queue and its number there.
  func name(of block: Block) -> String { "block \(block.number) of \(queues[block.queue].label.inLine)" }
}
