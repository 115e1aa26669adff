import Laboratory

/// A time span of a trace, divided into columns. A column shows the activity that took most of the column's time, and
/// is empty only if there was no activity.
struct TimeColumns {
  /// A cell: one column of a lane's row.
  struct Cell: Equatable {
    /// The state of a thread.
    enum State: Equatable {
      /// The thread has not begun or has ended.
      case absent
      /// The thread waits or sleeps, so it cannot run.
      case rests
      /// The thread could run, but another thread runs on its core.
      case preempted
      /// The thread runs in less than half of the column.
      case runsInPart
      /// The thread runs on a core in at least half of the column.
      case runs(core: Int)
      /// The record does not contain this time.
      case unknown
    }
    /// The activity of the thread.
    enum Content: Hashable {
      case nothing
      /// The block with this index.
      case block(Int)
      /// Several blocks of a queue, which are too short to be shown individually.
      case blocks(queue: Int)
      /// A wait, with its reason, its queue, and the index of the block that contains all waits of this kind in the
      /// column. The index is nil if no single block contains them.
      case wait(Trace.Wait.Reason, queue: Int?, in: Int?)
      case unknown
    }
    var state: State
    var content: Content
  }

  /// The beginning of the time span, in nanoseconds.
  let from: UInt64
  /// The end of the time span, in nanoseconds.
  let to: UInt64
  let columns: Int
  private let trace: Trace
  private let timelines: [Timeline]

  /// Divides a time span of a trace into columns of equal length.
  ///
  /// - Parameters:
  ///   - from: the beginning of the time span, in nanoseconds.
  ///   - to: the end of the time span, in nanoseconds.
  ///   - columns: the number of columns.
  init(_ trace: Trace, from: UInt64, to: UInt64, columns: Int) {
    self.trace = trace
    self.from = from
    self.to = max(to, from + 1)
    self.columns = max(1, columns)
    timelines = Timeline.all(of: trace)
  }

  /// Returns the beginning and the end of a column, in nanoseconds.
  private func bounds(_ column: Int) -> (begin: Double, end: Double) {
    let width = Double(to - from) / Double(columns)
    return (Double(from) + Double(column) * width, Double(from) + Double(column + 1) * width)
  }

  /// Calls `body` for each column that overlaps a time span, with the index of the column and the length of the overlap
  /// in nanoseconds.
  private func each(_ begin: UInt64, _ end: UInt64, _ body: (Int, Double) -> Void) {
    guard end > from, begin < to, end > begin else { return }
    let width = Double(to - from) / Double(columns)
    let (first, last) = (Double(max(begin, from) - from) / width, Double(min(end, to) - from) / width)
    for column in Int(first)...min(columns - 1, Int(last)) {
      let share = min(last, Double(column + 1)) - max(first, Double(column))
      if share > 0 { body(column, share * width) }
    }
  }

  /// Returns the columns in the row of a lane.
  func cells(of lane: Int) -> [Cell] {
    let states = states(of: lane)
    let contents = contents(of: lane)
    return (0..<columns).map { Cell(state: states[$0], content: contents[$0]) }
  }

  /// Returns the sum of two times of a lane, in nanoseconds: the time for which the lane runs, and the time for which
  /// the lane is in a block or waits.
  func activity(of lane: Int) -> Double {
    var sum = 0.0
    for run in trace.lanes[lane].runs { each(run.begin, run.end) { sum += $1 } }
    for piece in timelines[lane].pieces where piece.content != .nothing { each(piece.begin, piece.end) { sum += $1 } }
    return sum
  }

  private func states(of index: Int) -> [Cell.State] {
    let lane = trace.lanes[index]
    var running: [[Int: Double]] = Array(repeating: [:], count: columns)
    var preempted = Array(repeating: 0.0, count: columns)
    for (number, run) in lane.runs.enumerated() {
      each(run.begin, run.end) { running[$0][run.core, default: 0] += $1 }
      guard run.isPreempted else { continue }
      let next = number + 1 < lane.runs.count ? lane.runs[number + 1].begin : lane.end ?? trace.length
      each(run.end, next) { preempted[$0] += $1 }
    }
    let lost = lost(.scheduler)
    let width = Double(to - from) / Double(columns)
    return (0..<columns).map { column in
      let (begin, end) = bounds(column)
      if Double(lane.begin) >= end || lane.end.map({ Double($0) <= begin }) ?? false { return .absent }
      if lost[column] || !trace.knowsRunning { return .unknown }
      let most = running[column].max { ($0.value, $1.key) < ($1.value, $0.key) }
      let total = running[column].values.reduce(0, +)
      if let most, total >= width / 2 { return .runs(core: most.key) }
      if preempted[column] >= width / 2 { return .preempted }
      return total > 0 ? .runsInPart : preempted[column] > 0 ? .preempted : .rests
    }
  }

