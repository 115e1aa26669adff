/// One fact that a trace shows, with its evidence: lanes, queues and blocks by their indices, and times in nanoseconds.
///
/// A finding is reported only if the record proves it. A gap in the record (calls that were not seen, events that were
/// lost) is never taken for a thread at rest.
public enum TraceFinding: Sendable, Equatable {
  /// A signal ended the trial, while this block was in progress.
  case trap(signal: Int, block: Int?)
  /// The trial failed for this reason.
  case failure(String)
  /// Each lane is in a block of a queue that the lane before it waits for, and the first lane is in a block of a queue
  /// that the last one waits for. A single lane waits in `sync` for the queue that it is on.
  case deadlock([Owner])
  /// The trial hung, and these lanes wait forever. None of them holds what another one waits for.
  case standstill(lanes: [Int])
  /// Every thread of the pool that had a block was blocked in it, at least one for each core, while blocks waited for a
  /// thread. The backlog is the greatest number of such blocks, and the time is the sum for which this lasted.
  case starvation(workers: Int, backlog: Int, time: UInt64)
  /// The waits of a millisecond or more inside jobs of Swift concurrency, which blocked a thread: their number, and the
  /// longest.
  case blockedJobs(count: Int, longest: WorkWait)
  /// Blocks in progress at once on as many threads, several times the cores.
  case crowd(threads: Int, blocks: Int)
  /// The number of iterations of the longest parallel loop that each lane ran, the greatest first.
  case loop([LoopShare])
  /// The blocks of this queue are small: the median running time is shorter than the median time between two
  /// submissions.
  case small(queue: Int, blocks: Int, run: UInt64, apart: UInt64)
  /// The longest wait of the caller or inside a block since the first submission, if it lasts for more than half of
  /// the time since then.
  case wait(WorkWait)
  /// Several blocks were in progress at once.
  case overlap(blocks: Int)
  /// A block on the main queue delayed others: the longest such block, its time, and how many blocks waited for the
  /// program's limit or longer.
  case hang(block: Int, time: UInt64, behind: Int)
  /// Each lane waits at the end of the record for a lock. The next lane held the lock when the wait began, and the last
  /// lane waits for a lock of one of the first.
  case locks([Int])

  /// A lane that holds a queue and waits for another one.
  public struct Owner: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The block that it is in.
    public var block: Int
    /// The queue that it waits for.
    public var waitsFor: Int
  }

  /// A wait of a thread that had something to do.
  public struct WorkWait: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The innermost block around the wait; nil for the caller outside of any block.
    public var block: Int?
    /// The wait.
    public var wait: Trace.Wait
    /// The time that the wait lasted, at most up to the end of the record.
    public var time: UInt64
  }

  /// The part of a parallel loop that a lane ran.
  public struct LoopShare: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The number of iterations that the lane ran.
    public var iterations: Int
  }
}

extension Trace {
  /// The findings of the trace, the most important first.
  public var findings: [TraceFinding] {
    let deadlock = deadlock
    var findings = program == nil ? ends(deadlock) : ends(ofProgram: deadlock)
    guard length > 0 else { return findings }
    let waits = workWaits
    // A deadlock explains everything that waits for it.
    if deadlock == nil, knowsCalls, !gaps.contains(where: { $0.record == .calls }) {
      findings +=
        program == nil
        ? [starvation(waits), blockedJobs(waits), crowd, loop, small].compactMap(\.self)
        : [starvation(waits), blockedJobs(waits), hang, small, locks, standstill(waits), crowd].compactMap(\.self)
    }
    guard findings.isEmpty, program == nil else { return findings }
    if let longest = longestWait(among: waits), longest.time * 2 > length - opening {
      return [.wait(longest)]
    }
    return mostInProgress.flatMap { $0 > 1 ? [.overlap(blocks: $0)] : nil } ?? []
  }

  /// The time of the first submission in nanoseconds; 0 if there is none.
  public var opening: UInt64 { blocks.compactMap(\.submitted).min() ?? 0 }

  /// The longest wait of the caller or inside a block, with its time since the first submission, before which a trial
  /// prepares; nil if there is none.
  public var longestWait: TraceFinding.WorkWait? { longestWait(among: workWaits) }

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

  /// The greatest number of blocks in progress at once.
  public var mostInProgress: Int? {
    Self.most(blocks.compactMap { block in block.begin.map { ($0, block.end ?? length + 1) } })
  }

