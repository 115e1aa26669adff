/// The findings about the sizes of blocks and of the iterations of parallel loops.
extension Trace {
  /// The smallest numbers of iterations and of blocks from which a finding is reported.
  private static let fewest = (iterations: 8, blocks: 100)
  /// The running time below which a block is small, in nanoseconds.
  private static let smallTime: UInt64 = 1000

  var loopShares: TraceFinding? {
    let loops = Dictionary(grouping: blocks.filter { $0.kind == .apply && $0.lane != nil }) { block in
      [UInt64(block.submitter ?? 0), block.submitted ?? 0]
    }
    func time(_ loop: [Block]) -> UInt64 {
      let (begin, end) = (loop.compactMap(\.begin).min(), loop.compactMap(\.end).max())
      return begin.flatMap { begin in end.map { $0 > begin ? $0 - begin : 0 } } ?? 0
    }
    let longest = loops.values.max { (time($0), $0.count) < (time($1), $1.count) } ?? []
    guard cores.count > 1, longest.count >= Self.fewest.iterations else { return nil }
    let shares = Dictionary(grouping: longest) { $0.lane ?? 0 }.map {
      TraceFinding.LoopShare(lane: $0.key, iterations: $0.value.count)
    }
    return .loopShares(shares.sorted { ($1.iterations, $0.lane) < ($0.iterations, $1.lane) })
  }

  var smallBlocks: TraceFinding? {
    guard program == nil else { return smallBlocksInProgram }
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
      if run < between, run < Self.smallTime {
        return .smallBlocks(queue: queue, blocks: blocks.count, run: run, apart: between)
      }
    }
    return nil
  }
}
