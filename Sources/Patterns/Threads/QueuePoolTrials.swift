import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

extension QueuePoolPattern {
  /// Returns a probe that runs the tasks twice, once working and once blocking, and records how many tasks were in
  /// progress at the same time.
  ///
  /// The body submits the tasks, and the probe waits for the tasks in the group. The trial is unavailable if there are
  /// not enough threads, or if the system does not report the states of threads.
  ///
  /// - Parameter timesBlocking: whether to time a further round of tasks that block for the setting `pause`.
  func look(
    timesBlocking: Bool = false
  ) -> Probe<@Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void> {
    Probe(
      reads: [tasks, work] + (timesBlocking ? [pause] : []),
      records: ofTasks + (timesBlocking ? [blockingElapsed] : []),
      longest: { trial in (longest(trial) ?? .zero) + (timesBlocking ? trial[pause] * trial[tasks] : .zero) }
    ) { trial, submit in
      let count = trial[tasks]
      let seen = try census.take(count, steps: trial.steps(work), threads: min(count, ThreadPool.limit)) {
        tasks, all in
        try submit(tasks, all)
        all.wait()
      }
      trial.record(threads, seen.blockedThreads ?? seen.threads)
      trial.record(blockedTasks, seen.blockedTasks)
      trial.record(inProgress, seen.inProgress)
      trial.record(throughput, Double(count) * 1e9 / Double(max(seen.elapsed, 1)))
      trial.record(startLatency, seen.starts)
      if let seen = seen.switches {
        trial.record(contextSwitches, Double(seen.voluntary + seen.involuntary) / Double(count))
      }
      guard timesBlocking else { return }
      let blocking = TaskRound(count: count, blockingFor: trial[pause])
      let begin = MonotonicClock.now()
      try submit(blocking.tasks, blocking.all)
      blocking.all.wait()
      trial.record(blockingElapsed, MonotonicClock.now() - begin)
    }
  }

  /// Runs threads that request queues from one pool at the same time. Records the number of different queues, and the
  /// largest difference between the numbers of times that two queues were returned.
  ///
  /// - Parameter next: a closure that requests the next queue of the pool.
  /// - Returns: the absolute difference between the number of different queues and the expected number. The expected
  ///   number is the number of cores, limited to the range from 1 to 32.
  /// - Throws: ``SystemError`` if a thread cannot be started.
  func race(_ trial: Trial, for next: @escaping @Sendable () -> DispatchQueue?) throws -> Int {
    let turns = trial[turns]
    let given = Mutex<[ObjectIdentifier: Int]>([:])
    // The queues are kept, so that a new queue cannot have the identity of a deallocated queue.
    let kept = Mutex<[DispatchQueue]>([])
    try Team.run(trial[racers]) { _ in
      let queues = (0..<turns).compactMap { _ in next() }
      given.withLock { given in for queue in queues { given[ObjectIdentifier(queue), default: 0] += 1 } }
      kept.withLock { $0 += queues }
    }
    let counts = given.withLock { $0.values }
    trial.record(queues, counts.count)
    trial.record(imbalance, (counts.max() ?? 0) - (counts.min() ?? 0))
    return abs(counts.count - min(max(trial.cores, 1), Self.mostQueues))
  }

  /// Runs threads that request the pool of each QoS class at the same time, before the pool exists. Records the maximum
  /// number of different pools for one class.
  ///
  /// - Parameters:
  ///   - count: the number of QoS classes.
  ///   - begin: a closure that discards all pools, and returns a closure that requests the pool of a class by its
  ///     index.
  /// - Throws: ``SystemError`` if a thread cannot be started.
  func raceForSets(
    _ trial: Trial, classes count: Int, _ begin: () -> @Sendable (_ index: Int) -> DispatchQueuePool?
  ) throws {
    var most = 0
    for _ in 0..<Self.setRaces {
      let ask = begin()
      for index in 0..<count {
        let got = Mutex<[DispatchQueuePool]>([])
        try Team.run(trial[racers]) { _ in
          if let set = ask(index) { got.withLock { $0.append(set) } }
        }
        most = max(most, got.withLock { Set($0.map(ObjectIdentifier.init)).count })
      }
    }
    trial.record(sets, most)
  }