  /// The waits of the caller and those inside blocks, in no particular order. A thread in any other wait has nothing to
  /// do.
  public var workWaits: [TraceFinding.WorkWait] {
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
        guard wait.reason != .work, open.last != nil || lanes[lane].kind == .caller else { return nil }
        return TraceFinding.WorkWait(
          lane: lane, block: open.last, wait: wait, time: (wait.end ?? length) - min(wait.begin, length))
      }
    }
  }

  // MARK: How it ended

  private func ends(_ deadlock: [TraceFinding.Owner]?) -> [TraceFinding] {
    let deadlock = deadlock.map { [TraceFinding.deadlock($0)] } ?? []
    switch end {
    case .completed: return []
    case .trapped(let signal):
      return deadlock + [.trap(signal: signal, block: blocks.lastIndex { $0.begin != nil && $0.end == nil })]
    case .other(let reason): return [.failure(reason)]
    case .hung:
      guard deadlock.isEmpty else { return deadlock }
      return [
        .standstill(
          lanes: lanes.indices.filter { lane in
            lanes[lane].kind != .manager
              && lanes[lane].waits.contains { $0.end == nil && $0.reason != .work && $0.reason != .descriptor }
          })
      ]
    }
  }

  /// Lanes that wait in `sync` for each other's queues at the end of the record.
  private var deadlock: [TraceFinding.Owner]? {
    guard end != .completed || program != nil, !gaps.contains(where: { $0.record == .calls && $0.end == length }) else {
      return nil
    }
    // A `sync` that has not begun is waiting. Its thread may be asleep, or it was stopped before it could sleep.
    let requests = blocks.filter { $0.kind == .sync && $0.begin == nil && $0.submitter != nil }
    let held = blocks.indices.filter { blocks[$0].begin != nil && blocks[$0].end == nil && blocks[$0].lane != nil }
    func isBehindBarrier(_ request: Block) -> Bool {
      blocks.contains {
        $0.isBarrier && $0.begin == nil && $0.queue == request.queue && $0.submitted ?? .max < request.submitted ?? 0
      }
    }
    /// Returns the lanes' blocks that prevent a request from beginning.
    func owners(of request: Block) -> [Int] {
      held.filter { index in
        let block = blocks[index]
        guard block.queue == request.queue else { return false }
        return queues[request.queue].isSerial
          || queues[request.queue].kind == .concurrent
            && (request.isBarrier || block.isBarrier || isBehindBarrier(request))
      }
    }
    for request in requests {
      var path: [TraceFinding.Owner] = []
      var current = request
      while let lane = current.submitter {
        guard let block = owners(of: current).last, let owner = blocks[block].lane else { break }
        path.append(TraceFinding.Owner(lane: owner, block: block, waitsFor: current.queue))
        if owner == request.submitter {
          // Each entry of the path names the queue that its predecessor waits for. The rotation makes each entry name
          // the queue that it waits for itself.
          let asked = path.map(\.waitsFor)
          return path.indices.map { index in
            TraceFinding.Owner(
              lane: path[index].lane, block: path[index].block, waitsFor: asked[(index + 1) % asked.count])
          }
        }
        guard owner != lane, path.count <= lanes.count,
          let following = requests.first(where: { $0.submitter == owner })
        else { break }
        current = following
      }
    }
    return nil
  }

  // MARK: The pool

  /// A pool takes up to this time to give a thread its next block, in nanoseconds.
  private static let shortest: UInt64 = 1_000_000

  private func starvation(_ waits: [TraceFinding.WorkWait]) -> TraceFinding? {
    struct Edge {
      var time: UInt64
      var workers = 0
      var blocked = 0
      var ready = 0
    }
    var edges: [Edge] = []
    for lane in lanes where lane.kind == .pool {
      edges += [Edge(time: lane.begin, workers: 1), Edge(time: lane.end ?? length, workers: -1)]
      for wait in lane.waits where wait.reason == .work {
        edges += [Edge(time: wait.begin, workers: -1), Edge(time: wait.end ?? lane.end ?? length, workers: 1)]
      }
    }
    for wait in waits where wait.block != nil && lanes[wait.lane].kind == .pool {
      edges += [Edge(time: wait.wait.begin, blocked: 1), Edge(time: wait.wait.begin + wait.time, blocked: -1)]
    }
    for (begin, end) in readyTimes where end > begin {
      edges += [Edge(time: begin, ready: 1), Edge(time: end, ready: -1)]
    }
    edges.sort { $0.time < $1.time }
    var (now, total, since) = (Edge(time: 0), UInt64(0), UInt64?.none)
    // A thread that the pool adds interrupts a stretch for the moment until it is blocked as well.
    var (stretch, longest) = (UInt64(0), UInt64(0))
    var most = (workers: 0, ready: 0)
    var index = 0
    while index < edges.count {
      let time = edges[index].time
      if let since {
        total += time - since
        stretch += time - since
        longest = max(longest, stretch)
      }
      while index < edges.count, edges[index].time == time {
        now.workers += edges[index].workers
        now.blocked += edges[index].blocked
        now.ready += edges[index].ready
        index += 1
      }
      let isStarved = now.blocked >= max(1, now.workers, cores.count) && now.ready > 0
      if isStarved {
        most = (max(most.workers, now.blocked), max(most.ready, now.ready))
      } else {
        stretch = 0
      }
      since = isStarved ? time : nil
    }
    guard longest >= (program == nil ? 1 : 10) * Self.shortest, total * 20 >= length - opening else { return nil }
    return .starvation(workers: most.workers, backlog: most.ready, time: total)
  }

  /// The times during which each block could have begun if there had been a thread for it. Blocks that their submitter
  /// runs, and blocks that a barrier may delay, are left out.
  var readyTimes: [(UInt64, UInt64)] {
    var times: [(UInt64, UInt64)] = []
    let kinds: Set<Block.Kind> = [.async, .job]
    for (queue, blocks) in Dictionary(grouping: blocks, by: \.queue) {
      let kind = queues[queue].kind
      guard kind != .main, kind != .unknown, !blocks.contains(where: \.isBarrier) else { continue }
      // A queue of which no block has ever begun may be suspended.
      if let program, program.heldQueues.contains(queue) || !blocks.contains(where: { $0.begin != nil }) { continue }
      guard queues[queue].isSerial else {
        times += blocks.filter { kinds.contains($0.kind) }.compactMap { block in
          block.submitted.map { ($0, block.begin ?? length) }
        }
        continue
      }
      // The queue is serial: a block is ready once the block before it has ended.
      var free: UInt64 = 0
      for block in blocks.sorted(by: { ($0.begin ?? .max, $0.number) < ($1.begin ?? .max, $1.number) }) {
        if kinds.contains(block.kind), let submitted = block.submitted, max(submitted, free) < length {
          times.append((max(submitted, free), block.begin ?? length))
        }
        free = max(free, block.begin == nil ? length : block.end ?? length)
      }
    }
    return times
  }

  private func blockedJobs(_ waits: [TraceFinding.WorkWait]) -> TraceFinding? {
    // A job may take a lock, since the thread that holds the lock makes progress.
    let blocking: Set<Wait.Reason> = [.semaphore, .group, .sync, .condition, .join, .sleep]
    let found = waits.filter { wait in
      wait.block.map { blocks[$0].kind == .job } ?? false && blocking.contains(wait.wait.reason)
        && wait.time >= Self.shortest
    }
    return found.max { $0.time < $1.time }.map { .blockedJobs(count: found.count, longest: $0) }
  }

  private var crowd: TraceFinding? {
    let inProgress = blocks.filter { block in
      // A block called from within another one is on the same thread.
      block.lane.map { lanes[$0].kind == .pool } ?? false
    }
    let most = Self.most(inProgress.compactMap { block in block.begin.map { ($0, block.end ?? length + 1) } }) ?? 0
    let threads = Set(inProgress.compactMap(\.lane)).count
    return most >= 4 * max(1, cores.count) && threads >= 4 * max(1, cores.count)
      ? .crowd(threads: threads, blocks: most) : nil
  }

  // MARK: The size of the work

  /// The fewest iterations or blocks that show a pattern.
  private static let fewest = (iterations: 8, blocks: 100)
  /// The longest running time of a block that is called small, in nanoseconds.
  private static let small: UInt64 = 1000

  private var loop: TraceFinding? {
    let loops = Dictionary(grouping: blocks.filter { $0.kind == .apply && $0.lane != nil }) { block in
      [UInt64(block.submitter ?? 0), block.submitted ?? 0]
    }
    let longest = loops.values.max { $0.count < $1.count } ?? []
    guard cores.count > 1, longest.count >= Self.fewest.iterations else { return nil }
    let shares = Dictionary(grouping: longest) { $0.lane ?? 0 }.map {
      TraceFinding.LoopShare(lane: $0.key, iterations: $0.value.count)
    }
    return .loop(shares.sorted { ($1.iterations, $0.lane) < ($0.iterations, $1.lane) })
  }

  private var small: TraceFinding? {
    guard program == nil else { return smallInProgram }
    let submitted = blocks.filter { ($0.kind == .async || $0.kind == .job) && $0.submitted != nil }
    let queues = Dictionary(grouping: submitted, by: \.queue).filter { $0.value.count >= Self.fewest.blocks }
    for (queue, blocks) in queues.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
      let runs = blocks.compactMap { block in block.begin.flatMap { begin in block.end.map { $0 - begin } } }.sorted()
      let apart = zip(blocks, blocks.dropFirst()).compactMap { one, next -> UInt64? in
        guard one.submitter == next.submitter, let first = one.submitted, let second = next.submitted else {
          return nil
        }
        return second >= first ? second - first : nil
      }.sorted()
      guard !runs.isEmpty, !apart.isEmpty else { continue }
      let (run, between) = (runs[runs.count / 2], apart[apart.count / 2])
      if run < between, run < Self.small {
        return .small(queue: queue, blocks: blocks.count, run: run, apart: between)
      }
    }
    return nil
  }

  /// Returns the greatest number of times that overlap; nil if there are none.
  private static func most(_ times: [(begin: UInt64, end: UInt64)]) -> Int? {
    var edges = times.flatMap { [($0.begin, 1), ($0.end, -1)] }
    edges.sort { $0 < $1 }
    var now = 0
    return edges.map { edge in
      now += edge.1
      return now
    }.max()
  }
}
