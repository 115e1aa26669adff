import Laboratory

/// The letters of the queues in the picture of a trace, in the order of the queues' first blocks. If there are many
/// queues, queues whose labels differ only in numbers share a letter.
struct QueueKey {
  /// A group of queues that share a letter.
  struct Group {
    let label: String
    let kind: Trace.Queue.Kind
    var queues: Set<Int>
  }

  private(set) var groups: [Group] = []
  private var groupOf: [Int: Int] = [:]

  /// The maximum number of groups in a key, which is also the number of colours.
  static let mostGroups = 8

  init(_ trace: Trace) {
    var known: Set<Int> = []
    let seen = trace.blocks.map(\.queue).filter { known.insert($0).inserted }
    for queue in seen {
      var label = trace.queues[queue].label
      if seen.count > Self.mostGroups { label = label.droppingLast { $0.isNumber || ".-# ".contains($0) } }
      let index = groups.firstIndex { $0.label == label } ?? groups.count
      if index == groups.count { groups.append(Group(label: label, kind: trace.queues[queue].kind, queues: [])) }
      groups[index].queues.insert(queue)
      groupOf[queue] = index
    }
  }

  /// Returns the index of the group that contains a queue; 0 if no group contains the queue. The index determines the
  /// colour of the queue.
  func index(of queue: Int) -> Int { groupOf[queue] ?? 0 }

  /// Returns the letter of a queue; a question mark if the trace contains no block of the queue.
  func letter(of queue: Int) -> String { groupOf[queue].map(Self.letter) ?? "?" }

  /// Returns the letter of a group; an asterisk for the groups after Z.
  static func letter(_ index: Int) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return index < letters.count ? String(letters[index]) : "*"
  }

  /// Returns the short name of a block: `A3`, or `A3!` for a barrier.
  func name(of block: Trace.Block) -> String {
    "\(letter(of: block.queue))\(block.number)\(block.isBarrier ? "!" : "")"
  }

  /// Returns the rows of a table with the figures of the queues' blocks, one row for each of the first ``most`` groups.
  /// The columns are those of ``QueueFigures/headings``.
  func rows(of trace: Trace) -> [[String]] {
    groups.prefix(Self.mostGroups).enumerated().map { index, group in
      let cells = QueueFigures(trace, queues: group.queues, label: group.label, kind: group.kind).cells
      return ["\(Self.letter(index)) \(cells[0])"] + cells.dropFirst()
    }
  }
}
