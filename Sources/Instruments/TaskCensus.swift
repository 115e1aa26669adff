import CDispatchSupport
import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// A measurement of the number of tasks that the system allows to be in progress at the same time. The tasks work in
/// the first round, and wait in the second round.
public struct TaskCensus: Sendable {
  /// The check that no further task begins. Tests replace this check.
  public var standstill = Standstill()
  /// The check that threads can be started. Tests replace this check.
  public var capacity = ThreadCapacity()

  /// Creates a census of tasks in this process.
  public init() {}

  /// The results of both rounds.
  public struct Seen {
    /// The nanoseconds from the first submission to the end of the last task in the run in which the tasks work.
    public fileprivate(set) var elapsed: UInt64 = 0
    /// The highest number of tasks in progress at the same time in the run in which the tasks work. A task is in
    /// progress from its beginning to its end.
    public fileprivate(set) var inProgress = 0
    /// The number of distinct cores on which tasks began or ended in the run in which the tasks work; nil if the system
    /// does not report the core of a thread.
    public fileprivate(set) var cores: Int?
    /// The nanoseconds from the first submission to the beginning of each task, in the run in which the tasks work.
    public fileprivate(set) var starts = LatencyHistogram()
    /// The context switches in the run in which the tasks work; nil if the system does not report context switches.
    public fileprivate(set) var switches: ContextSwitches?
    /// The number of tasks that were in progress at the same time in the run in which the tasks wait. These tasks had
    /// begun when no further task could begin.
    public fileprivate(set) var blockedTasks = 0
    /// The number of threads when no further task could begin: the threads of the pool, including idle threads, and the
    /// threads of the tasks.
    public fileprivate(set) var threads = 0
    /// The number of pool threads that waited in a task when no further task could begin; nil if the system does not
    /// report the states of threads.
    public fileprivate(set) var blockedThreads: Int?
    /// The number of tasks of both runs that had not ended when the submitting closure returned.
    public fileprivate(set) var unended = 0
  }

  /// Executes `count` tasks twice. In the first round, each task works for `steps` steps. In the second round, the
  /// tasks wait until no further task begins.
  ///
  /// - Parameters:
  ///   - most: the largest number of threads that the tasks may need.
  ///   - run: a closure that submits the tasks and waits until the tasks have ended.
  /// - Throws: ``Unavailable`` if there are not enough threads, or if the system does not report what the threads do;
  ///   ``SystemError`` if the thread for the second round cannot be started. Rethrows the error of `run`.
  public func take(
    _ count: Int, steps: Int, threads most: Int,
    _ run: @escaping @Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws -> Seen {
    try capacity.require(most)
    let submitter = try WorkerThread()
    defer { submitter.stop() }
    // The first use of the pool is expensive, and the pool's monitor runs for the first time soon afterwards.
    DispatchQueue.concurrentPerform(iterations: 2) { _ in }
    try standstill.wait()
    // Idle threads of the pool count as threads of the tasks, since they may execute tasks.
    let others = (ThreadCensus.count() ?? 0) - (ThreadCensus.poolCount() ?? 0)
    var seen = Seen()

    let working = TaskRound(count: count, steps: steps)
    let begin = MonotonicClock.now()
    seen.switches = try ContextSwitches.ofProcess { try run(working.tasks, working.all) }
    seen.elapsed = MonotonicClock.now() - begin
    seen.inProgress = working.mostAtOnce
    seen.cores = working.cores
    seen.starts = working.starts(after: begin)
    seen.unended = working.unended

    let waiting = TaskRound(count: count, steps: nil)
    defer { waiting.open() }
    let (error, hasEnded) = (CaughtError(), DispatchSemaphore(value: 0))
    submitter.run {
      error.catching { try run(waiting.tasks, waiting.all) }
      hasEnded.signal()
    }
    try standstill.wait()
    seen.blockedTasks = waiting.begun
    seen.threads = (ThreadCensus.count() ?? 0) - others
    seen.blockedThreads = ThreadCensus.taken()?.parkedPoolThreads.count
    waiting.open()
    hasEnded.wait()
    try error.rethrow()
    seen.unended += waiting.unended
    return seen
  }
}

/// A task of a ``TaskRound``.
public struct RoundTask: Sendable {
  fileprivate let round: TaskRound
  fileprivate let index: Int

