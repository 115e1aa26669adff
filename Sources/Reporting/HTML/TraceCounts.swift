import Laboratory
import Measurement

/// The rows below the threads in a trace's picture: the row of all threads that have no row of their own, the counts of
/// busy cores, waiting blocks and threads, and the axis.
extension TracePicture {
  // MARK: Several threads in one row

  /// Returns a row for several threads: the number of threads that are in a block, and the number of threads that run.
  func rest(_ lanes: [Int]) -> Markup {
    let known = Set(lanes)
    let blocks = trace.blocks.filter { $0.lane.map(known.contains) ?? false }.flatMap { block in
      block.begin.map { [(time: $0, by: 1), (time: block.end ?? trace.length, by: -1)] } ?? []
    }
    let runs = lanes.flatMap { trace.lanes[$0].runs }.flatMap { [(time: $0.begin, by: 1), (time: $0.end, by: -1)] }
    let (inside, running) = (StepFunction(blocks), StepFunction(runs))
    let most = max(1, inside.most, running.most)
    let says = "up to \(inside.most) in a block at once, \(running.most) running"
    let names = "\(trace.lanes[lanes[0]].name) to \(trace.lanes[lanes[lanes.count - 1]].name)"
    return row(
      "\(lanes.count) more<small>\(inside.most) in blocks</small>", "count", "\(names): \(says)",
      """
      <title>\(names): \(says)</title>\(area(inside, most: most, "inside"))\(area(running, most: most, "running"))
      """)
  }

  // MARK: Below the lanes

  var counts: Markup {
    var counts: [Markup] = []
    if trace.knowsRunning {
      counts.append(
        count("cores busy", trace.busyCores, "of \(trace.cores.count)", least: trace.cores.count, .scheduler))
    }
    if trace.knowsCalls { counts.append(count("backlog", trace.backlog, nil, least: 1, .calls)) }
    counts.append(count("threads", trace.threads, nil, least: 1, nil))
    return "\(counts)"
  }

  private func count(_ name: String, _ steps: StepFunction, _ note: String?, least: Int, _ record: Trace.Gap.Recording?)
    -> Markup
  {
    let most = max(least, steps.most)
    let says = "\(name): up to \(steps.most)"
    let gaps = trace.gaps.filter { $0.record == record }.map {
      rect("unknown", $0.begin, $0.end, y: 0, height: 30, "not known")
    }
    return row(
      "\(name)<small>\(note ?? "up to \(steps.most)")</small>", "count", says,
      "<title>\(says)</title>\(area(steps, most: most, name == "cores busy" ? "running" : "inside"))\(gaps)")
  }

  /// Returns the steps as a filled area. An area with more than 800 steps shows the maximum and the minimum in each of
  /// 400 columns.
  ///
  /// - Parameter most: the number at the upper end of the row.
  private func area(_ steps: StepFunction, most: Int, _ kind: String) -> Markup {
    let end = min(origin + scale, trace.length)
    let points =
      [(time: origin, count: steps.count(at: origin))] + steps.points.filter { $0.time > origin && $0.time < end }
    let columns = 400
    guard points.count > columns * 2 else {
      return path(kind, points.map { (share(of: $0.time), $0.count) }, most: most)
    }
    let width = max(1, scale / UInt64(columns))
    var (highs, lows): ([(Double, Int)], [(Double, Int)]) = ([], [])
    var (next, count) = (0, points[0].count)
    for column in 0...columns {
      let begin = origin + UInt64(column) * width
      guard begin < end else { break }
      if next < points.count, points[next].time == begin { count = points[next].count }
      var (low, high) = (count, count)
      while next < points.count, points[next].time < begin + width {
        count = points[next].count
        (low, high) = (min(low, count), max(high, count))
        next += 1
      }
      highs.append((share(of: begin), high))
      lows.append((share(of: begin), low))
    }
    return path(kind + " most", highs, most: most) + path(kind, lows, most: most)
  }

  private func path(_ kind: String, _ points: [(place: Double, count: Int)], most: Int) -> Markup {
    var path = "M0,100"
    for point in points {
      path += "H\(Self.decimals(point.place * 1000))V\(Self.decimals(100 - Double(point.count) / Double(most) * 100))"
    }
    return """
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none"><path class="\(kind)" d="\(path)H\(Self.decimals(share(of: trace.length) * 1000))V100Z"/></svg>
      """
  }

  // MARK: The axis

  var axis: Markup {
    let step = Self.step(scale)
    let first = (origin + step - 1) / step
    let ticks = (first...max(first, (origin + scale) / step)).map { number -> Markup in
      let place = share(of: number * step) * 100
      let anchor = place < 3 ? "" : place > 96 ? " end" : " mid"
      return """
        <text class="tick\(anchor)\(number % 2 == 1 ? " wide" : "")" x="\(Self.decimals(place))%" y="12">\(number == 0 ? "0" : text(number * step))</text>
        """
    }
    return row("", "axis", "time", "\(ticks)")
  }

  /// Returns a round number of nanoseconds for the distance between ticks. The width contains four to ten such
  /// distances.
  static func step(_ scale: UInt64) -> UInt64 {
    var unit: UInt64 = 1
    while true {
      for factor: UInt64 in [1, 2, 5] where scale / (unit * factor) < 10 { return unit * factor }
      unit *= 10
    }
  }
}
