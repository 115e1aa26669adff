/// The places in the code of a user's program that findings are about.
extension Trace {
  /// Returns the functions of a stack, beginning with the innermost function; an empty array if the stack is unknown.
  public func calls(_ stack: Int?) -> [String] { stack.flatMap { program?.stacks[$0] } ?? [] }

  /// Returns the stack of the wait or of the submission that a finding is about, beginning with the innermost function.
  /// The array is empty if the stack is unknown, for deadlocks of several threads, and for findings that are not about
  /// a single place in the code.
  public func calls(of finding: TraceFinding) -> [String] {
    switch finding {
    case .deadlock(let owners): return owners.count == 1 ? calls(of: owners[0]) : []
    case .starvation, .manyThreads: return calls(poolWait?.stack)
    case .blockedJobs(_, let longest), .timeouts(_, let longest): return calls(longest.wait.stack)
    case .hang(let block, _, _, _): return calls(blocks[block].stack)
    case .smallBlocks(let queue, _, _, _):
      let stacks = Dictionary(grouping: blocks.filter { $0.queue == queue }.compactMap(\.stack)) { $0 }
      return calls(stacks.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key)
    case .lockCycle(let lanes): return lanes.count == 1 ? calls(openWaits[lanes[0]]?.stack) : []
    case .standstill(let lanes): return calls(lanes.first.flatMap { openWaits[$0]?.stack })
    case .trap(_, let block): return calls(block.flatMap { blocks[$0].stack })
    case .syncWaits(_, _, let queue, _):
      return calls(mostOf(endedSyncWaits.filter { $0.queue == queue }, by: \.stack)?.stack)
    case .failure, .loopShares, .wait, .overlap: return []
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

  /// The waits that had not ended by the end of the record, by the index of the lane.
  var openWaits: [Int: Wait] {
    var waits: [Int: Wait] = [:]
    for (index, lane) in lanes.enumerated() {
      if let last = lane.waits.last, last.end == nil { waits[index] = last }
    }
    return waits
  }

  /// The waits of all threads in `sync` that have ended. A wait that has not ended can belong to a deadlock or a
  /// standstill.
  var endedSyncWaits: [Wait] { lanes.flatMap(\.waits).filter { $0.reason == .sync && $0.end != nil } }

  /// Returns a wait from the group of waits with the longest total time; nil if there are no waits. The waits of a
  /// group have equal keys.
  func mostOf(_ waits: [Wait], by key: (Wait) -> Int?) -> Wait? {
    let groups = Dictionary(grouping: waits) { key($0) ?? -1 }
    return groups.max { (Self.total($0.value), $1.key) < (Self.total($1.value), $0.key) }?.value.first
  }

  /// Returns the total time of waits that have ended, in nanoseconds.
  static func total(_ waits: [Wait]) -> UInt64 {
    waits.reduce(0) { $0 + (($1.end ?? $1.begin) - $1.begin) }
  }
}
