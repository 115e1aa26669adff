import Laboratory

extension TraceFacts {
  /// Verifies the invariants of the trace.
  ///
  /// - Parameters:
  ///   - path: the path of the trace in the document.
  ///   - variants: the names of the scenario's variants.
  /// - Throws: ``InputError`` with the path of a value that violates an invariant.
  func validate(_ path: JSONPath, _ variants: Set<String>) throws(InputError) {
    try path["variant"].require(variants.contains(variant), "'\(variant)' is not a variant of the scenario")
    try path["length"].require(Double(length.time), in: JSONPath.anyAmount)
    try path["whole"].require(whole.map { $0.time > length.time } ?? true, "not longer than the recorded part")
    try path["whole"].require(Double(whole?.time ?? 0), in: JSONPath.anyAmount)
    try path["later"].require(later ?? 1, in: 1...Int.max)
    for core in cores { try path["cores"].require(core, in: 0...1_000_000) }
    for (index, lane) in lanes.enumerated() { try validate(lane, path["lanes"][index]) }
    var last: UInt64 = 0
    for (index, block) in blocks.enumerated() {
      let path = path["blocks"][index]
      try validate(block, path)
      guard let submitted = block.submitted else { continue }
      try path["submitted"].require(submitted.time >= last, "not in order of submission")
      last = submitted.time
    }
    for (index, gap) in gaps.enumerated() {
      let path = path["gaps"][index]
      try require(gap.begin, gap.end, path)
      try path["lost"].require(gap.lost, in: 0...Int.max)
    }
  }

  private func validate(_ lane: LaneFacts, _ path: JSONPath) throws(InputError) {
    try require(lane.begin, lane.end, path)
    var last: UInt64 = 0
    for (index, run) in lane.runs.enumerated() {
      let path = path["runs"][index]
      try path.require(3...4 ~= run.count, "expected begin, end, core and, if the thread was preempted, 1")
      try path.require(run[0].time >= last, "begins before the previous run ends")
      try require(run[0], run[1], path)
      try path.require(
        run[2].time <= 1_000_000 && run[3...].allSatisfy { $0.time == 1 }, "expected a core, and 1 if preempted")
      last = run[1].time
    }
    last = 0
    for (index, wait) in lane.waits.enumerated() {
      let path = path["waits"][index]
      try path["begin"].require(wait.begin.time >= last, "begins before the previous wait ends")
      try require(wait.begin, wait.end, path)
      try known(wait.queue, of: queues.count, path["queue"], "queue")
      last = (wait.end ?? length).time
    }
  }

  private func validate(_ block: BlockFacts, _ path: JSONPath) throws(InputError) {
    try known(block.queue, of: queues.count, path["queue"], "queue")
    try known(block.submitter, of: lanes.count, path["submitter"], "lane")
    try known(block.lane, of: lanes.count, path["lane"], "lane")
    try path["number"].require(block.number, in: 1...Int.max)
    try path["begin"].require(
      (block.begin != nil) == (block.lane != nil), "expected a begin and a lane, or neither of them")
    try path["end"].require(block.end == nil || block.begin != nil, "the block ended but never began")
    if let submitted = block.submitted { try require(submitted, block.begin, path, "submitted", "begin") }
    if let begin = block.begin { try require(begin, block.end, path) }
    try path["due"].require(block.due == nil || block.kind == .after, "only a delayed block is due at a time")
    if let due = block.due, let submitted = block.submitted { try require(submitted, due, path, "submitted", "due") }
  }

  private func known(_ index: Int?, of count: Int, _ path: JSONPath, _ what: String) throws(InputError) {
    guard let index else { return }
    try path.require((0..<count).contains(index), "found \(index), but there are \(count) \(what)s")
  }

  /// Verifies that the second time is not before the first time, and that neither time is after the end of the record.
  ///
  /// - Throws: ``InputError`` with the path of the time that violates this order.
  private func require(
    _ begin: Instant, _ end: Instant?, _ path: JSONPath, _ first: String = "begin", _ second: String = "end"
  ) throws(InputError) {
    let (begin, length) = (begin.time, length.time)
    try path[first].require(begin <= length, "found \(begin), after the end of the record")
    guard let end = end?.time else { return }
    try path[second].require(end >= begin, "found \(end), before '\(first)' at \(begin)")
    try path[second].require(end <= length, "found \(end), after the end of the record")
  }
}
