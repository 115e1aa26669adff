/// A model of a dispatch queue: the order and the number of its blocks, its target and its barriers, as in Dispatch's
/// documentation. The model does not reproduce the implementation of libdispatch.
public final class ModelQueue: @unchecked Sendable {
  /// The attributes of a queue.
  public struct Attributes: OptionSet, Sendable {
    /// The option bits.
    public let rawValue: Int
    /// Creates a set of options from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The attribute of a queue that can execute several blocks at the same time.
    public static let concurrent = Attributes(rawValue: 1)
    /// The attribute of a queue that executes no block until the queue is activated.
    public static let initiallyInactive = Attributes(rawValue: 2)
  }

  /// The flags of a block.
  public struct Flags: OptionSet, Sendable {
    /// The option bits.
    public let rawValue: Int
    /// Creates a set of options from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The flag of a block that excludes all other blocks of its concurrent queue while the block runs. A serial or
    /// global queue ignores the flag.
    public static let barrier = Flags(rawValue: 1)
  }

  /// A submitted block.
  private final class Item: @unchecked Sendable {
    let isBarrier: Bool
    init(isBarrier: Bool) { self.isBarrier = isBarrier }
  }

  private enum Kind { case serial, concurrent, global }

  /// The name of the queue.
  public let label: String
  private let kind: Kind
  private let target: ModelQueue?
  private let execution = Execution.now
  /// An array with the shared object that represents the order of the queue's blocks; empty for a global queue. The
  /// steps that activate the queue, call `sync`, or submit or begin a block change this object.
  let order: [Int]
  /// The shared objects that stand for the capacity of the queue and of its targets to run another block; empty for a
  /// global queue. The steps that activate the queue, call `sync`, or begin or end a block change these objects.
  private let room: [Int]
  private var isActive: Bool
  private var pending: [Item] = []
  private var running = 0
  private var isBarrierRunning = false

  /// Creates a queue. Without a target, blocks of the queue do not exclude blocks of other queues.
  public init(label: String, attributes: Attributes = [], target: ModelQueue? = nil) {
    self.label = label
    kind = attributes.contains(.concurrent) ? .concurrent : .serial
    isActive = !attributes.contains(.initiallyInactive)
    self.target = target
    order = [execution.makeObject()]
    room = [execution.makeObject()] + (target?.room ?? [])
  }

  private init() {
    label = "global"
    kind = .global
    isActive = true
    target = nil
    // A global queue can run all of its blocks at the same time, and begins them in any order.
    order = []
    room = []
  }

  /// Returns a global queue, which executes all blocks concurrently and ignores barriers.
  public static func global() -> ModelQueue { ModelQueue() }

  /// The main queue, which executes blocks like any serial queue.
  public static var main: ModelQueue { Execution.now.mainQueue }

  /// Activates an inactive queue.
  public func activate() {
    execution.step(.changing(self.order + self.room), "activates \(self.name)")
    execution.describe("activates \(name)")
    isActive = true
  }

  // MARK: Submitting

  /// Submits a block, and returns at once.
  public func async(group: ModelGroup? = nil, flags: Flags = [], execute body: @escaping @Sendable () -> Void) {
    execution.step(
      .changing(self.order).union(group?.enteringFootprint ?? .nothing), "submits a block to \(self.name)")
    group?.count()
    let block = enqueue(flags: flags, group: group, body)
    execution.describe("submits \(block.name) to \(name)\(flags.contains(.barrier) ? " as a barrier" : "")")
  }

  /// Submits a work item, and returns at once.
  public func async(execute item: ModelWorkItem) { async { item.perform() } }

  /// Submits a block, waits until it has finished, and returns its result.
  public func sync<Result>(flags: Flags = [], execute body: () throws -> Result) rethrows -> Result {
    let item = Item(isBarrier: flags.contains(.barrier))
    // The call enqueues the block in its own step, since only the footprint of this step contains the queue. If the
    // block cannot begin yet, it begins in a later step.
    execution.step(.changing(self.order + self.room), "calls sync on \(self.name)")
    pending.append(item)
    if canBegin(item) {
      execution.describe("calls sync on \(name)\(item.isBarrier ? " as a barrier" : "")")
    } else {
      execution.describe("calls sync on \(name), and waits")
      execution.step(.changing(self.order + self.room), "waits for its sync on \(self.name)") { self.canBegin(item) }
      execution.describe("continues in \(name)")
    }
    begin(item)
    defer { end(item) }
    return try body()
  }

  /// Enqueues a block, and returns the block's strand. If the pool is limited, a block of a global queue occupies a
  /// pool thread.
  @discardableResult
  func enqueue(flags: Flags = [], group: ModelGroup? = nil, _ body: @escaping () -> Void) -> Strand {
    let item = Item(isBarrier: flags.contains(.barrier))
    pending.append(item)
    return execution.spawnBlock { [self] in
      let pool = kind == .global ? execution.pool : nil
      execution.step(
        pool == nil ? .changing(self.order + self.room) : .everything, "waits for its turn in \(self.name)"
      ) {
        self.canBegin(item) && pool?.hasRoom(for: .medium) ?? true
      }
      begin(item)
      pool?.enter(.medium)
      execution.describe("begins in \(name)")
      body()
      if let group { group.leaveAfterBlock() }
      pool?.leave(.medium)
      end(item)
    }
  }

  /// Executes each iteration of a loop on its own thread, and waits until all iterations have finished.
  public static func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
    let execution = Execution.now
    withoutActuallyEscaping(work) { work in
      let threads = (0..<iterations).map { index in
        execution.spawn("iteration \(index + 1)") {
          Execution.step("begins")
          work(index)
        }
      }
      // The call also waits after the end of an execution, since the iterations use values on the caller's stack.
      execution.join(threads)
    }
  }

  // MARK: Running

  var name: String { kind == .global ? "a global queue" : "'\(label)'" }

  private func canBegin(_ item: Item) -> Bool {
    guard isActive else { return false }
    switch kind {
    case .global: return true
    case .serial: guard running == 0, pending.first.map({ $0 === item }) ?? true else { return false }
    case .concurrent:
      if isBarrierRunning { return false }
      if item.isBarrier, running > 0 || !(pending.first.map { $0 === item } ?? true) { return false }
      if pending.prefix(while: { $0 !== item }).contains(where: \.isBarrier) { return false }
    }
    return target?.admits ?? true
  }

  /// Whether this queue, as the target of another queue, can execute a block of the other queue.
  private var admits: Bool {
    switch kind {
    case .global: true
    case .serial: isActive && running == 0 && target?.admits ?? true
    case .concurrent: isActive && !isBarrierRunning && target?.admits ?? true
    }
  }

  private func begin(_ item: Item) {
    pending.removeAll { $0 === item }
    if item.isBarrier, kind == .concurrent { isBarrierRunning = true }
    enter()
    execution.hold(room)
  }

  private func end(_ item: Item) {
    if item.isBarrier, kind == .concurrent { isBarrierRunning = false }
    leave()
    execution.release(room)
  }

  private func enter() {
    running += 1
    target?.enter()
  }

  private func leave() {
    running -= 1
    target?.leave()
  }
}
