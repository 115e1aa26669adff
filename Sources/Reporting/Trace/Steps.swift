import Laboratory

/// A count over the time of a trace, which goes up and down in steps.
struct Steps {
  /// From when on it is what, in order of time, each time once; before the first it is 0.
  let points: [(time: UInt64, count: Int)]

  /// What comes of changes, in whatever order; those at one time are one step.
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

  /// The most that it ever is.
  var most: Int { points.reduce(0) { max($0, $1.count) } }

  /// The steps, at most so many: of those between two of as many equal times up to `end`, the highest stands for all.
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

  /// What it is at a time.
  func count(at time: UInt64) -> Int { points.last { $0.time <= time }?.count ?? 0 }
}

extension Trace {
  /// How many cores the trial's threads kept busy.
  var busyCores: Steps { Steps(lanes.flatMap(\.runs).flatMap { [($0.begin, 1), ($0.end, -1)] }) }

  /// How many blocks had been submitted and had not begun, of those that can begin as soon as a thread and their queue
  /// are free.
  var backlog: Steps {
    Steps(
      blocks.flatMap { block -> [(time: UInt64, by: Int)] in
        guard let submitted = block.submitted, block.isInBacklog else { return [] }
        return [(submitted, 1)] + (block.begin.map { [($0, -1)] } ?? [])
      })
  }

  /// How many threads there were.
  var threads: Steps {
    Steps(lanes.flatMap { lane in [(lane.begin, 1)] + (lane.end.map { [($0, -1)] } ?? []) })
  }
}
