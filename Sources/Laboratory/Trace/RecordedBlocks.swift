import Platform

/// The blocks of a record. The number of a block identifies its submission.
struct RecordedBlocks {
  let time: RecordedTime
  /// Whether the record is of a user's program. Only such a record contains the durations of submissions.
  let isProgram: Bool
  /// The blocks in the order of submission. The blocks refer to threads and stacks by their numbers in the record, and
  /// not by their indices in the trace.
  private var blocks: [Trace.Block] = []
  /// The number of blocks of each queue, by the index of the queue.
  private var counts: [Int: Int] = [:]
  /// The indices of the blocks that were submitted and have not begun, by the numbers of the blocks. A work item may be
  /// submitted more than once.
  private var pending: [UInt64: [Int]] = [:]
  /// The indices of the blocks that are in progress on each thread, ending with the innermost block.
  private var open: [Int: [Int]] = [:]
  /// The numbers of work items' blocks, by the addresses of the work items.
  private var items: [UInt64: UInt64] = [:]
  private var cancelled: Set<UInt64> = []

  init(in time: RecordedTime, isProgram: Bool) {
    self.time = time
    self.isProgram = isProgram
  }

  /// The blocks that are part of the trace. Work items that were cancelled before they began are excluded.
  var shown: [Trace.Block] {
    let never = Set(cancelled.flatMap { pending[$0] ?? [] })
    return blocks.indices.filter { !never.contains($0) }.map { blocks[$0] }
  }

  /// Returns whether blocks have run on a thread.
  func ran(on thread: Int) -> Bool { open[thread] != nil }

  mutating func create(item event: RecordedEvent) { items[event.a] = event.b }

  mutating func cancel(_ event: RecordedEvent) { cancelled.insert(items[event.a] ?? event.a) }

  mutating func submit(_ event: RecordedEvent, _ queues: inout RecordedQueues) {
    let kind = event.blockKind
    let first = event.isByItem ? items[event.a] ?? event.a : event.a
    let queue = queues.number(ofBlock: event)
    for number in first...(first + UInt64(kind == .apply ? max(1, event.count) - 1 : 0)) {
      pending[number, default: []].append(blocks.count)
      var block = block(event, in: queue)
      block.submitted = time.at(event.time)
      block.submitter = event.thread
      block.stack = event.site
      if kind == .after, event.count > 0 {
        // The event contains the delay in microseconds, plus 1.
        let due = event.time + UInt64(event.count - 1) * 1000
        block.due = due <= time.end ? time.at(due) : nil
      } else if isProgram, kind != .apply, event.count > 0 {
        block.submissionTime = UInt64(event.count)
      }
      blocks.append(block)
    }
  }

  mutating func begin(_ event: RecordedEvent, _ queues: inout RecordedQueues) {
    var index = blocks.count
    if let waiting = pending[event.a]?.first {
      index = waiting
      pending[event.a]?.removeFirst()
      // A job of an actor may have been submitted to the pool. The job belongs to the queue on which it begins.
      if event.blockKind == .job, event.b != 0 { blocks[index].queue = queues.number(ofBlock: event) }
    } else {
      blocks.append(block(event, in: queues.number(ofBlock: event)))
    }
    blocks[index].lane = event.thread
    blocks[index].begin = time.at(event.time)
    open[event.thread, default: []].append(index)
  }

  mutating func end(_ event: RecordedEvent) {
    guard let index = open[event.thread]?.popLast() else { return }
    blocks[index].end = time.at(event.time)
  }

  /// Creates the next block of a queue.
  private mutating func block(_ event: RecordedEvent, in queue: Int) -> Trace.Block {
    let number = counts[queue, default: 0] + 1
    counts[queue] = number
    return Trace.Block(
      event.blockKind, isBarrier: event.isBarrier, queue: queue, number: number, submitted: nil, submitter: nil)
  }
}
