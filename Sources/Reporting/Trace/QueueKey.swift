import Laboratory

/// The letters of the queues in the picture of a trace, in the order of the queues' first blocks. If there are many
/// queues, those whose labels differ only in their numbers share a letter.
struct QueueKey {
  /// The queues that share a letter.
  struct Group {
    let label: String
    let kind: Trace.Queue.Kind
    var queues: Set<Int>
  }

  private(set) var groups: [Group] = []
  private var groupOf: [Int: Int] = [:]

  /// The largest number of groups that a key lists, and the number of colours.
  static let most = 8

  init(_ trace: Trace) {
    var known: Set<Int> = []
    let seen = trace.blocks.map(\.queue).filter { known.insert($0).inserted }
    for queue in seen {
      var label = trace.queues[queue].label
      if seen.count > Self.most { label = label.droppingLast { $0.isNumber || ".-# ".contains($0) } }
      let index = groups.firstIndex { $0.label == label } ?? groups.count
      if index == groups.count { groups.append(Group(label: label, kind: trace.queues[queue].kind, queues: [])) }
      groups[index].queues.insert(queue)
      groupOf[queue] = index
    }
  }

  /// Returns the number of a queue's group, which decides its colour.
  func index(of queue: Int) -> Int { groupOf[queue] ?? 0 }

  /// Returns the letter of a queue; a question mark if none of its blocks is in the trace.
  func letter(of queue: Int) -> String { groupOf[queue].map(Self.letter) ?? "?" }

  /// Returns the letter of a group; an asterisk for all groups after Z.
  static func letter(_ index: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return index < letters.count ? String(letters[index]) : "*"
  }

  /// Returns the short name of a block: `A3`, or `A3!` for a barrier.
  func name(of block: Trace.Block) -> String {
    "\(letter(of: block.queue))\(block.number)\(block.isBarrier ? "!" : "")"
  }

  /// Returns the rows of a table with the figures of the queues' blocks, below ``QueueFigures/headings``.
  func rows(of trace: Trace) -> [[String]] {
    groups.prefix(Self.most).enumerated().map { index, group in
      let cells = QueueFigures(trace, queues: group.queues, label: group.label, kind: group.kind).cells
      return ["\(Self.letter(index)) \(cells[0])"] + cells.dropFirst()
    }
  }
}
