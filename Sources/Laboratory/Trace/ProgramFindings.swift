import Measurement

/// The findings about a user's program. The lab knows the program's queues and threads only from the record.
extension Trace {
  /// The numbers of the signals by which a user or another program ends a program. Such an end is not a finding.
  private static let endingSignals: Set<Int> = [1, 2, 9, 13, 14, 15]

  func ends(ofProgram deadlock: [TraceFinding.Owner]?) -> [TraceFinding] {
    var findings = deadlock.map { [TraceFinding.deadlock($0)] } ?? []
    if case .trapped(let signal) = end, !Self.endingSignals.contains(signal) {
      findings.append(.trap(signal: signal, block: trappedBlock))
    }
    return findings
  }

  /// The finding about the blocks on the main queue that ran for the program's limit (``Program/hang``) or longer and
  /// delayed other blocks; nil if there is no such block.
  var hang: TraceFinding? {
    guard let program else { return nil }
    var found: [(block: Int, time: UInt64, waiting: Int)] = []
    for index in blocks.indices where queues[blocks[index].queue].kind == .main {
      guard let begin = blocks[index].begin else { continue }
      let end = blocks[index].end ?? length
      guard end - min(begin, end) >= program.hang else { continue }
      let waiting = blocks.count { other in
        guard other.queue == blocks[index].queue, (other.begin ?? length) >= end else { return false }
        switch other.kind {
        case .async, .sync:
          guard let submitted = other.submitted, submitted < end else { return false }
          return end - max(submitted, begin) >= program.hang
        // The record does not contain the time at which these blocks were due. A block that begins as soon as the queue
        // is free is assumed to have waited for the queue.
        case .after, .notify, .handler: return other.begin.map { $0 - end < Self.atOnce } ?? false
        case .apply, .job: return false
        }
      }
      if waiting > 0 { found.append((index, end - begin, waiting)) }
    }
    // Of several blocks that took the same time, the first is reported.
    return found.min { ($1.time, $0.block) < ($0.time, $1.block) }.map {
      .hang(block: $0.block, time: $0.time, waiting: $0.waiting, others: found.count - 1)
    }
  }

  /// The time within which a waiting block is assumed to begin once its queue is free, in nanoseconds.
  private static let atOnce: UInt64 = 1_000_000

  /// The minimum number of blocks of a queue for which the lab reports that its blocks are small.
  private static let fewestBlocks = 1000

  /// The finding about a queue whose blocks have a median running time of less than half of the time for submitting and
  /// starting a block. The value is nil if there is no such queue, or if the blocks are few or take no significant
  /// share of the program's running time.
  var smallBlocksInProgram: TraceFinding? {
    let kinds: Set<Block.Kind> = [.async, .job]
    let queues = Dictionary(grouping: blocks.filter { kinds.contains($0.kind) }, by: \.queue)
    for (queue, blocks) in queues.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
      guard blocks.count >= Self.fewestBlocks else { break }
      let runs = blocks.compactMap { block in block.begin.flatMap { begin in block.end.map { $0 - begin } } }.sorted()
      let submissions = blocks.compactMap(\.submissionTime).sorted()
      let handovers = Self.handovers(blocks).sorted()
      guard runs.count >= Self.fewestBlocks / 2, submissions.count >= Self.fewestBlocks / 16,
        handovers.count >= Self.fewestBlocks / 16
      else { continue }
      let run = runs[runs.count / 2]
      let cost = submissions[submissions.count / 2] + handovers[handovers.count / 2]
      // Submissions are harmless if they take no significant share of the program's running time.
      let ran = lanes.reduce(UInt64(0)) { sum, lane in lane.runs.reduce(sum) { $0 + ($1.end - $1.begin) } }
      guard run * 2 < cost, UInt64(blocks.count) * (run + cost) * 10 >= ran else { continue }
      return .smallBlocks(queue: queue, blocks: blocks.count, run: run, apart: cost)
    }
    return nil
  }

  /// Returns the times from the end of a block to the beginning of the next block on the same thread, in nanoseconds.
  /// The result includes only pairs in which the next block was submitted before the end of the first block.
  private static func handovers(_ blocks: [Block]) -> [UInt64] {
    Dictionary(grouping: blocks.filter { $0.lane != nil }) { $0.lane ?? 0 }.values.flatMap { blocks -> [UInt64] in
      let blocks = blocks.sorted { ($0.begin ?? 0) < ($1.begin ?? 0) }
      return zip(blocks, blocks.dropFirst()).compactMap { block, next in
        guard let end = block.end, let begin = next.begin, let submitted = next.submitted, submitted < end, begin >= end
        else { return nil }
        return begin - end
      }
    }
  }

  /// The finding about lanes that wait for each other's locks at the end of the record; nil if there are no such lanes.
  var lockCycle: TraceFinding? {
    let open = openWaits.filter { $0.value.reason == .lock && $0.value.owner != nil }
    let laneOf = Dictionary(firstOf: lanes.enumerated().map { ($1.thread, $0) })
    for start in open.keys.sorted() {
      var path = [start]
      while let owner = path.last.flatMap({ open[$0]?.owner }).flatMap({ laneOf[$0] }) {
        if owner == start { return .lockCycle(path) }
        guard !path.contains(owner), open[owner] != nil else { break }
        path.append(owner)
      }
    }
    return nil
  }

  /// Returns the finding about lanes that had work to do, and that had been waiting at the end of the record for at
  /// least half of the record's time and at least half a second. Returns nil if there are no such lanes, if the program
  /// ended by itself or was ended by a fault, or if a block was ready.
  func standstill(_ waits: [TraceFinding.WorkWait]) -> TraceFinding? {
    // If a block is ready, the pool may still start a thread for the block, so the program is not at a standstill.
    guard end != .completed, !readyTimes.contains(where: { $0.1 >= length }) else { return nil }
    if case .trapped(let signal) = end, !Self.endingSignals.contains(signal) { return nil }
    let reasons: Set<Wait.Reason> = [.group, .semaphore, .sync, .once, .lock, .condition, .join]
    let inside = Set(waits.filter { $0.wait.end == nil && $0.block != nil }.map(\.lane))
    let stuck = openWaits.filter { index, wait in
      reasons.contains(wait.reason) && (lanes[index].kind == .main || inside.contains(index))
        && length - min(wait.begin, length) >= max(500_000_000, length / 2)
    }
    return stuck.isEmpty ? nil : .standstill(lanes: stuck.keys.sorted())
  }

  /// The smallest number of waits in `sync` from which their total time is reported.
  private static let fewestSyncWaits = 50

  /// The finding about waits in `sync`; nil if the waits are few, or if their total time is less than a fifth of the
  /// time since the first submission.
  var syncWaits: TraceFinding? {
    let waits = endedSyncWaits
    let time = Self.total(waits)
    guard waits.count >= Self.fewestSyncWaits, time * 5 >= length - opening, let most = mostOf(waits, by: \.queue)
    else {
      return nil
    }
    return .syncWaits(
      waits: waits.count, time: time, queue: most.queue, share: Self.total(waits.filter { $0.queue == most.queue }))
  }

  /// The finding about waits for dispatch semaphores and groups that timed out; nil if no such wait timed out.
  var timeouts: TraceFinding? {
    let reasons: Set<Wait.Reason> = [.group, .semaphore]
    let found = waits { _, _ in true }.filter { $0.wait.hasTimedOut == true && reasons.contains($0.wait.reason) }
    return found.max { $0.time < $1.time }.map { .timeouts(count: found.count, longest: $0) }
  }
}
