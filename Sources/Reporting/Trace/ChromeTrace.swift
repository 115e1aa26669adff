import Laboratory

/// An export of traces as Chrome trace events (JSON), which Perfetto, speedscope and chrome://tracing can open.
///
/// Each trace is a process, and each lane is a thread with a slice for its lifetime. The slice contains the lane's
/// blocks and waits, and a separate track contains the cores on which the lane ran. Flow events connect the submission
/// of a block to its start. The busy cores, the backlog and the number of threads are counters. Slices that had not
/// ended, gaps in the record and missing records are marked.
public enum ChromeTrace {
  /// Returns the JSON of some traces, with a process for each trace.
  public static func render(_ traces: [Trace]) -> String {
    var writer = Writer()
    for trace in traces { writer.write(trace) }
    return writer.text
      + "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"tool\": \(Writer.quoted("\(Tool.name) \(Tool.version)"))}}\n"
  }

  private struct Writer {
    /// The maximum number of steps of a counter. Further steps are combined, since a screen cannot show them and they
    /// would double the size of the file.
    private static let mostSteps = 4000
    var text = "{\"traceEvents\": ["
    private var isFirst = true
    /// The last number that was assigned to a process, a thread or a flow. Numbers are unique.
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

    /// Writes the lifetime, the waits and the cores of a lane, and returns the number of the lane's track.
    private mutating func write(_ lane: Trace.Lane, of trace: Trace) -> Int {
      let track = number()
      metadata("thread_name", on: track, lane.name)
      // This slice contains all other slices of the lane. A flow can begin in this slice if the thread is in no block.
      span(
        Self.quoted(lane.name), "thread", on: track, lane.begin, lane.end,
        ["\"thread\": \(lane.thread)", "\"kind\": \"\(lane.kind.rawValue)\""], isOpen: false)
      for wait in lane.waits {
        span(
          Self.quoted("wait: \(Self.name(of: wait, in: trace))"), "wait", on: track, wait.begin, wait.end,
          wait.hasTimedOut == true ? ["\"timedOut\": true"] : [], calls: trace.calls(wait.stack))
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

    /// Writes the gaps of each record, and the reason if a record is missing, to a separate track. The track
    /// distinguishes a gap from an idle thread.
    private mutating func unknown(_ trace: Trace) {
      let gaps = Dictionary(grouping: trace.gaps) { $0.record }
      for record in [Trace.Gap.Recording.calls, .scheduler] {
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

    /// Writes a slice, a complete event (`ph: X`). A slice without an end extends to the end of the record, and is
    /// marked as not ended unless `isOpen` is false.
    private mutating func span(
      _ name: String, _ category: String, on track: Int, _ begin: UInt64, _ end: UInt64?, _ arguments: [String] = [],
      calls: [String] = [], isOpen: Bool = true
    ) {
      var arguments = end == nil && isOpen ? ["\"ended\": \"not by the end of the record\""] : arguments
      if !calls.isEmpty { arguments.append("\"calls\": \(Self.quoted(calls.joined(separator: " < ")))") }
      let rest = arguments.isEmpty ? "" : ", \"args\": {\(arguments.joined(separator: ", "))}"
      event("X", name, category, on: track, begin, ", \"dur\": \(Self.microseconds((end ?? length) - begin))" + rest)
    }

    private mutating func counter(_ name: String, _ steps: StepFunction) {
      // A counter keeps its value until its next event, so a counter requires an event at the beginning and at the end
      // of the trace.
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

    /// Writes an event.
    ///
    /// - Parameter name: the name as a JSON string.
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

    /// Returns nanoseconds as microseconds without rounding: `1234.5`.
    static func microseconds(_ nanoseconds: UInt64) -> String {
      let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
      return rest == 0 ? "\(whole)" : "\(whole)." + "\(1000 + rest)".dropFirst()
    }

    /// Returns text as a JSON string. Invisible characters are escaped.
    static func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case _ where scalar.isHidden: quoted += scalar.inJSON
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }
  }
}

extension Trace.Gap.Recording {
  /// The content of the record, in words.
  var says: String {
    switch self {
    case .calls: "blocks and waits"
    case .scheduler: "which thread ran where"
    }
  }
}
