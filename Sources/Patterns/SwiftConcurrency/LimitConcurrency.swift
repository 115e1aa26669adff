import Dispatch
import Instruments
import Synchronization

/// How does a program limit the number of jobs in progress, and what do the waiting jobs cost?
///
/// The Concurrency Programming Guide counts free resources with a semaphore: a task waits for the semaphore before it
/// uses a resource, and signals the semaphore afterwards. A job that waits in this way blocks a thread. In Swift
/// concurrency, a job can suspend instead, and later resume on any free thread.
///
/// A trial of a variant that does not hang has two phases. In the first phase, the jobs work and are timed. The times
/// at which each job began and ended show how many jobs were in progress at once. In the second phase, each job waits
/// at its beginning until no further job begins and all threads sleep (``Standstill``).
///
/// Beyond the documents: this pattern applies "Using Dispatch Semaphores to Regulate the Use of Finite Resources"
/// (Concurrency Programming Guide) to Swift concurrency.
struct LimitConcurrency: Pattern {
  static let name = "limit-concurrency"

  let jobs = Parameter.count("jobs", 2...2000, default: 64, "number of jobs")
  let width = Parameter.count("width", 1...250, default: 4, "limit: most jobs in progress at once")
  let work = Parameter.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(20), "CPU time of a job in the timed phase")

  let overWidth = Metric.count("over-width", "peak number of jobs in progress beyond the limit")
  let unusedSlots = Metric.count("unused-slots", "slots left free although jobs were waiting, once no more jobs began")
  let blockedThreads = Metric.count("blocked-threads", "pool threads blocked by jobs that wait for a slot")
  let missing = Metric.count("missing", "jobs unfinished when the variant reported that all had ended")
  let perJob = Metric.latency("per-job", "elapsed time over the number of jobs, in the timed phase")

  /// The census, which executes the jobs of a trial twice: first working, then waiting. A test may replace the census.
  var census = TaskCensus()

  var problem: [any Declaration] { [jobs, work] }

  var variants: [Variant] {
    Variant("unlimited", .broken, "a task group adds one child task per job, all at once", limit) { jobs, _ in
      await withTaskGroup { group in
        for job in jobs {
          group.addTask { await job.runSuspending() }
        }
      }
    }
    Variant("window", .modern, "a sliding window: as many child tasks as the limit, the next when one has ended", limit)
    { jobs, width in
      await withTaskGroup { group in
        for job in jobs.prefix(width) {
          group.addTask { await job.runSuspending() }
        }
        for job in jobs.dropFirst(width) {
          await group.next()
          group.addTask { await job.runSuspending() }
        }
      }
    }
    Variant("async-semaphore", .modern, "a child task per job, which suspends at an async semaphore", limit) {
      jobs, width in
      let semaphore = AsyncSemaphore(value: width)
      await withTaskGroup { group in
        for job in jobs {
          group.addTask {
            await semaphore.wait()
            await job.runSuspending()
            semaphore.signal()
          }
        }
      }
    }
    Variant(
      "semaphore-in-tasks", .broken, "a child task per job, which blocks its thread in DispatchSemaphore.wait",
      deadlock, ends: .hangs(within: .milliseconds(50))
    ) { jobs, width in
      let semaphore = DispatchSemaphore(value: width)
      await withTaskGroup { group in
        for job in jobs {
          group.addTask {
            semaphore.blockForOne()
            await job.runSuspending()
            semaphore.signal()
          }
        }
      }
    }
    Variant(
      "semaphore-in-queues", .documented, "a private serial queue per job, whose block waits on a DispatchSemaphore",
      limitBlocks
    ) { jobs, width, all in
      let semaphore = DispatchSemaphore(value: width)
      for job in jobs {
        DispatchQueue(label: "job").async(group: all) {
          semaphore.wait()
          job.run()
          semaphore.signal()
        }
      }
      all.wait()
    }
    Variant(
      "imitated-operation-queue", .yardstick,
      "the lab's imitation of an OperationQueue with maxConcurrentOperationCount: blocks wait in a list", limitBlocks
    ) { jobs, width, all in
      let operations = Operations(width: width)
      for job in jobs {
        operations.add(to: all) { job.run() }
      }
      all.wait()
    }
  }

  /// Returns an upper bound for the duration of a trial: the time that all jobs need if they run one after another,
  /// each on a new thread.
  func longest(_ trial: Trial) -> Duration? { (trial[work] + .milliseconds(1)) * trial[jobs] }
}

/// A semaphore that suspends tasks instead of blocking threads.
final class AsyncSemaphore: Sendable {
  private struct State {
    var permits: Int
    var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
  }

  private let state: Mutex<State>

  /// Creates a semaphore with `value` permits.
  init(value: Int) { state = Mutex(State(permits: value)) }

  /// Acquires a permit. Suspends the caller until a permit is available. Waiting tasks receive permits in FIFO order.
  func wait() async {
    await withCheckedContinuation { task in
      let isFree = state.withLock { state in
        if state.permits == 0 {
          state.waiting.append(task)
          return false
        }
        state.permits -= 1
        return true
      }
      if isFree { task.resume() }
    }
  }

  /// Releases a permit: resumes the task that has waited longest, or increments the number of permits if no task waits.
  func signal() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.permits += 1 }
      return next
    }
    next?.resume()
  }
}

/// A queue that limits the number of running operations, as the `maxConcurrentOperationCount` of an operation queue
/// does.
///
/// The type replaces Foundation's `OperationQueue`. The lab does not import Foundation, since the lab's workers must
/// start in a few milliseconds.
final class Operations: Sendable {
  private struct State {
    var running = 0
    var waiting: ArraySlice<@Sendable () -> Void> = []
  }

  private let width: Int
  private let state = Mutex(State())

  /// Creates a queue that runs at most `width` operations at once.
  init(width: Int) { self.width = width }

  /// Submits `body` as an operation of `group`. Waiting operations start in FIFO order as soon as fewer than `width`
  /// operations are running.
  func add(to group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    let operation: @Sendable () -> Void = {
      // Each operation has its own serial queue. Dispatch then starts a thread even if as many other operations block
      // as there are cores.
      DispatchQueue(label: "operation").async(group: group) {
        body()
        self.startNext()
      }
    }
    group.enter()
    let isFree = state.withLock { state in
      if state.running == width {
        state.waiting.append {
          operation()
          group.leave()
        }
        return false
      }
      state.running += 1
      return true
    }
    if isFree {
      operation()
      group.leave()
    }
  }

  private func startNext() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.running -= 1 }
      return next
    }
    next?()
  }
}
