import CDispatchSupport

/// The execution of Swift's jobs. If the pool is not limited, each job is one step of its task's strand. Otherwise, a
/// job can consist of several steps.
extension Execution {
  /// Whether the jobs of explored programs are passed to their executions. The first access registers the hook for
  /// jobs.
  static let takesJobs = gcdlab_take_jobs { execution, job in
    guard let execution, let job else { return }
    Unmanaged<Execution>.fromOpaque(execution).takeUnretainedValue().take(job)
  }

  /// Adds a job to its task's strand, as the strand's next step. If the task has no strand, or if the strand has a
  /// pending or running job, the job gets a new strand.
  private func take(_ job: UnsafeMutableRawPointer) {
    let task = gcdlab_task_of_job(job)
    let strand: Strand
    if task != 0, let known = taskStrands[task], known.job == nil, known.fiber == nil {
      strand = known
    } else {
      let tasks = strands.count { $0.name.hasPrefix("task ") }
      strand = Strand(number: strands.count, name: taskName ?? "task \(tasks + 1)")
      strands.append(strand)
      taskStrands[task == 0 ? .max - UInt(strands.count) : task] = strand
    }
    strand.job = job
    let (pool, priority) = (pool, Self.priority(of: job))
    strand.next = Step(
      footprint: { .everything }, what: { pool == nil ? "runs" : "waits for a thread of Swift's pool" },
      canRun: pool.map { pool in { pool.hasRoom(for: priority) } })
  }

  /// Returns the priority of a job. If the job has no priority, returns medium, the priority of most tasks.
  private static func priority(of job: UnsafeMutableRawPointer) -> TaskPriority {
    let priority = unsafeBitCast(job, to: UnownedJob.self).priority.rawValue
    return priority == 0 ? .medium : TaskPriority(rawValue: priority)
  }

  /// Begins a job in a limited pool, on a fiber with its own thread.
  func begin(_ job: UnsafeMutableRawPointer, of strand: Strand, in pool: ModelPool) {
    let priority = Self.priority(of: job)
    pool.enter(priority)
    strand.fiber = fiber(onThread: true) {
      gcdlab_run_job(job)
      pool.leave(priority)
    }
  }
}
