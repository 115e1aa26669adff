import Dispatch
import Laboratory
import Synchronization

/// How are no more jobs than so many kept in progress at once, and what do those cost that wait?
///
/// The document lets a semaphore count the places:
///
/// ```c
/// dispatch_semaphore_wait(places, DISPATCH_TIME_FOREVER);
/// do_the_job();
/// dispatch_semaphore_signal(places);
/// ```
///
/// Who waits for a place in this way keeps a thread. A job of Swift concurrency may await in the middle, and comes back on
/// whatever thread is free then, if one is.
///
/// Each trial looks twice. First the jobs work, and what was in progress at once is read from the times at which each began and
/// ended. Then each waits from its first instruction on, until nothing more begins and all threads sleep (``Standstill``).
///
/// Beyond the documents: what becomes of "Using Dispatch Semaphores to Regulate the Use of Finite Resources" (Concurrency
/// Programming Guide) in Swift concurrency.
struct LimitConcurrency: Pattern {
  static let name = "limit-concurrency"

  let jobs = Setting.count("jobs", 2...2000, default: 64, "jobs in all")
  let width = Setting.count("width", 1...250, default: 4, "how many may be in progress at once")
  let work = Setting.duration(
    "work", .zero ... .milliseconds(10), default: .microseconds(20), "how long a job works, in the first look")

  let overWidth = Metric.count("over-width", "jobs in progress at once beyond the width, at most in either look")
  let unused = Metric.count("unused", "places that nobody had although jobs waited for one, when no more began")
  let parkedWaiters = Metric.count("parked-waiters", "pool threads that waited with a job that had no place")
  let missing = Metric.count("missing", "jobs that had not ended when the way said that all had, in both looks")
  let perJob = Metric.latency(
    "per-job", "from the first submission to the end of the last job, while they work, over their number")

  /// How it is looked; a test looks otherwise.
  var looks = TaskLooks()

  var problem: [any Declaration] { [jobs, work] }

  var variants: [Variant] {
    Variant("unlimited", .broken, "a child task for each job, all at once") { trial in
      try limit(trial) { jobs, _ in
        await withTaskGroup { group in
          for job in jobs {
            group.addTask { await job.runSuspending() }
          }
        }
      }
    }
    Variant("window", .modern, "as many child tasks as places, and the next when one has ended") { trial in
      try limit(trial) { jobs, width in
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
    }
    Variant(
      "async-semaphore", .modern, "a child task for each, which awaits a place at a continuation",
      shows: ["AsyncSemaphore"]
    ) { trial in
      try limit(trial) { jobs, width in
        let places = AsyncSemaphore(value: width)
        await withTaskGroup { group in
          for job in jobs {
            group.addTask {
              await places.wait()
              await job.runSuspending()
              places.signal()
            }
          }
        }
      }
    }
    Variant(
      "semaphore-in-tasks", .broken, "a child task for each, which waits for a place with its thread",
      without: measures,
      ends: .hangs(within: .milliseconds(50))
    ) { trial in
      try deadlock(trial) { jobs, width in
        let places = DispatchSemaphore(value: width)
        await withTaskGroup { group in
          for job in jobs {
            group.addTask {
              places.blockForOne()
              await job.runSuspending()
              places.signal()
            }
          }
        }
      }
    }
    Variant("semaphore-in-queues", .documented, "a private serial queue for each, whose block waits for a place") {
      trial in
      try limitBlocks(trial) { jobs, width, all in
        let places = DispatchSemaphore(value: width)
        for job in jobs {
          DispatchQueue(label: "job").async(group: all) {
            places.wait()
            job.run()
            places.signal()
          }
        }
        all.wait()
      }
    }
    Variant(
      "operation-width", .documented, "an imitation of an operation queue: no more blocks are started than its width",
      shows: ["Operations"]
    ) {
      trial in
      try limitBlocks(trial) { jobs, width, all in
        let operations = Operations(width: width)
        for job in jobs {
          operations.add(to: all) { job.run() }
        }
        all.wait()
      }
    }
  }

  /// The jobs one after the other, and what a thread for each costs.
  func longest(_ trial: Trial) -> Duration? { (trial[work] + .milliseconds(1)) * trial[jobs] }

  private var measures: [any Declaration] { [work, overWidth, unused, parkedWaiters, missing, perJob] }
}

/// A semaphore that suspends tasks instead of blocking threads.
final class AsyncSemaphore: Sendable {
  private struct State {
    var places: Int
    var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
  }

  private let state: Mutex<State>

  /// A semaphore with so many places.
  init(value: Int) { state = Mutex(State(places: value)) }

  /// Takes a place, or waits for one behind those who came before.
  func wait() async {
    await withCheckedContinuation { task in
      let isFree = state.withLock { state in
        if state.places == 0 {
          state.waiting.append(task)
          return false
        }
        state.places -= 1
        return true
      }
      if isFree { task.resume() }
    }
  }

  /// Gives a place to who waits longest, or back.
  func signal() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.places += 1 }
      return next
    }
    next?.resume()
  }
}

/// What an operation queue does with its `maxConcurrentOperationCount`. (Foundation has the real one, which the lab does without: its
/// workers start in a few milliseconds.)
final class Operations: Sendable {
  private struct State {
    var running = 0
    var waiting: ArraySlice<@Sendable () -> Void> = []
  }

  private let width: Int
  private let state = Mutex(State())

  /// Operations of which so many run at once.
  init(width: Int) { self.width = width }

  /// Runs `body` as soon as fewer than the width are running.
  func add(to group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    let operation: @Sendable () -> Void = {
      // A serial queue of its own always gets a thread.
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
