import Laboratory

/// A recorded trial of a variant, as part of a result document.
///
/// All traces of a document together contain at most ``mostSpans`` blocks, waits and runs of threads. A trace that
/// exceeds its share is cut: the document contains the beginning of the trace, the length of the whole record, and the
/// end of the trial.
struct TraceFacts: Codable, Sendable {
  let variant: String
  /// The swept settings of the trial, in the notation of labels; nil if no parameter is swept.
  let point: String?
  let cores: [Int]
  /// The length of the record in the document, in nanoseconds.
  let length: Instant
  /// The length of the whole record, in nanoseconds; nil if the document contains the whole record.
  let whole: Instant?
  /// The number of blocks that were submitted within `length` and began later; nil if there are no such blocks. The
  /// document does not contain these blocks.
  let later: Int?
  /// The way in which the trial ended: the name of an outcome, or a reason as text.
  let end: String
  let signal: Int?
  let queues: [Trace.Queue]
  let lanes: [LaneFacts]
  let blocks: [BlockFacts]
  let gaps: [GapFacts]
  let missing: [Trace.Missing]

  /// A thread. A run of the thread is encoded as `[begin, end, core]`, followed by 1 if the thread was preempted.
  struct LaneFacts: Codable, Sendable {
    let thread: Int
    let name: String
    let kind: Trace.Lane.Kind
    let begin: Instant
    let end: Instant?
    let runs: [[Instant]]
    let waits: [WaitFacts]
  }

  struct WaitFacts: Codable, Sendable {
    let begin: Instant
    let end: Instant?
    let reason: Trace.Wait.Reason
    let queue: Int?
  }

  /// A period in which the record is incomplete.
  struct GapFacts: Codable, Sendable {
    let record: Trace.Gap.Recording
    let begin: Instant
    let end: Instant
    let lost: Int
  }

  /// A time in nanoseconds since the start of the trial's body. Decoding a negative time throws an error with the path
  /// of the value. Decoding an unsigned number would throw an error without the path.
  struct Instant: Codable, Sendable {
    let time: UInt64

    init(_ time: UInt64) { self.time = time }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let number = try container.decode(Int64.self)
      guard let time = UInt64(exactly: number) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "found \(number), expected 0 or more")
      }
      self.time = time
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(time)
    }
  }

  /// A block of a recorded trial. A property that does not apply to the block is nil.
  struct BlockFacts: Codable, Sendable {
    let kind: Trace.Block.Kind
    let barrier: Bool?
    let queue: Int
    let number: Int
    let submitted: Instant?
    let submitter: Int?
    let due: Instant?
    let lane: Int?
    let begin: Instant?
    let end: Instant?
  }

  /// The maximum number of blocks, waits and runs in all traces of a document together. Each of these takes about 100
  /// bytes of JSON.
  static let mostSpans = 10_000

  /// Returns the traces for a document, each cut to an equal share of ``mostSpans``; nil if `traces` is empty.
  static func facts(_ traces: [Trace]) -> [TraceFacts]? {
    traces.isEmpty ? nil : traces.map { TraceFacts($0, atMost: mostSpans / traces.count) }
  }

  private init(_ whole: Trace, atMost most: Int) {
    let (trace, later) = whole.beginning(atMost: most)
    variant = trace.variant
    point = trace.point.isEmpty ? nil : trace.point
    cores = trace.cores
    length = Instant(trace.length)
    self.whole = trace.length < whole.length ? Instant(whole.length) : nil
    self.later = later > 0 ? later : nil
    (end, signal) =
      switch whole.end {
      case .completed: (Outcome.Kind.completed.rawValue, nil)
      case .hung: (Outcome.Kind.hung.rawValue, nil)
      case .trapped(let signal): (Outcome.Kind.trapped.rawValue, signal)
      case .other(let reason): (reason, nil)
      }
    queues = trace.queues
    lanes = trace.lanes.map { lane in
      LaneFacts(
        thread: lane.thread, name: lane.name, kind: lane.kind, begin: Instant(lane.begin),
        end: lane.end.map(Instant.init),
        runs: lane.runs.map { run in
          ([run.begin, run.end, UInt64(run.core)] + (run.isPreempted ? [1] : [])).map(Instant.init)
        },
        waits: lane.waits.map { wait in
          WaitFacts(
            begin: Instant(wait.begin), end: wait.end.map(Instant.init), reason: wait.reason, queue: wait.queue)
        })
    }
    blocks = trace.blocks.map { block in
      BlockFacts(
        kind: block.kind, barrier: block.isBarrier ? true : nil, queue: block.queue, number: block.number,
        submitted: block.submitted.map(Instant.init), submitter: block.submitter,
        due: block.due.map(Instant.init), lane: block.lane, begin: block.begin.map(Instant.init),
        end: block.end.map(Instant.init))
    }
    gaps = trace.gaps.map {
      GapFacts(record: $0.record, begin: Instant($0.begin), end: Instant($0.end), lost: $0.lost)
    }
    missing = trace.missing
  }

  /// The end of the trial. If the trace is cut, the trial ended after the part that the document contains.
  private var ending: Trace.End {
    switch end {
    case Outcome.Kind.completed.rawValue: .completed
    case Outcome.Kind.hung.rawValue: .hung
    default: signal.map { .trapped(signal: $0) } ?? .other(end)
    }
  }

  /// Returns the part of the trace that the document contains. The end of a part is `completed`, since findings and
  /// pictures would otherwise show the end of the part as the end of the trial.
  ///
  /// - Parameter scenario: the name of the scenario.
  func trace(of scenario: String) -> Trace {
    Trace(
      scenario: scenario, variant: variant, point: point ?? "", cores: cores, length: length.time,
      end: whole == nil ? ending : .completed,
      queues: queues,
      lanes: lanes.map { lane in
        Trace.Lane(
          thread: lane.thread, name: lane.name, kind: lane.kind, begin: lane.begin.time, end: lane.end?.time,
          runs: lane.runs.map { run in
            Trace.RunInterval(begin: run[0].time, end: run[1].time, core: Int(run[2].time), isPreempted: run.count > 3)
          },
          waits: lane.waits.map {
            Trace.Wait(begin: $0.begin.time, end: $0.end?.time, for: $0.reason, queue: $0.queue)
          })
      },
      blocks: blocks.map { block in
        var whole = Trace.Block(
          block.kind, isBarrier: block.barrier ?? false, queue: block.queue, number: block.number,
          submitted: block.submitted?.time, submitter: block.submitter, lane: block.lane, begin: block.begin?.time,
          end: block.end?.time)
        whole.due = block.due?.time
        return whole
      },
      gaps: gaps.map { Trace.Gap($0.record, begin: $0.begin.time, end: $0.end.time, lost: $0.lost) }, missing: missing)
  }
}

