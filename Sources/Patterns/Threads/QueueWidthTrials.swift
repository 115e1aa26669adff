import Dispatch
import Instruments

extension QueueWidth {
  /// Runs the tasks twice, once working and once blocking, and records how many tasks were in progress at the same
  /// time.
  ///
  /// - Parameters:
  ///   - usesPool: whether the tasks run on threads of the pool; if false, each task runs on a dedicated thread.
  ///   - run: a closure that submits the tasks, and returns after all tasks have ended.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
  func look(
    _ trial: Trial, usesPool: Bool = true,
    _ run: @escaping @Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws {
    let count = trial[tasks]
    let most = usesPool ? min(count, ThreadPool.limit) : count
    let seen = try census.take(count, steps: trial.steps(work), threads: most, run)
    trial.record(blockedTasks, seen.blockedTasks)
    trial.record(inProgress, seen.inProgress)
    if let cores = seen.cores { trial.record(coresUsed, cores) }
    trial.record(threads, seen.threads)
    trial.record(elapsed, seen.elapsed)
    trial.record(start, seen.starts)
  }

  /// Submits blocking tasks while tasks on another queue block all threads of the pool but one. Records the number of
  /// submitted tasks that have begun when all threads sleep.
  ///
  /// - Parameters:
  ///   - others: the queue of the tasks that block the threads beforehand.
  ///   - submit: a closure that submits the tasks.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
  func lookBesideOthers(
    _ trial: Trial, _ others: DispatchQueue, _ submit: (_ tasks: [RoundTask], _ all: DispatchGroup) -> Void
  ) throws {
    try census.capacity.require(trial.cores)
    try census.standstill.warmUp()
    let (beside, round) = (TaskRound(count: trial.cores - 1, steps: nil), TaskRound(count: trial[tasks], steps: nil))
    for task in beside.tasks { others.async(group: beside.all) { task.run() } }
    _ = try census.standstill.wait { beside.begun == beside.tasks.count }
    submit(round.tasks, round.all)
    try census.standstill.wait()
    trial.record(blockedTasks, round.begun)
    for round in [beside, round] {
      round.open()
      round.all.wait()
    }
  }

  /// Runs tasks that compute while a task on each queue of `others` occupies a core. Records the maximum number of
  /// working tasks in progress at the same time.
  ///
  /// - Parameters:
  ///   - others: the queues of the tasks that each occupy a core.
  ///   - submit: a closure that submits the tasks.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
  func workBesideQueues(
    _ trial: Trial, _ others: [DispatchQueue], _ submit: (_ tasks: [RoundTask], _ all: DispatchGroup) -> Void
  ) throws {
    try census.capacity.require(trial.poolWidth + others.count)
    try census.standstill.warmUp()
    let end = ExecutionCounts(count: 1)
    let (begun, ended) = (DispatchGroup(), DispatchGroup())
    for queue in others {
      begun.enter()
      queue.async(group: ended) {
        begun.leave()
        while end[0] == 0 {}
      }
    }
    begun.wait()
    work(trial, submit)
    end.ran(0)
    ended.wait()
  }

  /// Runs tasks that compute while other processes occupy cores. Records the maximum number of working tasks in
  /// progress at the same time.
  ///
  /// - Parameters:
  ///   - count: the number of other processes, each of which occupies one core.
  ///   - submit: a closure that submits the tasks.
  /// - Throws: ``SystemError`` if a process cannot be started, or ``Unavailable`` if the system does not report the
  ///   states of threads.
  func workBesideProcesses(
    _ trial: Trial, _ count: Int, _ submit: (_ tasks: [RoundTask], _ all: DispatchGroup) -> Void
  ) throws {
    try census.standstill.warmUp()
    var others: [ChildProcess] = []
    defer { for process in others { process.end() } }
    for _ in 0..<count { others.append(try ChildProcess.spinning()) }
    work(trial, submit)
  }

  private func work(_ trial: Trial, _ submit: (_ tasks: [RoundTask], _ all: DispatchGroup) -> Void) {
    let round = TaskRound(count: trial[tasks], steps: trial.steps(work))
    submit(round.tasks, round.all)
    round.all.wait()
    trial.record(inProgress, round.mostAtOnce)
  }
}
