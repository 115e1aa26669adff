import Laboratory

/// A number over the time of a trace, which changes in steps.
struct StepFunction {
  /// The times at which the number changes, in ascending order without duplicates, with the new number. Before the
  /// first time the number is 0.
  let points: [(time: UInt64, count: Int)]

  /// Creates the steps from changes in any order. Changes at one time are one step.
  init(_ changes: [(time: UInt64, by: Int)]) {
    var points: [(time: UInt64, count: Int)] = []
    var count = 0
    for change in changes.sorted(by: { $0.time < $1.time }) {
      count += change.by
      if points.last?.time == change.time { points.removeLast() }
      if points.last?.count ?? 0 != count { points.append((change.time, count)) }
    }
    self.points = points
  }

  /// The greatest number.
  var most: Int { points.reduce(0) { max($0, $1.count) } }

  /// Returns at most `most` steps. The time up to `end` is divided into this many equal parts, and the highest step of
  /// each part stands for all of them.
  func folded(to most: Int, end: UInt64) -> [(time: UInt64, count: Int)] {
    guard points.count > most else { return points }
    let width = max(1, end / UInt64(most))
    return points.reduce(into: []) { folded, point in
      if let last = folded.last, last.time / width == point.time / width {
        folded[folded.count - 1].count = max(last.count, point.count)
      } else {
        folded.append(point)
      }
    }
  }

  /// Returns the greatest number from one time to another, excluding the second time.
  func most(from begin: Double, to end: Double) -> Int {
    let first = points.lastIndex { Double($0.time) <= begin } ?? points.startIndex
    return points[first...].prefix { Double($0.time) < end }.reduce(0) { max($0, $1.count) }
  }

  /// Returns the number at a time.
  func count(at time: UInt64) -> Int { points.last { $0.time <= time }?.count ?? 0 }
}

extension Trace {
  /// The number of cores that the trial's threads kept busy.
  var busyCores: StepFunction { StepFunction(lanes.flatMap(\.runs).flatMap { [($0.begin, 1), ($0.end, -1)] }) }

  /// The number of blocks that were submitted, had not begun, and can begin as soon as a thread and their queue are
  /// free.
  var backlog: StepFunction {
    StepFunction(
      blocks.flatMap { block -> [(time: UInt64, by: Int)] in
        guard let submitted = block.submitted, block.isInBacklog else { return [] }
        return [(submitted, 1)] + (block.begin.map { [($0, -1)] } ?? [])
      })
  }

  /// The number of threads.
  var threads: StepFunction {
    StepFunction(lanes.flatMap { lane in [(lane.begin, 1)] + (lane.end.map { [($0, -1)] } ?? []) })
  }
}
