import Laboratory

/// A number as a function of the time in a trace. The number changes in steps.
struct StepFunction {
  /// The times at which the number changes, with the new number, in ascending order without duplicates. The number is 0
  /// before the first time.
  let points: [(time: UInt64, count: Int)]

  /// Creates the function from changes in any order. Changes at the same time form one step.
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

  /// The highest value of the function; 0 if it has no steps.
  var most: Int { points.reduce(0) { max($0, $1.count) } }

  /// Returns the steps, or fewer steps if there are more than `most`. To reduce the number of steps, the time up to
  /// `end` is divided into about `most` equal parts, and the highest step of each part replaces all steps of this part.
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

  /// Returns the maximum of the number from `begin` up to, but not including, `end`.
  func most(from begin: Double, to end: Double) -> Int {
    let first = points.lastIndex { Double($0.time) <= begin } ?? points.startIndex
    return points[first...].prefix { Double($0.time) < end }.reduce(0) { max($0, $1.count) }
  }

  /// Returns the number at a time in nanoseconds.
  func count(at time: UInt64) -> Int { points.last { $0.time <= time }?.count ?? 0 }
}

extension Trace {
  /// The number of cores that run threads of the trial, over time.
  var busyCores: StepFunction { StepFunction(lanes.flatMap(\.runs).flatMap { [($0.begin, 1), ($0.end, -1)] }) }

  /// The number of blocks that could begin and had not begun. Blocks that wait for a time, a group or an event are not
  /// counted.
  var backlog: StepFunction {
    StepFunction(
      blocks.flatMap { block -> [(time: UInt64, by: Int)] in
        guard let ready = block.ready else { return [] }
        return [(ready, 1)] + (block.begin.map { [(max(ready, $0), -1)] } ?? [])
      })
  }

  /// The number of threads that have begun and have not ended.
  var threads: StepFunction {
    StepFunction(lanes.flatMap { lane in [(lane.begin, 1)] + (lane.end.map { [($0, -1)] } ?? []) })
  }
}