  /// Executes the task, which works or blocks.
  public func run() { round.run(index) }

  /// Executes the task as ``run()`` does, except that a working task yields in the middle of its work, and any other
  /// task suspends instead of blocking its thread.
  public func runSuspending() async { await round.runSuspending(index) }
}

/// The tasks of one round, with the times at which each task began and ended.
public final class TaskRound: Sendable {
  /// The dispatch group of the round's tasks.
  public let all = DispatchGroup()
  private let steps: Int?
  private let pause: Duration?
  private let times: Slots<Times>
  private let gate = DispatchSemaphore(value: 0)
  private let suspended = TimedGate()

  private struct Times: ~Copyable, Sendable {
    let begin = Moment()
    let end = Moment()
    let firstCore = Atomic<Int32>(-1)
    let lastCore = Atomic<Int32>(-1)
  }

  /// Creates tasks that work for `steps` steps each. If `steps` is nil, the tasks wait until the gate is open.
  public init(count: Int, steps: Int?) {
    self.steps = steps
    pause = nil
    times = Slots(count: count) { _ in Times() }
  }

  /// Creates tasks, each of which blocks its thread, or suspends, for the duration `pause`.
  public init(count: Int, blockingFor pause: Duration) {
    steps = nil
    self.pause = pause
    times = Slots(count: count) { _ in Times() }
  }

  /// The tasks of the round, in the order of their indices.
  public var tasks: [RoundTask] { (0..<times.count).map { RoundTask(round: self, index: $0) } }

  fileprivate func run(_ index: Int) {
    times[index].begin.set()
    if let steps {
      times[index].firstCore.store(gcdlab_current_core(), ordering: .relaxed)
      CalibratedWork.run(steps: steps)
      times[index].lastCore.store(gcdlab_current_core(), ordering: .relaxed)
    } else if let pause {
      blockThread(for: pause)
    } else {
      gate.wait()
      gate.signal()
    }
    times[index].end.set()
  }

  fileprivate func runSuspending(_ index: Int) async {
    times[index].begin.set()
    if let steps {
      times[index].firstCore.store(gcdlab_current_core(), ordering: .relaxed)
      CalibratedWork.run(steps: steps / 2)
      await Task.yield()
      CalibratedWork.run(steps: steps - steps / 2)
      times[index].lastCore.store(gcdlab_current_core(), ordering: .relaxed)
    } else if let pause {
      try? await Task.sleep(for: pause)
    } else {
      await suspended.wait()
    }
    times[index].end.set()
  }

  /// Opens the gate. The waiting tasks continue, and later tasks do not wait.
  public func open() {
    gate.signal()
    suspended.open()
  }

  /// The number of tasks that have not ended.
  public var unended: Int { (0..<times.count).count { !times[$0].end.isSet } }

  /// The number of tasks that have begun.
  public var begun: Int { (0..<times.count).count { times[$0].begin.isSet } }

  /// The highest number of tasks in progress at the same time. Read this property when all tasks have ended.
  public var mostAtOnce: Int {
    let begins = (0..<times.count).compactMap { times[$0].begin.time }.sorted()
    let ends = (0..<times.count).compactMap { times[$0].end.time }.sorted()
    var (most, ended) = (0, 0)
    for (begun, begin) in begins.enumerated() {
      while ended < ends.count, ends[ended] <= begin { ended += 1 }
      most = max(most, begun + 1 - ended)
    }
    return most
  }

  /// The number of distinct cores on which tasks began or ended; nil if the system does not report cores, or if no task
  /// worked. Read this property when all tasks have ended.
  public var cores: Int? {
    let seen = (0..<times.count).flatMap {
      [times[$0].firstCore.load(ordering: .relaxed), times[$0].lastCore.load(ordering: .relaxed)]
    }
    return seen.contains(-1) ? nil : Set(seen).count
  }

  /// Returns the nanoseconds from `submission` to the beginning of each task. Tasks that have not begun are not
  /// included.
  public func starts(after submission: UInt64) -> LatencyHistogram {
    LatencyHistogram((0..<times.count).map { times[$0].begin.time.map { $0 > submission ? $0 - submission : 0 } })
  }
}

/// Storage for an error that another thread caught.
private final class CaughtError: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  func catching(_ body: () throws -> Void) {
    do { try body() } catch { self.error.withLock { $0 = error } }
  }

  func rethrow() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
