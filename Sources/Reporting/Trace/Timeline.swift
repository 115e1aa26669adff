import Laboratory

/// The activity of a lane over time, as a sequence of pieces. During a wait within a block, the content is the wait.
/// During a block within another block, the content is the inner block.
struct Timeline {
  /// The activity of a thread.
  enum Content: Hashable {
    /// The thread is in no block, and does not wait.
    case nothing
    /// The thread is in the block with this index.
    case block(Int)
    /// The thread waits. The last value is the index of the block that contains the wait; nil if no block contains the
    /// wait.
    case wait(Trace.Wait.Reason, queue: Int?, in: Int?)
  }
  /// A time span in which the content is constant.
  struct Piece {
    var begin: UInt64
    var end: UInt64
    var content: Content
  }
  /// The pieces, in order and without gaps.
  let pieces: [Piece]

  /// Returns the timeline of each lane.
  static func all(of trace: Trace) -> [Timeline] {
    var blocks: [[Int]] = Array(repeating: [], count: trace.lanes.count)
    for (index, block) in trace.blocks.enumerated() {
      if let lane = block.lane, block.begin != nil { blocks[lane].append(index) }
    }
    return trace.lanes.indices.map { Timeline(trace, lane: $0, blocks: blocks[$0]) }
  }

  private init(_ trace: Trace, lane: Int, blocks: [Int]) {
    struct Edge {
      var time: UInt64
      var begins: Bool
      var content: Content
    }
    var edges: [Edge] = []
    for index in blocks {
      guard let begin = trace.blocks[index].begin else { continue }
      let end = trace.blocks[index].end ?? trace.length
      guard end > begin else { continue }
      edges.append(Edge(time: begin, begins: true, content: .block(index)))
      edges.append(Edge(time: end, begins: false, content: .block(index)))
    }
    // A wait of a pool thread for work is not an activity.
    for wait in trace.lanes[lane].waits where wait.reason != .work {
      let end = wait.end ?? trace.length
      guard end > wait.begin else { continue }
      edges.append(Edge(time: wait.begin, begins: true, content: .wait(wait.reason, queue: wait.queue, in: nil)))
      edges.append(Edge(time: end, begins: false, content: .wait(wait.reason, queue: wait.queue, in: nil)))
    }
    // Of two edges at the same time, the end of a piece precedes the beginning of another.
    edges.sort { ($0.time, $0.begins ? 1 : 0) < ($1.time, $1.begins ? 1 : 0) }
    var pieces: [Piece] = []
    var open: [Content] = []
    var since: UInt64 = 0
    func close(at time: UInt64) {
      var content = open.last ?? .nothing
      if case .wait(let reason, let queue, _) = content {
        let around = open.reversed().lazy.compactMap { if case .block(let block) = $0 { block } else { nil } }.first
        content = .wait(reason, queue: queue, in: around)
      }
      if time > since { pieces.append(Piece(begin: since, end: time, content: content)) }
      since = time
    }
    for edge in edges {
      close(at: edge.time)
      if edge.begins {
        open.append(edge.content)
      } else if let index = open.lastIndex(of: edge.content) {
        open.remove(at: index)
      }
    }
    close(at: trace.length)
    self.pieces = pieces
  }
}