  private func contents(of index: Int) -> [Cell.Content] {
    let lane = trace.lanes[index]
    var found: [[Cell.Content: Double]] = Array(repeating: [:], count: columns)
    /// For each column, the only block of a queue in the column, or the only block that contains all waits of a kind;
    /// -1 for several blocks.
    var single: [[Int: Int]] = Array(repeating: [:], count: columns)
    var around: [[Cell.Content: Int]] = Array(repeating: [:], count: columns)
    for piece in timelines[index].pieces {
      switch piece.content {
      case .nothing: continue
      case .wait(let reason, let queue, let block):
        let wait = Cell.Content.wait(reason, queue: queue, in: nil)
        each(piece.begin, piece.end) { column, time in
          found[column][wait, default: 0] += time
          around[column][wait] = around[column][wait].map { $0 == block ?? -1 ? $0 : -1 } ?? block ?? -1
        }
      case .block(let block):
        let queue = trace.blocks[block].queue
        each(piece.begin, piece.end) { column, time in
          found[column][.blocks(queue: queue), default: 0] += time
          // The index of the block; -1 if there are several blocks.
          single[column][queue] = single[column][queue].map { $0 == block ? block : -1 } ?? block
        }
      }
    }
    let lost = lost(.calls)
    return (0..<columns).map { column in
      let (begin, end) = bounds(column)
      if Double(lane.begin) >= end || lane.end.map({ Double($0) <= begin }) ?? false { return .nothing }
      if lost[column] || !trace.knowsCalls { return .unknown }
      guard let most = found[column].max(by: { $0.value < $1.value })?.key else { return .nothing }
      switch most {
      case .blocks(let queue): return single[column][queue].flatMap { $0 >= 0 ? .block($0) : nil } ?? most
      case .wait(let reason, let queue, _):
        return .wait(reason, queue: queue, in: around[column][most].flatMap { $0 >= 0 ? $0 : nil })
      case .nothing, .block, .unknown: return most
      }
    }
  }

  private func lost(_ record: Trace.Gap.Recording) -> [Bool] {
    var lost = Array(repeating: false, count: columns)
    for gap in trace.gaps where gap.record == record {
      each(gap.begin, max(gap.end, gap.begin + 1)) { column, _ in lost[column] = true }
    }
    return lost
  }

  // MARK: Below the lanes

  /// The mean number of cores that ran threads of the trial in each column; nil if the number is unknown.
  var busyCores: [Double?] {
    let width = Double(to - from) / Double(columns)
    var busy = Array(repeating: 0.0, count: columns)
    for lane in trace.lanes { for run in lane.runs { each(run.begin, run.end) { busy[$0] += $1 / width } } }
    let lost = lost(.scheduler)
    return (0..<columns).map { lost[$0] || !trace.knowsRunning ? nil : busy[$0] }
  }

  /// Returns the maximum of a step function in each column.
  func most(of steps: StepFunction) -> [Int] {
    (0..<columns).map { column in
      let (begin, end) = bounds(column)
      return steps.most(from: begin, to: end)
    }
  }
}

extension Trace.Block {
  /// Whether the block could begin as soon as a thread and its queue were free, and had not begun by the end of the
  /// record. The value is false for an iteration of a parallel loop.
  var waitsToBegin: Bool { ready != nil && kind != .apply && begin == nil }

  /// The time from the submission of the block to its start, in nanoseconds; for a delayed block, the time from when
  /// the block was due. The value is nil if one of the two times is not recorded, if the block waits for a group or an
  /// event, or if the block is an iteration of a parallel loop.
  ///
  /// A thread begins an iteration of a parallel loop once the thread has ended the previous iteration, so the start of
  /// an iteration does not depend on the queue.
  var delay: UInt64? {
    guard kind != .apply, let ready, let begin else { return nil }
    return begin >= ready ? begin - ready : 0
  }
}
