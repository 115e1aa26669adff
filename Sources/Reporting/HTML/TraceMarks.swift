import Laboratory

/// The time span of an element that is drawn in a row. `index` is the index of the element in its array.
struct Span {
  var begin: UInt64
  var end: UInt64
  var index: Int

  var length: UInt64 { end - begin }
}

/// A mark in a row of a picture: one span that is wide enough to be visible, or several adjacent spans that are too
/// narrow to be visible individually.
enum Mark {
  case one(Span)
  case several([Span])

  /// Returns the marks for the spans of a row. The spans must be in order and must not overlap. Adjacent spans shorter
  /// than `least` are combined if the time between them is shorter than `least`, too.
  static func marks(of spans: [Span], least: UInt64) -> [Mark] {
    var marks: [Mark] = []
    var few: [Span] = []
    func flush() {
      if few.count == 1 { marks.append(.one(few[0])) } else if few.count > 1 { marks.append(.several(few)) }
      few = []
    }
    for span in spans {
      if let last = few.last, span.begin - min(last.end, span.begin) >= least { flush() }
      if span.length < least {
        few.append(span)
      } else {
        flush()
        marks.append(.one(span))
      }
    }
    flush()
    return marks
  }
}

/// The marks for some lanes of a trace. If there are too many marks, adjacent narrow marks are combined further.
struct TraceMarks {
  /// The marks of a lane, row by row.
  struct Lane {
    /// The time spans in which the thread ran.
    var runs: [Mark]
    /// The time spans from a preemption of the thread until the thread ran again or ended.
    var preempted: [Mark]
    /// The blocks, in an array for each level of nesting. A block that ran within another block is one level deeper.
    var blocks: [[Mark]]
    /// The waits of the thread, except waits of a pool thread for work.
    var waits: [Mark]
    /// The times at which the thread submitted blocks.
    var submissions: [Mark]
  }
  let lanes: [Lane]

  /// Creates the marks for some lanes of a trace.
  ///
  /// - Parameters:
  ///   - shown: the indices of the lanes.
  ///   - scale: the time that the width of the picture represents, in nanoseconds.
  ///   - most: the number of marks above which narrow marks are combined further.
  init(_ trace: Trace, lanes shown: [Int], scale: UInt64, atMost most: Int) {
    let rows = shown.map { Rows(trace, lane: $0) }
    // Screens cannot show narrower marks.
    var least = max(1, scale / 1000)
    var lanes = rows.map { $0.marks(least) }
    while lanes.reduce(0, { $0 + $1.count }) > most, least < scale {
      least *= 2
      lanes = rows.map { $0.marks(least) }
    }
    self.lanes = lanes
  }

  private struct Rows {
    var runs: [Span] = []
    var preempted: [Span] = []
    var blocks: [[Span]] = []
    var waits: [Span] = []
    var submissions: [Span] = []

    init(_ trace: Trace, lane index: Int) {
      let lane = trace.lanes[index]
      runs = lane.runs.enumerated().map { Span(begin: $1.begin, end: $1.end, index: $0) }
      for (number, run) in lane.runs.enumerated() where run.isPreempted {
        let next = number + 1 < lane.runs.count ? lane.runs[number + 1].begin : lane.end ?? trace.length
        if next > run.end { preempted.append(Span(begin: run.end, end: next, index: number)) }
      }
      waits = lane.waits.enumerated().filter { $1.reason != .work }
        .map { Span(begin: $1.begin, end: $1.end ?? trace.length, index: $0) }
      var all: [Span] = []
      for (number, block) in trace.blocks.enumerated() {
        if block.lane == index, let begin = block.begin {
          all.append(Span(begin: begin, end: max(begin, block.end ?? trace.length), index: number))
        }
        if block.submitter == index, let submitted = block.submitted {
          submissions.append(Span(begin: submitted, end: submitted, index: number))
        }
      }
      submissions.sort { $0.begin < $1.begin }
      nest(all)
    }

    /// Adds each block to the level below the blocks within which the block ran.
    private mutating func nest(_ spans: [Span]) {
      var open: [Span] = []
      for span in spans.sorted(by: { ($0.begin, $1.end, $0.index) < ($1.begin, $0.end, $1.index) }) {
        while let last = open.last, last.end <= span.begin { open.removeLast() }
        if blocks.count <= open.count { blocks.append([]) }
        blocks[open.count].append(span)
        open.append(span)
      }
    }

    func marks(_ least: UInt64) -> Lane {
      Lane(
        runs: Mark.marks(of: runs, least: least), preempted: Mark.marks(of: preempted, least: least),
        blocks: blocks.map { Mark.marks(of: $0, least: least) }, waits: Mark.marks(of: waits, least: least),
        submissions: Mark.marks(of: submissions, least: least))
    }
  }
}

extension TraceMarks.Lane {
  /// The number of marks in all rows of the lane.
  var count: Int { runs.count + preempted.count + blocks.reduce(0) { $0 + $1.count } + waits.count + submissions.count }
}
