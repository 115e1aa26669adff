import Laboratory
import Platform

/// Traces as Chrome trace events (JSON), which Perfetto, speedscope and chrome://tracing open.
///
/// A trace is a process, a lane a thread: a slice for its life, in it its blocks and waits, and beside it a track that
/// says on which core it ran. Submissions are joined to begins by flow events; cores busy, backlog and threads are
/// counters. What had not ended by the end of the record, holes in it and what it lacks say so.
public enum ChromeTrace {
  /// The events of some traces, a process each.
  public static func render(_ traces: [Trace]) -> String {
    var writer = Writer()
    for trace in traces { writer.write(trace) }
    return writer.text
      + "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"tool\": \(Writer.quoted("\(Tool.name) \(Tool.version)"))}}\n"
  }

  private struct Writer {
    /// More steps of a counter than this are folded: a screen shows no more, and they are as large as all else.
    private static let mostSteps = 4000
    var text = "{\"traceEvents\": ["
    private var isFirst = true
    /// Of processes, threads and flows: no number means two things.
    private var lastNumber = 0
    private var process = 0
    private var length: UInt64 = 0

    private mutating func number() -> Int {
      lastNumber += 1
      return lastNumber
    }

    // MARK: A trace

    mutating func write(_ trace: Trace) {
      process = number()
      length = trace.length
      metadata(
        "process_name", on: nil,
        "\(trace.scenario) \(trace.label)\(trace.end == .completed ? "" : " (\(trace.endText))")")
      let tracks = trace.lanes.map { lane in write(lane, of: trace) }
      for block in trace.blocks { write(block, of: trace, on: tracks) }
      unknown(trace)
      if trace.knowsRunning { counter("cores busy", trace.busyCores) }
      if trace.knowsCalls { counter("backlog", trace.backlog) }
      counter("threads", trace.threads)
    }

    /// A lane with its life, waits and cores; comes back as the number of its track.
    private mutating func write(_ lane: Trace.Lane, of trace: Trace) -> Int {
      let track = number()
      metadata("thread_name", on: track, lane.name)
      // A slice that holds all others: a flow can begin in it, where the thread is in no block.
      span(
        Self.quoted(lane.name), "thread", on: track, lane.begin, lane.end,
        ["\"thread\": \(lane.thread)", "\"kind\": \"\(lane.kind.rawValue)\""], isOpen: false)
      for wait in lane.waits {
        span(
          Self.quoted("wait: \(Self.name(of: wait, in: trace))"), "wait", on: track, wait.begin, wait.end,
          calls: trace.calls(wait.stack))
      }
      guard trace.knowsRunning else { return track }
      let cores = number()
      metadata("thread_name", on: cores, "\(lane.name): runs on")
      for run in lane.runs {
        span(
          "\"core \(run.core)\"", "core", on: cores, run.begin, run.end,
          run.isPreempted ? ["\"preempted\": true"] : [])
      }
      return track
    }

    private mutating func write(_ block: Trace.Block, of trace: Trace, on tracks: [Int]) {
      let name = Self.quoted(Self.name(of: block, in: trace))
      if let lane = block.lane, let begin = block.begin {
        span(
          name, block.kind.rawValue, on: tracks[lane], begin, block.end,
          block.isBarrier ? ["\"barrier\": true"] : [], calls: trace.calls(block.stack))
      }
      guard let submitted = block.submitted, let submitter = block.submitter else { return }
      let flow = number()
      guard let lane = block.lane, let begin = block.begin else {
        let says = Self.quoted("never began: \(Self.name(of: block, in: trace))")
        return event("i", says, "submission", on: tracks[submitter], submitted, ", \"s\": \"t\"")
      }
      event("s", "\"submission\"", "submission", on: tracks[submitter], submitted, ", \"id\": \(flow)")
      event("f", "\"submission\"", "submission", on: tracks[lane], begin, ", \"id\": \(flow), \"bp\": \"e\"")
    }

