/// The findings about a user's program. The lab knows the program's queues and threads only from the record.
extension TraceFinding {
  /// Whether the record proves the finding. If false, the finding is likely, but the record also permits other
  /// explanations.
  public var isCertain: Bool {
    switch self {
    case .crowd, .locks, .standstill: false
    case .trap, .failure, .deadlock, .starvation, .blockedJobs, .loop, .small, .wait, .overlap, .hang, .turns,
      .timeouts:
      true
    }
  }

  /// The name of the scenario that shows the finding and its remedy; nil if no scenario shows the finding.
  public var scenario: String? {
    switch self {
    case .deadlock: "queue-deadlock"
    case .starvation: "pool-starvation"
    case .blockedJobs: "blocking-bridge"
    case .hang: "main-queue"
    case .small: "task-granularity"
    case .crowd: "thread-explosion"
    case .turns: "queue-vs-lock"
    case .trap, .failure, .standstill, .loop, .wait, .overlap, .locks, .timeouts: nil
    }
  }
}

extension Trace {
  /// The numbers of the signals by which a user or another program ends a program. Such an end is not a finding.
  private static let requests: Set<Int> = [1, 2, 9, 13, 14, 15]

  func ends(ofProgram deadlock: [TraceFinding.Owner]?) -> [TraceFinding] {
    var findings = deadlock.map { [TraceFinding.deadlock($0)] } ?? []
    if case .trapped(let signal) = end, !Self.requests.contains(signal) {
      findings.append(.trap(signal: signal, block: trappedBlock))
    }
    return findings
  }

  /// The finding about the longest block on the main queue that ran for the program's limit (``Program/hang``) or
  /// longer and delayed other blocks; nil if there is no such block.
  var hang: TraceFinding? {
    guard let program else { return nil }
    var longest: TraceFinding?
    var most: UInt64 = 0
    for index in blocks.indices where queues[blocks[index].queue].kind == .main {
      guard let begin = blocks[index].begin else { continue }
      let end = blocks[index].end ?? length
      guard end - min(begin, end) >= program.hang, end - begin > most else { continue }
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
      guard waiting > 0 else { continue }
      most = end - begin
      longest = .hang(block: index, time: most, waiting: waiting)
    }
    return longest
  }

  /// The time within which a waiting block is assumed to begin once its queue is free, in nanoseconds.
  private static let atOnce: UInt64 = 1_000_000

  /// The smallest number of blocks from which small blocks are reported.
  private static let fewestBlocks = 1000

