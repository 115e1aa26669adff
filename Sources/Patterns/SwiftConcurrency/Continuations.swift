import Dispatch
import Instruments
import Synchronization

/// What does a continuation cost, and what happens to a task whose continuation is resumed twice, late or never?
///
/// ```swift
/// let answer = await withCheckedContinuation { task in
///   ask { answer in task.resume(returning: answer) }
/// }
/// ```
///
/// In the variant `twice`, separate processes resume a checked continuation twice, and the trial reads the text that
/// the processes write to standard error. The variants `never` and `unsafe-never` never resume their continuations.
/// Half of these continuations are released at the end of their operation. Objects retain the other half until all
/// threads sleep (``Standstill``).
///
/// Source: SE-0300, Continuations for interfacing async tasks with synchronous code.
struct Continuations: Pattern {
  static let name = "continuations"

  let roundTrips = Parameter.count(
    "round-trips", 1...10_000_000, default: 100_000, "continuations that are resumed in their operation, and timed")
  let tasks = Parameter.count("tasks", 1...200, default: 20, "tasks that wait at a continuation at the same time")
  let processes = Parameter.count("processes", 1...1000, default: 6, "processes that resume a continuation twice")

  let roundTrip = Metric.latency(
    "round-trip", "time to create a continuation, resume it in its operation, and continue")
  let wrong = Metric.count("wrong", "tasks that did not continue with the value that was passed to their continuation")
  let elsewhere = Metric.count("elsewhere", "operations that ran on a thread other than that of the preceding code")
  let early = Metric.count("early", "tasks that continued before the call that resumed all of them had ended")
  let survivors = Metric.count("survivors", "processes that resumed a continuation twice and did not trap")
  let unnamed = Metric.count("unnamed", "processes that did not name the misuse on standard error")
  let unwarned = Metric.count("unwarned", "dropped continuations without a warning on standard error")
  let continued = Metric.count("continued", "tasks that continued although they were not resumed")
  let freed = Metric.count("freed", "objects that were freed although a task that was not resumed retains them")

  /// The executable of the separate processes. A test may replace the executable.
  var executable = Host.executable
  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()

  private var runVisits: TrialProbe { Probe(reads: [tasks], records: [elsewhere, early]) }

  var variants: [Variant] {
    Variant("checked", .documented, "a checked continuation, resumed in its operation", timeRoundTrips) { count in
      var wrong = 0
      for number in 0..<count {
        if await withCheckedContinuation({ task in task.resume(returning: number) }) != number { wrong += 1 }
      }
      return wrong
    }
    Variant("unsafe", .documented, "an unsafe continuation, resumed in its operation", timeRoundTrips) { count in
      var wrong = 0
      for number in 0..<count {
        if await withUnsafeContinuation({ task in task.resume(returning: number) }) != number { wrong += 1 }
      }
      return wrong
    }
    Variant("anywhere", .documented, "tasks resumed by an operation, a thread, a queue or a task", runEachAnswer) {
      number, resumer in
      await withCheckedContinuation { task in
        resumer.run { task.resume(returning: number) }
      }
    }
    Variant(
      "actor", .documented, "checked continuations of an actor, which resumes them", runVisits
    ) { trial in
      actor Desk {
        var waiting: [CheckedContinuation<Void, Never>] = []

        func wait(_ tasks: WaitingTasks) async {
          let thread = tasks.currentThread
          await withCheckedContinuation { task in
            tasks.operationRuns(after: thread)
            waiting.append(task)
          }
          tasks.continues()
        }
        func serve(_ tasks: WaitingTasks) {
          for task in waiting { task.resume() }
          tasks.allAreResumed()
        }
      }
      let desk = Desk()
      try suspendAndResume(trial, { await desk.wait($0) }, { await desk.serve($0) })
    }
    Variant(
      "unsafe-actor", .documented, "unsafe continuations of an actor, which resumes them",
      runVisits
    ) { trial in
      actor Desk {
        var waiting: [UnsafeContinuation<Void, Never>] = []

        func wait(_ tasks: WaitingTasks) async {
          let thread = tasks.currentThread
          await withUnsafeContinuation { task in
            tasks.operationRuns(after: thread)
            waiting.append(task)
          }
          tasks.continues()
        }
        func serve(_ tasks: WaitingTasks) {
          for task in waiting { task.resume() }
          tasks.allAreResumed()
        }
      }
      let desk = Desk()
      try suspendAndResume(trial, { await desk.wait($0) }, { await desk.serve($0) })
    }
    Variant(
      "inline-executor", .broken, "checked continuations of tasks whose executor runs each job inside of enqueue",
      runVisits, shows: ["InlineExecutor"]
    ) { trial in
      final class Desk: Sendable {
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

        func wait(_ tasks: WaitingTasks) async {
          let thread = tasks.currentThread
          await withCheckedContinuation { task in
            waiting.withLock { $0.append(task) }
            tasks.operationRuns(after: thread)
          }
          tasks.continues()
        }
        func serve(_ tasks: WaitingTasks) {
          for task in waiting.withLock(\.self) { task.resume() }
          tasks.allAreResumed()
        }
      }
      let (desk, executor) = (Desk(), InlineExecutor())
      try suspendAndResume(
        trial, { tasks in await Task(executorPreference: executor) { await desk.wait(tasks) }.value },
        { desk.serve($0) })
    }
    Variant("twice", .broken, "a checked continuation is resumed twice", runEachProcess) { isSecondLater in
      let kept = Mutex<CheckedContinuation<Void, Never>?>(nil)
      await withCheckedContinuation { task in
        task.resume()
        if isSecondLater { kept.withLock { $0 = task } } else { task.resume() }
      }
      kept.withLock { $0?.resume() }
    }
    Variant("never", .broken, "checked continuations that are never resumed", forget) { task in
      let holder = Holder<CheckedContinuation<Void, Never>>()
      await withCheckedContinuation { continuation in
        if task.isHeld { holder.continuation = continuation }
        task.operationEnds(dropping: holder.drop)
      }
      task.continues()
    }
    Variant("unsafe-never", .broken, "unsafe continuations that are never resumed", forget) { task in
      let holder = Holder<UnsafeContinuation<Void, Never>>()
      await withUnsafeContinuation { continuation in
        if task.isHeld { holder.continuation = continuation }
        task.operationEnds(dropping: holder.drop)
      }
      task.continues()
    }
  }

  /// Returns an upper bound for the duration of a trial: 30 seconds.
  func longest(_ trial: Trial) -> Duration? { .seconds(30) }
}

/// A task executor that runs each job immediately, on the thread that enqueues it.
final class InlineExecutor: TaskExecutor {
  /// Runs the job on the calling thread.
  func enqueue(_ job: consuming ExecutorJob) { UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor()) }
}
