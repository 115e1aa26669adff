import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// What the variants are put through.
extension QueueWidth {
  /// More threads than this the pool does not have; a variant may have others.
  private static let poolLimit = 255

  /// Runs the tasks twice: they work, then they wait until no more of them begin.
  ///
  /// - Parameter run: submits the tasks and waits for their end.
  /// - Throws: ``Unavailable`` when there are not so many threads, or the system does not tell what they do.
  func look(
    _ trial: Trial, _ run: @escaping @Sendable (_ tasks: [WidthTask], _ all: DispatchGroup) throws -> Void
  ) throws {
    let count = trial[tasks]
    let most = trial.variant == "threads" ? count : min(count, Self.poolLimit)
    do { try requireRoom(most + 8) } catch {
      throw Unavailable("\(most) threads and some more are needed: \(error)")
    }
    let submitter = try LingeringThread()
    defer { submitter.stop() }
    // The first use of the pool is dear, and its monitor looks at it for the first time soon after.
    DispatchQueue.concurrentPerform(iterations: 2) { _ in }
    try standstill.wait()
    // What is idle in the pool by now may be theirs.
    let others = (ThreadCensus.count() ?? 0) - (ThreadCensus.poolCount() ?? 0)

    let working = WidthRound(count: count, steps: trial.steps(work))
    let begin = MonotonicClock.now()
    try run(working.tasks, working.all)
    trial.record(elapsed, MonotonicClock.now() - begin)
    trial.record(inProgress, working.mostAtOnce)
    trial.record(start, working.starts(after: begin))

    let waiting = WidthRound(count: count, steps: nil)
    defer { waiting.open() }
    let (error, hasEnded) = (Caught(), DispatchSemaphore(value: 0))
    submitter.run {
      error.catching { try run(waiting.tasks, waiting.all) }
      hasEnded.signal()
    }
    try standstill.wait()
    trial.record(atOnce, waiting.begun)
    trial.record(threads, (ThreadCensus.count() ?? 0) - others)
    waiting.open()
    hasEnded.wait()
    try error.rethrow()
  }
}

/// One of the tasks.
struct WidthTask: Sendable {
  fileprivate let round: WidthRound
  fileprivate let index: Int

  /// All that it does.
  func run() { round.run(index) }
}

/// The tasks of one look, and when each began and ended.
final class WidthRound: Sendable {
  /// The group of the tasks.
  let all = DispatchGroup()
  private let steps: Int?
  private let times: Slots<Times>
  private let gate = DispatchSemaphore(value: 0)

  private struct Times: ~Copyable, Sendable {
    let begin = Moment()
    let end = Moment()
  }

  /// Tasks that work for so many steps; with none given, they wait until the gate is open.
  init(count: Int, steps: Int?) {
    self.steps = steps
    times = Slots(count: count) { _ in Times() }
  }

  /// The tasks.
  var tasks: [WidthTask] { (0..<times.count).map { WidthTask(round: self, index: $0) } }

  fileprivate func run(_ index: Int) {
    times[index].begin.set()
    if let steps {
      CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    } else {
      gate.wait()
      gate.signal()
    }
    times[index].end.set()
  }

  /// Lets those go that wait, and those that come.
  func open() { gate.signal() }

  /// How many have begun.
  var begun: Int { (0..<times.count).count { times[$0].begin.isSet } }

  /// How many were between their begin and their end at the same time, at most, once all have ended.
  var mostAtOnce: Int {
    let begins = (0..<times.count).compactMap { times[$0].begin.time }.sorted()
    let ends = (0..<times.count).compactMap { times[$0].end.time }.sorted()
    var (most, ended) = (0, 0)
    for (begun, begin) in begins.enumerated() {
      while ended < ends.count, ends[ended] <= begin { ended += 1 }
      most = max(most, begun + 1 - ended)
    }
    return most
  }

  /// How long after `submission` each began.
  func starts(after submission: UInt64) -> LatencyHistogram {
    var histogram = LatencyHistogram()
    for index in 0..<times.count {
      if let begin = times[index].begin.time { histogram.record(begin > submission ? begin - submission : 0) }
    }
    return histogram
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
