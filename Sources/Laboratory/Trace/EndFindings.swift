/// The findings about the end of a trial or a program.
extension Trace {
  func ends(_ deadlock: [TraceFinding.Owner]?) -> [TraceFinding] {
    let deadlock = deadlock.map { [TraceFinding.deadlock($0)] } ?? []
    switch end {
    case .completed: return []
    case .trapped(let signal):
      return deadlock + [.trap(signal: signal, block: trappedBlock)]
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

  /// The innermost block of the thread that trapped; nil if that thread ran no block, or if the record permits several
  /// threads. A thread that waits does not trap, and a thread of the pool traps only in a block.
  var trappedBlock: Int? {
    let current = Dictionary(
      blocks.indices.filter { blocks[$0].begin != nil && blocks[$0].end == nil }.compactMap { index in
        blocks[index].lane.map { ($0, index) }
      }, uniquingKeysWith: { blocks[$0].begin ?? 0 > blocks[$1].begin ?? 0 ? $0 : $1 })
    let waiting = openWaits
    let candidates = lanes.indices.filter { lane in
      waiting[lane] == nil && (lanes[lane].end ?? length) >= length
        && (current[lane] != nil || lanes[lane].kind != .pool && lanes[lane].kind != .manager)
    }
    return candidates.count == 1 ? current[candidates[0]] : nil
  }

  /// The lanes that wait in `sync` for each other's queues, or the lane that waits for its own queue, at the end of the
  /// record; nil if there are no such lanes, if a trial completed, or if the last calls were not recorded.
  var deadlock: [TraceFinding.Owner]? {
    guard end != .completed || program != nil, !gaps.contains(where: { $0.record == .calls && $0.end == length }) else {
      return nil
    }
    // The submitter of a `sync` that has not begun is waiting. The submitter's thread may be asleep, or may have been
    // stopped before the thread could sleep.
    let requests = blocks.filter { $0.kind == .sync && $0.begin == nil && $0.submitter != nil }
    let held = blocks.indices.filter { blocks[$0].begin != nil && blocks[$0].end == nil && blocks[$0].lane != nil }
    func isBehindBarrier(_ request: Block) -> Bool {
      blocks.contains {
        $0.isBarrier && $0.begin == nil && $0.queue == request.queue && $0.submitted ?? .max < request.submitted ?? 0
      }
    }
    /// Returns the indices of the running blocks that prevent a request from beginning.
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
          // Each entry of the path contains the queue that the preceding lane waits for. The rotation replaces this
          // queue by the queue that the entry's own lane waits for.
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
}
