import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension ThreadExplosion {
  /// Submits tasks while the lock that they need is held, submits the bystanders when all threads sleep, and then
  /// releases the lock.
  ///
  /// - Parameters:
  ///   - held: runs a body while no other thread gets what the tasks need.
  ///   - submit: submits one task.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report what they do.
  @discardableResult
  func crowd(
    _ trial: Trial, of count: Int, while held: (_ body: @escaping @Sendable () throws -> Void) throws -> Void,
    _ submit: @escaping @Sendable (ContendingTasks.Member) -> Void
  ) throws -> ContendingTasks {
    let hold = trial[hold]
    let most = min(count, ThreadPool.limit)
    try room.require(most)
    try standstill.warmUp()
    let crowd = ContendingTasks(count: count)
    let bystanders = Bystanders()
    let submitter = try WorkerThread()
    defer {
      // The submitter may still be submitting, if each submission waits for a free place.
      submitter.stop()
      crowd.all.wait()
    }
    try held { [standstill] in
      submitter.run { for index in 0..<count { submit(ContendingTasks.Member(crowd: crowd, index: index)) } }
      try standstill.wait()
      try crowd.look()
      try bystanders.come(standstill, patience: hold)
      crowd.released.set()
    }
    crowd.awaitEnd(of: submitter)
    trial.record(blockedThreads, crowd.parked)
    if let time = crowd.ended.since(crowd.released) { trial.record(drain, time, over: count) }
    record(trial, bystanders)
    return crowd
  }

  /// Runs `body` as a block of `queue`, on a thread of the pool, and waits for its end.
  func run(_ body: @escaping @Sendable () throws -> Void, on queue: DispatchQueue) throws {
    let ended = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Void, any Error>>(.success(()))
    queue.async {
      let end = Result { try body() }
      result.withLock { $0 = end }
      ended.signal()
    }
    ended.wait()
    try result.withLock { $0 }.get()
  }

  /// Submits the bystanders without any waiting tasks, and records how soon they begin.
  func recordBystandersAlone(_ trial: Trial) throws {
    try room.require(0)
    try standstill.warmUp()
    let bystanders = Bystanders()
    try bystanders.come(standstill, patience: .zero)
    record(trial, bystanders)
  }

  /// Runs a task of each of two QoS classes, which asserts that it runs on the global queue of its class and returns
  /// its queue's label, or nil if it asserts nothing.
  var assertGlobalQueue: Probe<@Sendable (TaskPriority, _ global: DispatchQueue) async -> String?> {
    Probe(records: [tasksOnGlobal, ownQueues]) { trial, run in
      let classes: [(TaskPriority, DispatchQueue)] = [(.medium, .global()), (.utility, .global(qos: .utility))]
      let labels = try waitFor {
        var labels: [String?] = []
        for (priority, global) in classes { labels.append(await run(priority, global)) }
        return labels
      }
      trial.record(tasksOnGlobal, labels.count { $0 != nil })
      trial.record(ownQueues, zip(labels, classes).count { $0 != nil && $0 != $1.1.label })
    }
  }

  private func record(_ trial: Trial, _ bystanders: Bystanders) {
    let measures = [
      (bystanders.global, globalStarved, globalStart), (bystanders.otherClass, otherQosStarved, otherQosStart),
      (bystanders.ownQueue, ownQueueStarved, ownQueueStart),
      (bystanders.otherClassQueue, otherQosQueueStarved, otherQosQueueStart),
    ]
    for (bystander, starved, start) in measures {
      trial.record(starved, bystander.isHeldUp ? 1 : 0)
      trial.record(start, bystander.awaitStart())
    }
    trial.record(starved, measures.count { $0.0.isHeldUp })
  }
}

/// Tasks that all need the same lock or resource.
final class ContendingTasks: Sendable {
  /// The group of the tasks.
  let all = DispatchGroup()
  /// The moment at which the tasks got what they need.
  let released = Moment()
  /// The moment at which the last task was done.
  let ended = Moment()
  private let count: Int
  private let done = Atomic<Int>(0)
  private let seen = Mutex((parked: 0, notDone: 0))

  init(count: Int) { self.count = count }

  /// A task of the crowd.
  struct Member: Sendable {
    fileprivate let crowd: ContendingTasks
    fileprivate let index: Int

    /// The group of the tasks.
    var all: DispatchGroup { crowd.all }
    /// Whether the task was submitted before all others.
    var isFirst: Bool { index == 0 }

    /// Counts the task as done.
    func work() { crowd.done.add(1, ordering: .relaxed) }
  }

  /// Notes what can be observed while the tasks wait.
  ///
  /// - Throws: ``Unavailable`` if the system does not report it.
  func look() throws {
    let census = try ThreadCensus.required()
    let notDone = count - done.load(ordering: .relaxed)
    seen.withLock { $0 = (census.parkedPoolThreads.count, notDone) }
  }

  /// Waits until all tasks were submitted and are done.
  func awaitEnd(of submitter: WorkerThread) {
    let isSubmitted = DispatchSemaphore(value: 0)
    submitter.run { isSubmitted.signal() }
    isSubmitted.wait()
    all.wait()
    ended.set()
  }

  /// The number of pool threads that waited when they were observed.
  var parked: Int { seen.withLock { $0.parked } }

  /// Records how many tasks after the first were not done when all threads slept.
  func recordBehind(_ trial: Trial, _ behind: MetricKey<Int>) { trial.record(behind, seen.withLock { $0.notDone } - 1) }
}

/// Blocks that do not need what the tasks wait for.
final class Bystanders: Sendable {
  /// A block on the global queue.
  let global = Bystander(on: .global())
  /// A block on the global queue of another QoS class.
  let otherClass = Bystander(on: .global(qos: .utility))
  /// A block on a serial queue of its own.
  let ownQueue = Bystander(on: DispatchQueue(label: "bystander"))
  /// A block on a serial queue of another QoS class.
  let otherClassQueue = Bystander(on: DispatchQueue(label: "bystander", qos: .utility))

  /// Submits the bystanders one after the other. Then waits until each delayed bystander begins, but no longer
  /// than `patience`.
  func come(_ standstill: Standstill, patience: Duration) throws {
    let all = [ownQueue, otherClassQueue, otherClass, global]
    for bystander in all { try bystander.come(standstill) }
    for bystander in all where bystander.isHeldUp { bystander.awaitStart(for: patience) }
  }
}

extension Lock {
  /// Runs `body` while it holds the lock.
  func held(_ body: () throws -> Void) throws { try mutex.withLock { _ in try body() } }
}
