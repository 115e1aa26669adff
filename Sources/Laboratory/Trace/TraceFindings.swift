extension Trace {
  /// The findings of the trace, in descending order of importance.
  public var findings: [TraceFinding] {
    let deadlock = deadlock
    var findings = program == nil ? ends(deadlock) : ends(ofProgram: deadlock)
    guard length > 0 else { return findings }
    // A deadlock is the cause of the waits that did not end, but not of the others.
    let waits = workWaits.filter { deadlock == nil || $0.wait.end != nil }
    if knowsCalls, !gaps.contains(where: { $0.record == .calls }) {
      let more =
        switch (isProgram: program != nil, isDeadlocked: deadlock != nil) {
        case (false, false): [starvation(waits), blockedJobs(waits), manyThreads, loopShares, smallBlocks]
        case (true, false):
          [
            starvation(waits), blockedJobs(waits), hang, smallBlocks, lockCycle, standstill(waits), syncWaits,
            manyThreads, timeouts,
          ]
        case (true, true): [starvation(waits), blockedJobs(waits), smallBlocks, syncWaits, timeouts]
        case (false, true): [TraceFinding?]()
        }
      findings += more.compactMap(\.self)
    }
    guard findings.isEmpty, program == nil else { return findings }
    if let longest = longestWait(among: waits), longest.time * 2 > length - opening {
      return [.wait(longest)]
    }
    return mostInProgress.flatMap { $0 > 1 ? [.overlap(blocks: $0)] : nil } ?? []
  }

  /// The time of the first submission in nanoseconds; 0 if no block was submitted.
  public var opening: UInt64 { blocks.compactMap(\.submitted).min() ?? 0 }

  /// The longest wait of the caller, of a block, or of the main thread of a program; nil if there is none. The part of
  /// a wait before the first submission does not count, since a trial only prepares its work then.
  public var longestWait: TraceFinding.WorkWait? {
    longestWait(
      among: waits { kind, wait in
        // A main thread that waits for a descriptor may be an idle run loop.
        kind == .caller || program != nil && kind == .main && wait.reason != .descriptor
      })
  }

  private func longestWait(among waits: [TraceFinding.WorkWait]) -> TraceFinding.WorkWait? {
    let opening = opening
    return waits.compactMap { wait -> TraceFinding.WorkWait? in
      let (begin, end) = (max(wait.wait.begin, opening), min(wait.wait.begin + wait.time, length))
      guard begin < end else { return nil }
      var wait = wait
      wait.time = end - begin
      return wait
    }.max { $0.time < $1.time }
  }

  /// The maximum number of blocks in progress at once; nil if no block has begun.
  public var mostInProgress: Int? {
    Self.most(blocks.compactMap { block in block.begin.map { ($0, block.end ?? length + 1) } })
  }

  /// The waits of the caller and the waits inside blocks, in no particular order. A thread in any other wait has no
  /// work.
  public var workWaits: [TraceFinding.WorkWait] { waits { kind, _ in kind == .caller } }

  /// Returns all waits inside blocks, and those waits outside of blocks for which `counts` returns true, in no
  /// particular order. Waits for work and waits of the manager thread are left out.
  func waits(counting counts: (Lane.Kind, Wait) -> Bool) -> [TraceFinding.WorkWait] {
    let inside = Dictionary(grouping: blocks.indices.filter { blocks[$0].lane != nil }) { blocks[$0].lane ?? 0 }
    return lanes.indices.flatMap { lane -> [TraceFinding.WorkWait] in
      guard lanes[lane].kind != .manager else { return [] }
      let begun = (inside[lane] ?? []).sorted { (blocks[$0].begin ?? 0) < (blocks[$1].begin ?? 0) }
      var (next, open) = (begun.startIndex, [Int]())
      return lanes[lane].waits.compactMap { wait in
        while next < begun.endIndex, blocks[begun[next]].begin ?? 0 <= wait.begin {
          open.append(begun[next])
          next += 1
        }
        open.removeAll { (blocks[$0].end ?? .max) <= wait.begin }
        guard wait.reason != .work, open.last != nil || counts(lanes[lane].kind, wait) else { return nil }
        return TraceFinding.WorkWait(
          lane: lane, block: open.last, wait: wait, time: (wait.end ?? length) - min(wait.begin, length))
      }
    }
  }

  /// Returns the maximum number of intervals that overlap at any time; nil if `times` is empty.
  static func most(_ times: [(begin: UInt64, end: UInt64)]) -> Int? {
    var edges = times.flatMap { [($0.begin, 1), ($0.end, -1)] }
    edges.sort { $0 < $1 }
    var now = 0
    return edges.map { edge in
      now += edge.1
      return now
    }.max()
  }
}
