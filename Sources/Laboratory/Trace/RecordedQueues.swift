import Platform

/// The queues of a record. Each queue is numbered at its first use. The kind of a queue that the record does not
/// describe is unknown.
struct RecordedQueues {
  /// The queues that were used, in the order of their numbers.
  private(set) var used: [Trace.Queue] = []
  /// The numbers of the queues whose blocks may wait for something other than a thread.
  private(set) var delayed: Set<Int> = []
  private var known: [Identifier: Known] = [
    .pool: Known(kind: .swiftPool, label: "Swift's pool"), .loops: Known(kind: .global, label: "parallel loops"),
  ]

  /// The identifier of a queue in events.
  private enum Identifier: Hashable {
    case address(UInt64)
    case pool
    case loops
    case none
  }

  private struct Known {
    var kind = Trace.Queue.Kind.unknown
    var label = ""
    var number: Int?
    var isSource = false
    /// The queue on which the handlers of a source run; nil for a queue, and for a source without a queue.
    var target: Identifier?
  }

  /// Records the kind of a queue, in place of an earlier queue with the same address.
  mutating func describe(_ event: RecordedEvent) {
    known[.address(event.a)] = Known(kind: event.queueKind, isSource: event.isOfSource)
  }

  /// Records the label of a queue.
  mutating func name(_ address: UInt64, _ label: String) { known[.address(address)]?.label = label }

  /// Records that the blocks of a queue may be delayed, since the queue was suspended or has a target other than a
  /// global queue. Of a source, only the target is recorded: the queue on which the handlers of the source run.
  mutating func hold(_ event: RecordedEvent) {
    guard known[.address(event.a)]?.isSource != true else {
      if event.b != 0 { known[.address(event.a)]?.target = .address(event.b) }
      return
    }
    if event.b == 0 || known[.address(event.b)]?.kind != .global { delayed.insert(number(of: .address(event.a))) }
  }

  /// Returns the number of the queue that an event waits for; nil if the wait is not for a queue.
  mutating func number(ofWait event: RecordedEvent) -> Int? {
    event.b == 0 ? nil : number(of: .address(event.b))
  }

  /// Returns the number of the queue that a block was submitted to or begins on.
  mutating func number(ofBlock event: RecordedEvent) -> Int {
    guard event.b == 0 else { return number(of: .address(event.b)) }
    return switch event.blockKind {
    case .job: number(of: .pool)
    case .apply: number(of: .loops)
    case .async, .sync, .after, .notify, .handler: number(of: .none)
    }
  }

  private mutating func number(of identifier: Identifier) -> Int {
    var queue = known[identifier] ?? Known()
    if let target = queue.target { return number(of: target) }
    if let number = queue.number { return number }
    let number = used.count
    queue.number = number
    known[identifier] = queue
    used.append(
      Trace.Queue(label: queue.label.isEmpty ? "queue \(number + 1)" : Self.short(queue.label), kind: queue.kind))
    return number
  }

  /// Returns a short name for the label of a global queue, and any other label in a form for one line.
  private static func short(_ label: String) -> String {
    let root = "com.apple.root."
    guard label.hasPrefix(root) else { return label.inLine }
    return "global \(label.dropFirst(root.count).replacing("-qos", with: "").replacing(".overcommit", with: ""))"
  }
}
