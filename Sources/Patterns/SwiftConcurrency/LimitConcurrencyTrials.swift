import Dispatch
import Instruments

extension LimitConcurrency: FindingPattern {
  /// Returns an array with one note on the kind of jobs, on which the best width of a comparison depends. Returns an
  /// empty array if the experiment is not a comparison, or if no trial completed.
  func findings(in results: Results) -> [RunNote] {
    guard results.experiment.isComparison, results.runs.contains(where: { !$0.figures(perJob.metric).isEmpty }) else {
      return []
    }
    return [
      RunNote(
        Conclusion.advice,
        "The jobs keep a core busy and never wait, so a width above the number of cores can gain little; jobs that wait "
          + "for something gain from more.", runs: results.runs.map(\.label))
    ]
  }

  /// A function that should run at most `width` jobs at the same time, and returns when all jobs have ended.
  typealias Limit = @Sendable (_ jobs: [RoundTask], _ width: Int) async -> Void

  /// A probe that runs jobs as child tasks, and records how many jobs are in progress at the same time. A waiting job
  /// must not block a thread. The trial is unavailable if there are not enough threads, or if the system does not
  /// report the states of threads.
  var limit: Probe<Limit> {
    Probe(reads: [jobs, width, work], records: jobMetrics) { trial, run in
      let width = trial[width]
      try measureJobs(trial, width: width, jobsHoldThreads: false, threads: trial.cores) { jobs, _ in
        try waitFor { await run(jobs, width) }
      }
    }
  }

  /// A probe that runs jobs as blocks, and records how many jobs are in progress at the same time. Each job occupies a
  /// thread from its beginning to its end.
  var limitBlocks: Probe<@Sendable (_ jobs: [RoundTask], _ width: Int, _ all: DispatchGroup) -> Void> {
    Probe(reads: [jobs, width, work], records: jobMetrics) { trial, run in
      let width = trial[width]
      try measureJobs(trial, width: width, jobsHoldThreads: true, threads: min(trial[jobs], ThreadPool.limit)) {
        jobs, all in
        run(jobs, width, all)
      }
    }
  }

  /// The metrics that each completed trial records.
  private var jobMetrics: [any Declaration] { [overWidth, unusedSlots, blockedThreads, missing, perJob] }

  private func measureJobs(
    _ trial: Trial, width: Int, jobsHoldThreads: Bool, threads: Int,
    _ run: @escaping @Sendable (_ jobs: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws {
    let count = trial[jobs]
    let seen = try census.take(count, steps: trial.steps(work), threads: threads, run)
    guard let held = seen.blockedThreads else {
      throw Unavailable("this system does not report what threads wait for")
    }
    trial.record(overWidth, max(0, max(seen.inProgress, seen.blockedTasks) - width))
    trial.record(unusedSlots, max(0, min(width, count) - seen.blockedTasks))
    trial.record(blockedThreads, max(0, held - (jobsHoldThreads ? seen.blockedTasks : 0)))
    trial.record(missing, seen.unended)
    trial.record(perJob, seen.elapsed, over: count)
  }

  /// A probe for jobs that are expected not to end: each admitted job waits until all threads of the process sleep.
  /// There are more jobs than permits and threads together.
  var deadlock: Probe<Limit> {
    Probe(reads: [jobs, width]) { trial, run in
      let width = trial[width]
      let count = max(trial[jobs], width + 4 * trial.cores)
      try census.capacity.require(trial.cores)
      let submitter = try WorkerThread()
      defer { submitter.stop() }
      let round = TaskRound(count: count, steps: nil)
      let hasEnded = DispatchSemaphore(value: 0)
      submitter.run {
        try? waitFor { await run(round.tasks, width) }
        hasEnded.signal()
      }
      defer {
        round.open()
        hasEnded.wait()
      }
      try census.standstill.wait()
      trial.hazard()
    }
  }
}

extension DispatchSemaphore {
  /// Takes a permit. Blocks the calling thread until a permit is available. Unlike `wait()`, the method can also be
  /// called in a Swift task.
  func blockForOne() { wait() }
}