extension TraceFacts {
  /// A note on the part of the record that the document does not contain, with the end of the trial if the trial did
  /// not complete; nil if the document contains the whole record.
  var note: String? {
    guard let whole else { return nil }
    let text = "the first \(TraceFigures.text(length.time)) of \(TraceFigures.text(whole.time)) are kept"
    return text + (later.map { ", without \($0) blocks that were submitted by then and began later" } ?? "")
      + (ending == .completed ? "" : "; the trial ended later: \(ending.text.inLine)")
  }
}

extension Trace {
  /// Returns the beginning of the trace, with at most `most` blocks, waits and runs. A block that never began counts
  /// from its submission. `later` is the number of omitted blocks that were submitted within the beginning and began
  /// after it.
  ///
  /// A trace with at most `most` blocks, waits and runs is returned unchanged.
  func beginning(atMost most: Int) -> (trace: Trace, later: Int) {
    let begins =
      blocks.compactMap { $0.begin ?? $0.submitted } + lanes.flatMap { $0.runs.map(\.begin) + $0.waits.map(\.begin) }
    guard begins.count > most else { return (self, 0) }
    let cut = max(1, begins.sorted()[max(0, most)])
    var beginning = self
    beginning.length = cut
    beginning.end = .completed
    beginning.blocks = blocks.filter { ($0.begin ?? $0.submitted ?? 0) < cut }.map { block in
      var block = block
      if block.end.map({ $0 > cut }) ?? false { block.end = nil }
      if block.due.map({ $0 > cut }) ?? false { block.due = nil }
      return block
    }
    let later = blocks.count { $0.submitted.map { $0 < cut } ?? false && $0.begin.map { $0 >= cut } ?? false }
    // The order of the lanes is unchanged, since blocks refer to lanes by index.
    beginning.lanes = lanes.map { lane in
      var lane = lane
      lane.begin = min(lane.begin, cut)
      if lane.end.map({ $0 > cut }) ?? false { lane.end = nil }
      lane.runs = lane.runs.filter { $0.begin < cut }.map { run in
        run.end <= cut ? run : RunInterval(begin: run.begin, end: cut, core: run.core)
      }
      lane.waits = lane.waits.filter { $0.begin < cut }.map { wait in
        wait.end.map { $0 <= cut } ?? true
          ? wait : Wait(begin: wait.begin, end: nil, for: wait.reason, queue: wait.queue)
      }
      return lane
    }
    beginning.gaps = gaps.filter { $0.begin < cut }.map {
      Gap($0.record, begin: $0.begin, end: min($0.end, cut), lost: $0.lost)
    }
    beginning.accounts = []
    return (beginning, later)
  }
}
