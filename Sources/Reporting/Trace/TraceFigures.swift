import Laboratory
import Measurement

/// The figures of a trace. A figure is nil if it cannot be determined from the record.
public struct TraceFigures: Sendable {
  /// The number of blocks that were submitted.
  public let blocks: Int
  /// The median delay of a block (``Trace/Block/delay``), in nanoseconds; nil if no block has a delay.
  public let medianDelay: UInt64?
  /// The longest delay of a block, in nanoseconds; nil if no block has a delay.
  public let worstDelay: UInt64?
  /// The number of blocks that could have begun, and had not begun at the end of the record. The delays do not include
  /// these blocks.
  public let notBegun: Int
  /// The longest time for which one of these blocks had waited at the end of the record, in nanoseconds; nil if there
  /// are no such blocks.
  public let longestUnbegun: UInt64?
  /// The maximum number of blocks in progress at the same time.
  public let mostAtOnce: Int
  /// The share of the time of all cores in which threads of the trial ran, from 0 to 1; nil if the record lacks events
  /// of the scheduler, or if the cores are unknown.
  public let busy: Double?
  /// The number of active threads (``Trace/isActive(_:)``).
  public let threads: Int
  /// The number of times that a thread stopped running on its core; nil if the record lacks events of the scheduler.
  public let switches: Int?
  /// The number of times that a thread was preempted; nil if the record lacks events of the scheduler.
  public let preemptions: Int?
  /// The longest wait of the caller or of a block, with its duration; nil if there is no such wait.
  public let longestWait: TraceFinding.WorkWait?

  /// Creates the figures of a trace.
  public init(_ trace: Trace) {
    let delays = trace.blocks.compactMap(\.delay).sorted()
    blocks = trace.blocks.count
    medianDelay = delays.isEmpty ? nil : delays[delays.count / 2]
    worstDelay = delays.last
    let unbegun = trace.blocks.filter(\.waitsToBegin)
    notBegun = unbegun.count
    longestUnbegun = unbegun.compactMap(\.ready).map { trace.length - min($0, trace.length) }.max()
    mostAtOnce = trace.mostInProgress ?? 0
    threads = trace.lanes.count(where: trace.isActive)
    let ran = trace.lanes.map { lane in lane.runs.reduce(UInt64(0)) { $0 + ($1.end - $1.begin) } }
    let knows = trace.knowsRunning && !trace.gaps.contains { $0.record == .scheduler }
    busy =
      knows && !trace.cores.isEmpty
      ? Double(ran.reduce(0, +)) / Double(trace.length) / Double(trace.cores.count) : nil
    switches = knows ? trace.lanes.reduce(0) { $0 + $1.runs.count { $0.end < trace.length } } : nil
    preemptions = knows ? trace.lanes.reduce(0) { $0 + $1.runs.count(where: \.isPreempted) } : nil
    longestWait = trace.longestWait
  }
}

extension TraceFigures {
  /// Returns the figures as short texts, such as `8 blocks` and `cores busy 97 %`.
  func pieces(_ trace: Trace) -> [String] {
    // Without a record of the calls, the number of blocks is unknown.
    var pieces = ["\(Self.text(trace.length)) in all"] + (trace.knowsCalls ? [blocks.counted("block")] : [])
    // A median over the blocks of several queues describes none of the queues, and the table has their medians.
    let isOneQueue = Set(trace.blocks.filter { $0.delay != nil }.map(\.queue)).count == 1
    let subject = notBegun > 0 ? "a block that began" : "a block"
    if let medianDelay, let worstDelay, isOneQueue {
      pieces.append("\(subject) waited \(Self.text(medianDelay)) to begin (median), \(Self.text(worstDelay)) (worst)")
    } else if let worstDelay {
      pieces.append("\(subject) waited up to \(Self.text(worstDelay)) to begin")
    }
    if notBegun > 0 {
      pieces.append(
        "\(notBegun.counted("block")) not begun at the end"
          + (longestUnbegun.map { ", after up to \(Self.text($0))" } ?? ""))
    }
    pieces.append(threads.counted("active thread"))
    if let busy { pieces.append("cores busy \(Self.percent(busy))") }
    if let switches, let preemptions {
      pieces.append("\(switches.counted("switch", "switches")), \(preemptions) of them preemptions")
    }
    if let longestWait {
      pieces.append(
        "longest wait \(Self.text(longestWait.time)): \(trace.lanes[longestWait.lane].name) \(trace.text(of: longestWait.wait))"
      )
    }
    return pieces
  }

  static func text(_ nanoseconds: UInt64) -> String { Quantity(Double(nanoseconds), .nanoseconds).description }
  static func percent(_ share: Double) -> String { "\(Quantity.number((share * 100).rounded())) %" }
}

extension Trace {
  /// Returns whether a lane ended before any block was submitted. The lab starts such threads only to verify that
  /// threads can be started.
  func isPreparation(_ lane: Lane) -> Bool { lane.end.map { $0 <= opening } ?? false }

  /// Whether the trace contains blocks that the manager thread of Dispatch starts: event handlers or delayed blocks.
  var hasEvents: Bool { blocks.contains { $0.kind == .handler || $0.kind == .after } }

  /// Returns whether a lane takes part in the trial. Pictures draw these lanes only, and figures count them only. The
  /// manager thread waits for events, and takes part only if there are events.
  func isActive(_ lane: Lane) -> Bool { !isPreparation(lane) && (lane.kind != .manager || hasEvents) }

  /// Returns the reason for a wait, as the end of a sentence: `for the group`.
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

  /// Returns the name of a block, which consists of its number and the label of its queue.
  func name(of block: Block) -> String { "block \(block.number) of \(queues[block.queue].label.inLine)" }
}
