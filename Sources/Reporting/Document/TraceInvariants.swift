import Laboratory

extension TraceFacts {
  /// Validates the rules that every trace of the lab follows.
  ///
  /// - Parameter variants: The names of the scenario's variants.
  /// - Throws: ``InputError`` with the place of the value that breaks a rule.
  func validate(_ place: DocumentPlace, _ variants: Set<String>) throws(InputError) {
    try place["variant"].require(variants.contains(variant), "'\(variant)' is not a variant of the scenario")
    try place["length"].require(Double(length.time), in: DocumentPlace.anyAmount)
    try place["whole"].require(whole.map { $0.time > length.time } ?? true, "it is not longer than the recorded part")
    try place["whole"].require(Double(whole?.time ?? 0), in: DocumentPlace.anyAmount)
    try place["later"].require(later ?? 1, in: 1...Int.max)
    for core in cores { try place["cores"].require(core, in: 0...1_000_000) }
    for (index, lane) in lanes.enumerated() { try validate(lane, place["lanes"][index]) }
    var last: UInt64 = 0
    for (index, block) in blocks.enumerated() {
      let place = place["blocks"][index]
      try validate(block, place)
      guard let submitted = block.submitted else { continue }
      try place["submitted"].require(submitted.time >= last, "it is not in order of submission")
      last = submitted.time
    }
    for (index, gap) in gaps.enumerated() {
      let place = place["gaps"][index]
      try require(gap.begin, gap.end, place)
      try place["lost"].require(gap.lost, in: 0...Int.max)
    }
  }

  private func validate(_ lane: LaneFacts, _ place: DocumentPlace) throws(InputError) {
    try require(lane.begin, lane.end, place)
    var last: UInt64 = 0
    for (index, run) in lane.runs.enumerated() {
      let place = place["runs"][index]
      try place.require(3...4 ~= run.count, "expected begin, end, core and, if the thread was preempted, 1")
      try place.require(run[0].time >= last, "it begins before the previous one ends")
      try require(run[0], run[1], place)
      try place.require(
        run[2].time <= 1_000_000 && run[3...].allSatisfy { $0.time == 1 }, "expected a core, and 1 if preempted")
      last = run[1].time
    }
    last = 0
    for (index, wait) in lane.waits.enumerated() {
      let place = place["waits"][index]
      try place["begin"].require(wait.begin.time >= last, "it begins before the previous one ends")
      try require(wait.begin, wait.end, place)
      try known(wait.queue, of: queues.count, place["queue"], "queue")
      last = (wait.end ?? length).time
    }
  }

  private func validate(_ block: BlockFacts, _ place: DocumentPlace) throws(InputError) {
    try known(block.queue, of: queues.count, place["queue"], "queue")
    try known(block.submitter, of: lanes.count, place["submitter"], "lane")
    try known(block.lane, of: lanes.count, place["lane"], "lane")
    try place["number"].require(block.number, in: 1...Int.max)
    try place["begin"].require(
      (block.begin != nil) == (block.lane != nil), "a begin comes with a lane, or neither is there")
    try place["end"].require(block.end == nil || block.begin != nil, "the block ended but never began")
    if let submitted = block.submitted { try require(submitted, block.begin, place, "submitted", "begin") }
    if let begin = block.begin { try require(begin, block.end, place) }
  }

  private func known(_ index: Int?, of count: Int, _ place: DocumentPlace, _ what: String) throws(InputError) {
    guard let index else { return }
    try place.require((0..<count).contains(index), "found \(index), but there are \(count) \(what)s")
  }

  /// Verifies that the second time is not before the first, and that neither is after the end of the record.
  private func require(
    _ begin: Instant, _ end: Instant?, _ place: DocumentPlace, _ first: String = "begin", _ second: String = "end"
  ) throws(InputError) {
    let (begin, length) = (begin.time, length.time)
    try place[first].require(begin <= length, "found \(begin), after the end of the record")
    guard let end = end?.time else { return }
    try place[second].require(end >= begin, "found \(end), before its \(first) at \(begin)")
    try place[second].require(end <= length, "found \(end), after the end of the record")
  }
}
