import Dispatch
import Instruments
import Synchronization

extension ThreadExplosion {
  /// Submits tasks while the resource that they need is unavailable, submits the bystanders when all threads sleep, and
  /// then releases the resource.
  ///
  /// Records the number of blocked threads, whether and when each bystander starts, and the time per task from the
  /// release to the end of the last task. Returns the tasks.
  ///
  /// - Parameters:
  ///   - count: the number of tasks.
  ///   - held: a closure that calls its argument while no other thread can acquire the resource, such as a lock.
  ///   - submit: a closure that submits one task.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
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
      try bystanders.submitAndObserve(standstill, patience: hold)
      crowd.released.set()
    }
    crowd.awaitEnd(of: submitter)
    trial.record(blockedThreads, crowd.parked)
    if let time = crowd.ended.since(crowd.released) { trial.record(drain, time, over: count) }
    record(trial, bystanders)
    return crowd
  }

  /// Runs `body` asynchronously on `queue`, and waits until `body` has ended.
  ///
  /// - Throws: the error that `body` throws.
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

  /// Submits the bystanders without any waiting tasks, and records whether each bystander starves and how soon it
  /// begins.
  ///
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
  func recordBystandersAlone(_ trial: Trial) throws {
    try room.require(0)
    try standstill.warmUp()
    let bystanders = Bystanders()
    try bystanders.submitAndObserve(standstill, patience: .zero)
    record(trial, bystanders)
  }

  /// A probe that runs the body for each of two QoS classes. The body starts a task, asserts that the task runs on the
  /// global queue of the class, and returns the label of the task's queue. A body that asserts nothing returns nil. The
  /// probe records how many bodies returned a label, and how many labels differ from the label of the global queue.
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

/// Tasks that need the same resource, such as a lock.
final class ContendingTasks: Sendable {
  /// The group of the tasks.
  let all = DispatchGroup()
  /// The time at which the resource was released.
  let released = Moment()
  /// The time at which the last task ended.
  let ended = Moment()
  private let count: Int
  private let done = Atomic<Int>(0)
  private let seen = Mutex((parked: 0, notDone: 0))

  init(count: Int) { self.count = count }

  /// A task that needs the resource.
  struct Member: Sendable {
    fileprivate let crowd: ContendingTasks
    fileprivate let index: Int

    /// The group of the tasks.
    var all: DispatchGroup { crowd.all }
    /// Whether the task is submitted before all other tasks.
    var isFirst: Bool { index == 0 }

    /// Records that the task is done.
    func work() { crowd.done.add(1, ordering: .relaxed) }
  }

  /// Records the number of waiting threads of the pool, and the number of tasks that are not done.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  func look() throws {
    let census = try ThreadCensus.required()
    let notDone = count - done.load(ordering: .relaxed)
    seen.withLock { $0 = (census.parkedPoolThreads.count, notDone) }
  }

  /// Waits until `submitter` has submitted all tasks and all tasks have ended. Then records the time.
  func awaitEnd(of submitter: WorkerThread) {
    let isSubmitted = DispatchSemaphore(value: 0)
    submitter.run { isSubmitted.signal() }
    isSubmitted.wait()
    all.wait()
    ended.set()
  }

  /// The number of threads of the pool that waited when ``look()`` was called.
  var parked: Int { seen.withLock { $0.parked } }

  /// Records, as the metric `behind`, the number of tasks that were not done when ``look()`` was called. The first
  /// task, which still ran, is not counted.
  func recordBehind(_ trial: Trial, _ behind: MetricKey<Int>) { trial.record(behind, seen.withLock { $0.notDone } - 1) }
}

/// Blocks that do not need the resource of the contending tasks.
final class Bystanders: Sendable {
  /// A block on the global queue of the default QoS class.
  let global = Bystander(on: .global())
  /// A block on the global queue of the QoS class utility.
  let otherClass = Bystander(on: .global(qos: .utility))
  /// A block on a serial queue that has no other blocks.
  let ownQueue = Bystander(on: DispatchQueue(label: "bystander"))
  /// A block on a serial queue of the QoS class utility.
  let otherClassQueue = Bystander(on: DispatchQueue(label: "bystander", qos: .utility))

  /// Submits the bystanders one after the other. Then waits until each bystander that is held up has begun, but no
  /// longer than `patience` for each.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  func submitAndObserve(_ standstill: Standstill, patience: Duration) throws {
    let all = [ownQueue, otherClassQueue, otherClass, global]
    for bystander in all { try bystander.submitAndObserve(standstill) }
    for bystander in all where bystander.isHeldUp { bystander.awaitStart(for: patience) }
  }
}

extension Lock {
  /// Runs `body` while holding the lock.
  func held(_ body: () throws -> Void) throws { try mutex.withLock { _ in try body() } }
}