  /// Creates pools of allowed and refused sizes, and records for how many of these sizes the result is wrong. Also
  /// creates pools for several numbers of cores, and records the sum of the errors in their numbers of queues.
  ///
  /// Finally records the number of sizes for which a pool returns its queues in turn while the pool's counter wraps.
  ///
  /// - Parameters:
  ///   - off: the error in the number of queues so far, to which further errors are added.
  ///   - size: a closure that returns the number of queues in a set for a number of cores.
  ///   - make: a closure that creates a pool of `count` queues with an initial value of the counter, or returns nil if
  ///     the size is refused.
  func judge(
    _ trial: Trial, off: Int, _ size: (_ cores: Int) -> Int,
    _ make: (_ count: Int, _ counter: UInt32) -> DispatchQueuePool?
  ) {
    /// Returns the number of different queues in a pool of `count` queues; nil if the size is refused.
    func different(_ count: Int) -> Int? {
      make(count, 0).map { pool in
        let taken = (0..<4 * Self.mostQueues).map { _ in pool.queue }
        return Set(taken.map(ObjectIdentifier.init)).count
      }
    }
    let asked: [(count: Int, allowed: Bool)] = [(0, false), (1, true), (32, true), (33, false)]
    trial.record(wrongSizeChecks, asked.count { different($0.count) != ($0.allowed ? $0.count : nil) })
    let expected: [(cores: Int, queues: Int)] = [(0, 1), (1, 1), (31, 31), (32, 32), (33, 32), (64, 32), (1024, 32)]
    trial.record(sizeError, expected.reduce(off) { $0 + abs((different(size($1.cores)) ?? 0) - $1.queues) })
    trial.record(
      roundRobinSizes,
      (1...Self.mostQueues).count { count in
        make(count, UInt32.max - UInt32(2 * count)).map { Self.isInTurn($0, count: count) } ?? false
      })
  }

  /// Returns whether a pool of `count` queues returns its queues in the same order in four consecutive rounds.
  private static func isInTurn(_ pool: DispatchQueuePool, count: Int) -> Bool {
    let first = (0..<count).map { _ in pool.queue }
    let rest = (0..<3 * count).map { _ in pool.queue }
    return Set(first.map(ObjectIdentifier.init)).count == count
      && rest.indices.allSatisfy { rest[$0] === first[$0 % count] }
  }

  /// The maximum number of queues in a pool of `YYDispatchQueuePool`.
  private static var mostQueues: Int { 32 }
  /// The number of times that the threads request the pools of all classes.
  private static var setRaces: Int { 10 }
}

extension QueuePoolPattern {
  /// A probe that sets a value on the global queue of each priority, and counts the blocks that do not find exactly the
  /// value of their priority.
  ///
  /// A block finds the values of its queue and of all direct and indirect targets of that queue.
  ///
  /// The body returns a queue for a priority. A second queue, which targets the returned queue, also runs a block.
  var seekTargets: Probe<@Sendable (_ priority: Int) -> FunctionQueue> {
    Probe(records: [offTarget]) { trial, make in
      // These are DISPATCH_QUEUE_PRIORITY_HIGH, _DEFAULT, _LOW and _BACKGROUND.
      let priorities = [2, 0, -2, Int(Int16.min)]
      let values = QueueSpecificValues(count: priorities.count)
      for (index, priority) in priorities.enumerated() {
        values.set(index, on: gcdlab_dispatch_get_global_queue(priority, 0))
      }
      let found = Gauge()
      for (index, priority) in priorities.enumerated() {
        let queue = make(priority)
        let above = FunctionQueue(label: "above")
        gcdlab_dispatch_set_target_queue(above.object, queue.object)
        for asked in [queue, above] {
          asked.async { if values.found == [index] { found.up() } }
          asked.sync()
        }
      }
      trial.record(offTarget, 2 * priorities.count - found.now)
    }
  }
}

/// Queue-specific values, each with its own key.
///
/// Conformance to `Sendable` is unchecked: the addresses do not change, and nothing is stored at them. The memory is
/// never freed, since the global queues keep the keys.
private final class QueueSpecificValues: @unchecked Sendable {
  private let keys: UnsafeMutableBufferPointer<UInt8>

  init(count: Int) { keys = .allocate(capacity: count) }

  /// Sets the value at `index` on a queue.
  func set(_ index: Int, on queue: UnsafeMutableRawPointer?) {
    let key = address(index)
    gcdlab_dispatch_queue_set_specific(queue, key, key, nil)
  }

  /// The indices of the values that are set on the queue of the calling block, or on a direct or indirect target of
  /// that queue.
  var found: [Int] { keys.indices.filter { gcdlab_dispatch_get_specific(address($0)) != nil } }

  private func address(_ index: Int) -> UnsafeMutableRawPointer? {
    keys.baseAddress.map { UnsafeMutableRawPointer($0 + index) }
  }
}
