import Dispatch
import Instruments
import Synchronization

extension BlockingBridge {
  /// Executes `call` once in each child task of a group, and records whether all tasks end. The tasks have the priority
  /// `utility`. No other work needs the threads of this priority, so a stalled trial does not delay later work.
  ///
  /// - Parameters:
  ///   - tasks: the number of tasks; nil for the setting `submitters`, or for the number of threads of the pool if that
  ///     number is larger.
  ///   - tries: the maximum number of groups. The groups run one after another until a group does not end. On a busy
  ///     machine, the pool's monitor, which runs once per second, may add a thread before the tasks have come to a
  ///     standstill. Each further group starts after that thread has ended, or after 10 seconds.
  ///   - sum: a closure that returns the value of a counter. The closure is called only if all tasks have ended.
  ///   - call: a closure that increments the counter once.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report the states of threads.
  func submit(
    _ trial: Trial, tasks: Int? = nil, tries: Int = 1, sum: () -> Int, _ call: @escaping @Sendable () async -> Void
  ) throws {
    let (count, hold) = (tasks ?? max(trial[submitters], trial.poolWidth), trial[hold])
    try room.require(2 * trial.poolWidth)
    let warm = DispatchGroup()
    DispatchQueue.global(qos: .utility).async(group: warm) {}
    warm.wait()
    try waitFor { await Task(priority: .utility) {}.value }
    try standstill.wait()
    var (progress, begin, haveEnded, runs) = (Progress(of: 0, parties: 0), UInt64(0), true, 0)
    while haveEnded, runs < tries {
      if runs > 0 { try waitForEndOfIdleThreads() }
      runs += 1
      progress = Progress(of: count, parties: min(count, trial.cores))
      begin = MonotonicClock.now()
      run(count, progress, call)
      haveEnded = try standstill.wait { progress.last.isSet }
    }
    let blocked = try ThreadCensus.required().parkedPoolThreads
    trial.record(blockedThreads, blocked.count)
    let byTasks = progress.threadsOfUnended.intersection(blocked).count
    trial.record(freeThreads, haveEnded ? 0 : max(0, trial.cores - byTasks))
    trial.record(stalled, haveEnded ? 0 : 1)
    let end = MonotonicClock.now() + UInt64(clamping: hold.nanoseconds)
    while !progress.last.isSet, MonotonicClock.now() < end { blockThread(for: .milliseconds(1)) }
    // The last task may end at any time, so the time of its end is read only once.
    let last = progress.last.time
    trial.record(unended, last == nil ? max(1, count - progress.ended.count) : 0)
    guard let last else { return }
    trial.record(perTask, last - begin, over: count)
    trial.record(missing, runs * count - sum())
  }

  /// Waits until the pool has no idle thread, but no longer than 10 seconds. A thread that the pool's monitor added
  /// would run the work that the tasks of the next group wait for. Dispatch ends a thread that has had no work for 5
  /// seconds.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  private func waitForEndOfIdleThreads() throws {
    let end = MonotonicClock.now() + 10_000_000_000
    while MonotonicClock.now() < end {
      guard try ThreadCensus.required().threads.contains(where: { $0.isPoolThread && $0.sleep == .idle }) else {
        return
      }
      blockThread(for: .milliseconds(20))
    }
  }

  /// Starts a group of `count` child tasks, each of which executes `call` once.
  private func run(_ count: Int, _ progress: Progress, _ call: @escaping @Sendable () async -> Void) {
    Task(priority: .utility) {
      await withDiscardingTaskGroup { group in
        for index in 0..<count {
          group.addTask {
            progress.begins(index)
            await call()
            progress.ends(index, of: count)
          }
        }
      }
    }
  }
}

/// Blocks the thread of the calling task until the semaphore is signalled.
func waitBlocking(for semaphore: DispatchSemaphore) { semaphore.wait() }

/// The progress of the tasks in a group.
private final class Progress: Sendable {
  private let parties: Int
  private let begun = Atomic(0)
  private let threads: Slots<Atomic<Int>>
  /// The time at which the last task ended.
  let last = Moment()

  /// Creates the progress of a group of `count` tasks, which wait at their beginning until `parties` tasks have begun.
  init(of count: Int, parties: Int) {
    self.parties = parties
    threads = Slots(count: count) { _ in Atomic(0) }
  }

  /// Records that the task `index`, which calls this method, has begun on the current thread. Then blocks the task
  /// until `parties` tasks have begun. The task spins, since a sleeping thread could be mistaken for a standstill.
  func begins(_ index: Int) {
    threads[index].store(ThreadCensus.currentThread, ordering: .relaxed)
    begun.add(1, ordering: .acquiringAndReleasing)
    while begun.load(ordering: .acquiring) < parties { yieldProcessor() }
  }

  /// Records that the task `index` of `count` tasks has ended.
  func ends(_ index: Int, of count: Int) {
    threads[index].store(0, ordering: .relaxed)
    if ended.add() == count { last.set() }
  }

  /// The threads on which the tasks that have not ended began. A task that blocks in a synchronous call is still on
  /// that thread.
  var threadsOfUnended: Set<Int> {
    Set((0..<threads.count).map { threads[$0].load(ordering: .acquiring) }).subtracting([0])
  }

  /// The number of tasks that have ended.
  let ended = Tally()
}
