import Laboratory

/// The figures of the blocks of one queue, or of several queues that share a letter.
struct QueueFigures {
  /// The label of the queue, or the common part of the queues' labels.
  let label: String
  /// The number of queues.
  let queues: Int
  /// The kind of the first queue.
  let kind: Trace.Queue.Kind
  /// The number of blocks that were submitted to the queues.
  let blocks: Int
  /// The delays of the blocks in nanoseconds (``Trace/Block/delay``), in ascending order.
  private let delays: [UInt64]
  /// The longest time for which a block that had not begun at the end of the record had been waiting, in nanoseconds;
  /// nil if there is no such block.
  private let openDelay: UInt64?
  /// The times from start to end in nanoseconds, in ascending order.
  private let runs: [UInt64]
  /// The longest time for which a block that had not ended at the end of the record had been running, in nanoseconds;
  /// nil if there is no such block.
  private let openRun: UInt64?

  /// Creates the figures of some queues of a trace.
  ///
  /// - Parameter queues: the indices of the queues.
  init(_ trace: Trace, queues: Set<Int>, label: String, kind: Trace.Queue.Kind) {
    let blocks = trace.blocks.filter { queues.contains($0.queue) }
    self.label = label
    self.queues = queues.count
    self.kind = kind
    self.blocks = blocks.count
    delays = blocks.compactMap(\.delay).sorted()
    func longest(since times: [UInt64]) -> UInt64? { times.min().map { trace.length - min($0, trace.length) } }
    openDelay = longest(since: blocks.filter(\.waitsToBegin).compactMap(\.ready))
    runs = blocks.compactMap { block in block.begin.flatMap { begin in block.end.map { $0 - begin } } }.sorted()
    openRun = longest(since: blocks.filter { $0.end == nil }.compactMap(\.begin))
  }

  /// The headings of the columns in ``cells``.
  static let headings = [
    Table.Heading("queue", .left), .init("kind", .left, omission: 1), .init("blocks"),
    .init("begins p50"), .init("p99", omission: 2), .init("most"), .init("runs p50"), .init("p99", omission: 2),
    .init("most"),
  ]

  /// The figures as a row of a table.
  var cells: [String] {
    let kind =
      switch kind {
      case .serial, .concurrent, .global, .main, .actor: kind.rawValue
      case .swiftPool: "pool"
      case .unknown: ""
      }
    let name = label.inLine + (queues > 1 ? " x\(queues)" : "")
    return [name, kind, "\(blocks)"] + Self.percentiles(delays, open: openDelay) + Self.percentiles(runs, open: openRun)
  }

  /// Returns the median, the 99th percentile and the maximum of sorted times as text. If a time that had not ended at
  /// the end of the record exceeds the maximum, this time replaces the maximum, with the sign `>`.
  private static func percentiles(_ times: [UInt64], open: UInt64?) -> [String] {
    let shares = [0.5, 0.99].map { (share: Double) -> String in
      guard !times.isEmpty else { return "-" }
      return TraceFigures.text(times[Int((Double(times.count - 1) * share).rounded(.up))])
    }
    if let open, open > times.last ?? 0 { return shares + [">" + TraceFigures.text(open)] }
    return shares + [times.last.map(TraceFigures.text) ?? "-"]
  }
}
