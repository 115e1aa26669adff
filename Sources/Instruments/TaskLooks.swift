import CDispatchSupport
import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// Looks twice at how many tasks the system lets be in progress: while they wait, and while they work.
public struct TaskLooks: Sendable {
  /// What tells that no more tasks begin; a test gives another.
  public var standstill = Standstill()
  /// What makes sure of threads; a test gives another.
  public var room = ThreadRoom()

  /// Looks at tasks of this process.
  public init() {}

  /// What was seen.
  public struct Seen {
    /// From the first submission to the end of the last task while they worked, in nanoseconds.
    public fileprivate(set) var elapsed: UInt64 = 0
    /// The most tasks that had begun and not ended at the same time, while they worked.
    public fileprivate(set) var inProgress = 0
    /// Different cores on which tasks began or ended, while they worked; nil where the system does not tell.
    public fileprivate(set) var cores: Int?
    /// How long after the first submission each began, while they worked.
    public fileprivate(set) var starts = LatencyHistogram()
    /// How often threads lost their core while they worked.
    public fileprivate(set) var switches: ContextSwitches?
    /// Tasks that had begun when no more did, while they waited.
    public fileprivate(set) var atOnce = 0
    /// Threads of the pool, idle ones too, and of the tasks, when no more began.
    public fileprivate(set) var threads = 0
    /// Pool threads that waited with a task, when no more began; nil where the system does not tell.
    public fileprivate(set) var held: Int?
    /// Tasks that had not ended when `run` had, in both looks together.
    public fileprivate(set) var unended = 0
  }

  /// Runs `count` tasks twice: they work for so many steps each, then they wait until no more of them begin.
  ///
  /// - Parameters:
  ///   - most: threads that they may come to need.
  ///   - run: submits the tasks and waits for their end.
  /// - Throws: ``Unavailable`` when there are not so many threads, or the system does not tell what they do.
  public func take(
    _ count: Int, steps: Int, threads most: Int,
    _ run: @escaping @Sendable (_ tasks: [RoundTask], _ all: DispatchGroup) throws -> Void
  ) throws -> Seen {
    try room.require(most)
    let submitter = try LingeringThread()
    defer { submitter.stop() }
    // The first use of the pool is dear, and its monitor looks at it for the first time soon after.
    DispatchQueue.concurrentPerform(iterations: 2) { _ in }
    try standstill.wait()
    // What is idle in the pool by now may be theirs.
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
    let (error, hasEnded) = (Caught(), DispatchSemaphore(value: 0))
    submitter.run {
      error.catching { try run(waiting.tasks, waiting.all) }
      hasEnded.signal()
    }
    try standstill.wait()
    seen.atOnce = waiting.begun
    seen.threads = (ThreadCensus.count() ?? 0) - others
    seen.held = ThreadCensus.taken()?.parkedPoolThreads.count
    waiting.open()
    hasEnded.wait()
    try error.rethrow()
    seen.unended += waiting.unended
    return seen
  }
}

/// One of the tasks.
public struct RoundTask: Sendable {
  fileprivate let round: TaskRound
  fileprivate let index: Int

  /// Runs the task: it works, or it blocks.
  public func run() { round.run(index) }

  /// Runs the task as `run` does, and gives its thread back in the middle of its work and while it waits.
  public func runSuspending() async { await round.runSuspending(index) }
}

/// The tasks of one look, and when each began and ended.
public final class TaskRound: Sendable {
  /// The group of the tasks.
  public let all = DispatchGroup()
  private let steps: Int?
  private let times: Slots<Times>
  private let gate = DispatchSemaphore(value: 0)
  private let suspended = BoundedGate()

  private struct Times: ~Copyable, Sendable {
    let begin = Moment()
    let end = Moment()
    let firstCore = Atomic<Int32>(-1)
    let lastCore = Atomic<Int32>(-1)
  }

  /// Tasks that work for so many steps; with none given, they wait until the gate is open.
  public init(count: Int, steps: Int?) {
    self.steps = steps
    times = Slots(count: count) { _ in Times() }
  }

  /// The tasks.
  public var tasks: [RoundTask] { (0..<times.count).map { RoundTask(round: self, index: $0) } }

  fileprivate func run(_ index: Int) {
    times[index].begin.set()
    if let steps {
      times[index].firstCore.store(gcdlab_current_core(), ordering: .relaxed)
      CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
      times[index].lastCore.store(gcdlab_current_core(), ordering: .relaxed)
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
      CalibratedWork.consume(CalibratedWork.spin(steps: steps / 2, from: 1))
      await Task.yield()
      CalibratedWork.consume(CalibratedWork.spin(steps: steps - steps / 2, from: 1))
      times[index].lastCore.store(gcdlab_current_core(), ordering: .relaxed)
    } else {
      await suspended.passed()
    }
    times[index].end.set()
  }

  /// Lets those go that wait, and those that come.
  public func open() {
    gate.signal()
    suspended.open()
  }

  /// How many have not ended.
  public var unended: Int { (0..<times.count).count { !times[$0].end.isSet } }

  /// How many have begun.
  public var begun: Int { (0..<times.count).count { times[$0].begin.isSet } }

  /// How many were between their begin and their end at the same time, at most, once all have ended.
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

  /// On how many different cores they began and ended, once all have ended; nil where the system does not tell, or none
  /// worked.
  public var cores: Int? {
    let seen = (0..<times.count).flatMap {
      [times[$0].firstCore.load(ordering: .relaxed), times[$0].lastCore.load(ordering: .relaxed)]
    }
    return seen.contains(-1) ? nil : Set(seen).count
  }

  /// How long after `submission` each began.
  public func starts(after submission: UInt64) -> LatencyHistogram {
    LatencyHistogram((0..<times.count).map { times[$0].begin.time.map { $0 > submission ? $0 - submission : 0 } })
  }
}

/// An error of another thread.
private final class Caught: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  func catching(_ body: () throws -> Void) {
    do { try body() } catch { self.error.withLock { $0 = error } }
  }

  func rethrow() throws {
    if let error = error.withLock({ $0 }) { throw error }
  }
}