    /// What is not known, on a track of its own: nothing must be taken for rest that was not recorded.
    private mutating func unknown(_ trace: Trace) {
      let gaps = Dictionary(grouping: trace.gaps) { $0.record }
      for record in [Trace.Gap.Record.calls, .scheduler] {
        let says = trace.missing.filter { $0.record == record }.map(\.why)
        guard !says.isEmpty || gaps[record] != nil else { continue }
        let track = number()
        metadata("thread_name", on: track, "not known: \(record.says)")
        for why in says { span(Self.quoted(why), "unknown", on: track, 0, length) }
        for gap in gaps[record] ?? [] {
          span("\"\(gap.lost) events lost\"", "unknown", on: track, gap.begin, gap.end)
        }
      }
    }

    // MARK: Events

    /// A slice; one without an end lasts up to the end of the record, and says so.
    private mutating func span(
      _ name: String, _ category: String, on track: Int, _ begin: UInt64, _ end: UInt64?, _ arguments: [String] = [],
      calls: [String] = [], isOpen: Bool = true
    ) {
      var arguments = end == nil && isOpen ? ["\"ended\": \"not by the end of the record\""] : arguments
      if !calls.isEmpty { arguments.append("\"calls\": \(Self.quoted(calls.joined(separator: " < ")))") }
      let rest = arguments.isEmpty ? "" : ", \"args\": {\(arguments.joined(separator: ", "))}"
      event("X", name, category, on: track, begin, ", \"dur\": \(Self.microseconds((end ?? length) - begin))" + rest)
    }

    private mutating func counter(_ name: String, _ steps: Steps) {
      // A series goes on as it was up to its next event: it begins and ends with the trace.
      let points = steps.folded(to: Self.mostSteps, end: length)
      let first = points.first?.time == 0 ? [] : [(time: UInt64(0), count: 0)]
      let last = steps.points.last.map { $0.time < length ? [(time: length, count: $0.count)] : [] } ?? []
      for point in first + points + last {
        event("C", "\"\(name)\"", "counter", on: nil, point.time, ", \"args\": {\"count\": \(point.count)}")
      }
    }

    private mutating func metadata(_ what: String, on track: Int?, _ name: String) {
      event("M", "\"\(what)\"", "__metadata", on: track, 0, ", \"args\": {\"name\": \(Self.quoted(name))}")
      guard let track else { return }
      event("M", "\"thread_sort_index\"", "__metadata", on: track, 0, ", \"args\": {\"sort_index\": \(track)}")
    }

    /// - Parameter name: JSON already.
    private mutating func event(
      _ phase: String, _ name: String, _ category: String, on track: Int?, _ time: UInt64, _ rest: String
    ) {
      text += isFirst ? "\n" : ",\n"
      isFirst = false
      text += "{\"ph\": \"\(phase)\", \"name\": \(name), \"cat\": \"\(category)\", \"pid\": \(process), "
      if let track { text += "\"tid\": \(track), " }
      text += "\"ts\": \(Self.microseconds(time))\(rest)}"
    }

    private static func name(of block: Trace.Block, in trace: Trace) -> String {
      "\(trace.queues[block.queue].label) \(block.number)"
    }

    private static func name(of wait: Trace.Wait, in trace: Trace) -> String {
      wait.reason.rawValue + (wait.queue.map { " \(trace.queues[$0].label)" } ?? "")
    }

    /// Nanoseconds in microseconds, exactly: `1234.5`.
    static func microseconds(_ nanoseconds: UInt64) -> String {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
      return rest == 0 ? "\(whole)" : "\(whole)." + "\(1000 + rest)".dropFirst()
    }

    /// Text as JSON has it; what is no visible character is escaped.
    static func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case _ where scalar.isHidden:
          let digits = String(scalar.value, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }
  }
}

extension Trace.Gap.Record {
  /// What it tells.
  var says: String {
    switch self {
    case .calls: "blocks and waits"
    case .scheduler: "who ran where"
    }
  }
}
