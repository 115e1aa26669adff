import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension QueuePoolPattern {
  /// Runs the tasks twice, once working and once blocking, and records how many were in progress at once.
  ///
  /// - Parameter submit: submits the tasks; what is in the group is awaited.
  /// - Throws: ``Unavailable`` when there are not so many threads, or the system does not tell what they do.
  func look(
    _ trial: Trial, _ submit: @escaping @Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws {
    let count = trial[tasks]
    let seen = try looks.take(count, steps: trial.steps(work), threads: min(count, ThreadPool.limit)) {
      tasks, all in
      try submit(tasks, all)
      all.wait()
    }
    trial.record(threads, seen.held ?? seen.threads)
    trial.record(blockedTasks, seen.atOnce)
    trial.record(inProgress, seen.inProgress)
    trial.record(throughput, Double(count) * 1e9 / Double(max(seen.elapsed, 1)))
    trial.record(startLatency, seen.starts)
    if let seen = seen.switches {
      trial.record(contextSwitches, Double(seen.voluntary + seen.involuntary) / Double(count))
    }
  }

  /// Has threads take queues from one pool at the same time, and counts how often each queue was taken.
  ///
  /// - Returns: how many different queues more or fewer that were than there are cores, 1 to 32.
  func race(_ trial: Trial, for next: @escaping @Sendable () -> DispatchQueue?) throws -> Int {
    let turns = trial[turns]
    let given = Mutex<[ObjectIdentifier: Int]>([:])
    // The queues stay: another one must not come to have the same identity.
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

  /// Has threads ask for the pool of each QoS class at the same time, before any has been made.
  ///
  /// - Parameter begin: begins anew with no set made; what it returns asks for that of a class.
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

  /// Asks for pools of allowed and other sizes, for more and for fewer cores, and takes queues from pools whose counter
  /// is about to wrap.
  ///
  /// - Parameters:
  ///   - off: by how much the number of queues was wrong so far.
  ///   - size: how many queues a set has, by the number of cores.
  ///   - make: a pool of so many queues, of which so many were taken already; nil when that is refused.
  func judge(
    _ trial: Trial, off: Int, _ size: (_ cores: Int) -> Int,
    _ make: (_ count: Int, _ counter: UInt32) -> DispatchQueuePool?
  ) {
    /// How many different queues a pool of that size has; nil when it is refused.
    func different(_ count: Int) -> Int? {
      make(count, 0).map { pool in
        let taken = (0..<4 * Self.mostQueues).map { _ in pool.queue }
        return Set(taken.map(ObjectIdentifier.init)).count
      }
    }
    let asked: [(count: Int, allowed: Bool)] = [(0, false), (1, true), (32, true), (33, false)]
    trial.record(wrongSizeChecks, asked.count { different($0.count) != ($0.allowed ? $0.count : nil) })
    let told: [(cores: Int, queues: Int)] = [(0, 1), (1, 1), (31, 31), (32, 32), (33, 32), (64, 32), (1024, 32)]
    trial.record(sizeError, told.reduce(off) { $0 + abs((different(size($1.cores)) ?? 0) - $1.queues) })
    trial.record(
      roundRobinSizes,
      (1...Self.mostQueues).count { count in
        make(count, UInt32.max - UInt32(2 * count)).map { Self.isInTurn($0, count: count) } ?? false
      })
  }

  /// Whether a pool of `count` queues hands out each of them once in every round, for four rounds.
  private static func isInTurn(_ pool: DispatchQueuePool, count: Int) -> Bool {
    let first = (0..<count).map { _ in pool.queue }
    let rest = (0..<3 * count).map { _ in pool.queue }
    return Set(first.map(ObjectIdentifier.init)).count == count
      && rest.indices.allSatisfy { rest[$0] === first[$0 % count] }
  }

  /// As many queues as the document's pool may have.
  private static var mostQueues: Int { 32 }
  /// How often the racers ask for the sets of all classes.
  private static var setRaces: Int { 10 }
}