  /// The finding about a queue whose blocks have a median running time of less than half of the time for submitting and
  /// starting a block. The value is nil if there is no such queue, or if the blocks are few or take no significant
  /// share of the program's running time.
  var smallInProgram: TraceFinding? {
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
      return .small(queue: queue, blocks: blocks.count, run: run, apart: cost)
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

  /// The waits that had not ended by the end of the record, by the index of the lane.
  var openWaits: [Int: Wait] {
    var waits: [Int: Wait] = [:]
    for (index, lane) in lanes.enumerated() {
      if let last = lane.waits.last, last.end == nil { waits[index] = last }
    }
    return waits
  }

  /// The finding about lanes that wait for each other's locks at the end of the record; nil if there are no such lanes.
  var locks: TraceFinding? {
    let open = openWaits.filter { $0.value.reason == .lock && $0.value.owner != nil }
    let laneOf = Dictionary(lanes.enumerated().map { ($1.thread, $0) }) { first, _ in first }
    for start in open.keys.sorted() {
      var path = [start]
      while let owner = path.last.flatMap({ open[$0]?.owner }).flatMap({ laneOf[$0] }) {
        if owner == start { return .locks(path) }
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
    if case .trapped(let signal) = end, !Self.requests.contains(signal) { return nil }
    let reasons: Set<Wait.Reason> = [.group, .semaphore, .sync, .once, .lock, .condition, .join]
    let inside = Set(waits.filter { $0.wait.end == nil && $0.block != nil }.map(\.lane))
    let stuck = openWaits.filter { index, wait in
      reasons.contains(wait.reason) && (lanes[index].kind == .main || inside.contains(index))
        && length - min(wait.begin, length) >= max(500_000_000, length / 2)
    }
    return stuck.isEmpty ? nil : .standstill(lanes: stuck.keys.sorted())
  }

  /// The waits of all threads in `sync` that have ended. A wait that has not ended can belong to a deadlock or a
  /// standstill.
  private var syncWaits: [Wait] { lanes.flatMap(\.waits).filter { $0.reason == .sync && $0.end != nil } }

  /// The smallest number of waits in `sync` from which their total time is reported.
  private static let fewestTurns = 50

  /// The finding about waits in `sync`; nil if the waits are few, or if their total time is less than a fifth of the
  /// time since the first submission.
  var turns: TraceFinding? {
    let waits = syncWaits
    let time = Self.total(waits)
    guard waits.count >= Self.fewestTurns, time * 5 >= length - opening, let most = mostOf(waits, by: \.queue) else {
      return nil
    }
    return .turns(
      waits: waits.count, time: time, queue: most.queue, share: Self.total(waits.filter { $0.queue == most.queue }))
  }

  /// Returns a wait from the group of waits with the longest total time; nil if there are no waits. The waits of a
  /// group have equal keys.
  private func mostOf(_ waits: [Wait], by key: (Wait) -> Int?) -> Wait? {
    let groups = Dictionary(grouping: waits) { key($0) ?? -1 }
    return groups.max { (Self.total($0.value), $1.key) < (Self.total($1.value), $0.key) }?.value.first
  }

  /// Returns the total time of waits that have ended, in nanoseconds.
  private static func total(_ waits: [Wait]) -> UInt64 {
    waits.reduce(0) { $0 + (($1.end ?? $1.begin) - $1.begin) }
  }

  /// Returns the functions of a stack, beginning with the innermost function; an empty array if the stack is unknown.
  public func calls(_ stack: Int?) -> [String] { stack.flatMap { program?.stacks[$0] } ?? [] }

  /// Returns the stack of the wait or of the submission that a finding is about, beginning with the innermost function.
  /// The array is empty if the stack is unknown, for a deadlock of several threads, and for findings that are not about
  /// a single place in the code.
  public func calls(of finding: TraceFinding) -> [String] {
    switch finding {
    case .deadlock(let owners): return owners.count == 1 ? calls(of: owners[0]) : []
    case .starvation, .crowd: return calls(poolWait?.stack)
    case .blockedJobs(_, let longest), .timeouts(_, let longest): return calls(longest.wait.stack)
    case .hang(let block, _, _): return calls(blocks[block].stack)
    case .small(let queue, _, _, _):
      let stacks = Dictionary(grouping: blocks.filter { $0.queue == queue }.compactMap(\.stack)) { $0 }
      return calls(stacks.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key)
    case .locks(let lanes), .standstill(let lanes): return calls(lanes.first.flatMap { openWaits[$0]?.stack })
    case .trap(_, let block): return calls(block.flatMap { blocks[$0].stack })
    case .turns(_, _, let queue, _): return calls(mostOf(syncWaits.filter { $0.queue == queue }, by: \.stack)?.stack)
    case .failure, .loop, .wait, .overlap: return []
    }
  }

  /// Returns the stack of the wait of a thread in a deadlock, beginning with the innermost function; an empty array if
  /// the stack is unknown.
  public func calls(of owner: TraceFinding.Owner) -> [String] {
    calls(
      blocks.last { $0.kind == .sync && $0.begin == nil && $0.submitter == owner.lane && $0.queue == owner.waitsFor }?
        .stack)
  }

  /// A wait inside a block on a thread of the pool, with the reason and the stack for which the total waiting time is
  /// longest; nil if there are no such waits.
  public var poolWait: Wait? {
    let waits = workWaits.filter { $0.block != nil && lanes[$0.lane].kind == .pool }
    let kinds = Dictionary(grouping: waits) { [$0.wait.reason.rawValue, "\($0.wait.stack ?? -1)"] }
    let times = kinds.mapValues { waits in waits.reduce(UInt64(0)) { $0 + $1.time } }
    let most = times.max { ($0.value, $1.key.joined()) < ($1.value, $0.key.joined()) }
    return most.flatMap { kinds[$0.key]?.first?.wait }
  }
}
