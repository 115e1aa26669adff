import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// What the variants are put through.
extension QueuePoolPattern {
  /// Runs the tasks twice, working and waiting, and records what was seen.
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
    trial.record(atOnce, seen.atOnce)
    trial.record(inProgress, seen.inProgress)
    trial.record(throughput, Double(count) * 1e9 / Double(max(seen.elapsed, 1)))
    trial.record(wait, seen.starts)
    if let seen = seen.switches { trial.record(switches, Double(seen.voluntary + seen.involuntary) / Double(count)) }
  }

  /// Threads take the queues of one pool at the same time; which they were given is counted.
  func race(_ trial: Trial, for next: @escaping @Sendable () -> DispatchQueue?) throws {
    let turns = trial[turns]
    let given = Mutex<[ObjectIdentifier: Int]>([:])
    // The queues stay: another one must not come to have the same identity.
    let kept = Mutex<[DispatchQueue]>([])
    try atOnce(trial[racers]) {
      let queues = (0..<turns).compactMap { _ in next() }
      given.withLock { given in for queue in queues { given[ObjectIdentifier(queue), default: 0] += 1 } }
      kept.withLock { $0 += queues }
    }
    let counts = given.withLock { $0.values }
    trial.record(queues, counts.count)
    trial.record(offSize, abs(counts.count - DispatchQueuePool.size(cores: trial.cores)))
    trial.record(uneven, (counts.max() ?? 0) - (counts.min() ?? 0))
  }

  /// Threads ask for the set of each class at the same time, before anybody else has.
  func raceForSets(_ trial: Trial, _ ask: @escaping @Sendable (DispatchQoS) -> DispatchQueuePool?) throws {
    var most = 0
    for qos in DispatchQueuePool.classes {
      let got = Mutex<[DispatchQueuePool]>([])
      try atOnce(trial[racers]) {
        if let set = ask(qos) { got.withLock { $0.append(set) } }
      }
      most = max(most, got.withLock { Set($0.map(ObjectIdentifier.init)).count })
    }
    trial.record(sets, most)
  }

  /// Asks for pools of allowed and other sizes.
  func judge(_ trial: Trial, _ make: (Int) -> DispatchQueuePool?) {
    let wrong = [(0, false), (1, true), (32, true), (33, false)].count { count, isAllowed in
      make(count).map(\.count) != (isAllowed ? count : nil)
    }
    trial.record(misjudged, wrong)
  }

  /// Runs `body` on so many threads at the same time.
  private func atOnce(_ count: Int, _ body: @escaping @Sendable () -> Void) throws {
    try SystemThread.requireRoom(for: count)
    let start = SpinBarrier(parties: count)
    let threads = try (0..<count).map { _ in
      try SystemThread {
        start.wait()
        body()
      }
    }
    for thread in threads { thread.join() }
  }
}
