/// The findings about the threads of the pool.
extension Trace {
  /// The shortest reported wait of a job, and the shortest reported period of starvation, in nanoseconds. A pool needs
  /// up to this time to start the next block on a thread.
  private static let shortest: UInt64 = 1_000_000

  func starvation(_ waits: [TraceFinding.WorkWait]) -> TraceFinding? {
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
    // If the pool adds a thread, the period is interrupted for a moment, until the new thread is blocked as well.
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
    // In a program that works, all threads may be blocked for a moment. A period counts as starvation if it lasts ten
    // times the shortest period. Shorter periods count if they add up to a quarter of the time.
    let isLong = longest >= (program == nil ? 1 : 10) * Self.shortest && total * 20 >= length - opening
    let isFrequent = longest >= Self.shortest && total >= 10 * Self.shortest && total * 4 >= length - opening
    guard isLong || isFrequent else { return nil }
    return .starvation(workers: most.workers, backlog: most.ready, time: total)
  }

  /// The periods in which blocks were ready to begin, but had not begun for lack of a thread. Only `async` blocks,
  /// delayed blocks that are due, and jobs count. Blocks of the main queue, of queues of unknown kind and of queues
  /// with barriers do not count. For a user's program, blocks of queues that may have been suspended, or that have a
  /// target queue other than a global queue, do not count either.
  var readyTimes: [(UInt64, UInt64)] {
    var times: [(UInt64, UInt64)] = []
    let kinds: Set<Block.Kind> = [.async, .after, .job]
    for (queue, blocks) in Dictionary(grouping: blocks, by: \.queue) {
      let kind = queues[queue].kind
      guard kind != .main, kind != .unknown, !blocks.contains(where: \.isBarrier) else { continue }
      // A queue on which no block has begun may be suspended.
      if let program, program.delayedQueues.contains(queue) || !blocks.contains(where: { $0.begin != nil }) { continue }
      guard queues[queue].isSerial else {
        times += blocks.filter { kinds.contains($0.kind) }.compactMap { block in
          block.ready.map { ($0, max($0, block.begin ?? length)) }
        }
        continue
      }
      // The queue is serial: a block is ready once the block before it has ended.
      var free: UInt64 = 0
      for block in blocks.sorted(by: { ($0.begin ?? .max, $0.number) < ($1.begin ?? .max, $1.number) }) {
        if kinds.contains(block.kind), let ready = block.ready, max(ready, free) < (block.begin ?? length) {
          times.append((max(ready, free), block.begin ?? length))
        }
        free = max(free, block.begin == nil ? length : block.end ?? length)
      }
    }
    return times
  }

  func blockedJobs(_ waits: [TraceFinding.WorkWait]) -> TraceFinding? {
    // A wait for a lock is not a mistake in a job, since the thread that holds the lock makes progress.
    let blocking: Set<Wait.Reason> = [.semaphore, .group, .sync, .condition, .join, .sleep]
    let found = waits.filter { wait in
      wait.block.map { blocks[$0].kind == .job } ?? false && blocking.contains(wait.wait.reason)
        && wait.time >= Self.shortest
    }
    return found.max { $0.time < $1.time }.map { .blockedJobs(count: found.count, longest: $0) }
  }

  var manyThreads: TraceFinding? {
    let inProgress = blocks.filter { block in
      // A block that was called from another block runs on the same thread, so the threads are counted as well.
      block.lane.map { lanes[$0].kind == .pool } ?? false
    }
    let most = Self.most(inProgress.compactMap { block in block.begin.map { ($0, block.end ?? length + 1) } }) ?? 0
    let threads = Set(inProgress.compactMap(\.lane)).count
    return most >= 4 * max(1, cores.count) && threads >= 4 * max(1, cores.count)
      ? .manyThreads(threads: threads, blocks: most) : nil
  }
}
