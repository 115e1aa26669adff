import Dispatch
import Instruments

extension MainQueue {
  /// Returns one second as an upper bound for the duration of a trial, since a block may have to wait for a thread.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// Returns an upper bound for the duration of a trial with work: the time of one piece of work for the warm-up and
  /// for each event, and one second of waiting.
  func allWork(_ trial: Trial) -> Duration { trial[work] * (trial[events] + 1) + .seconds(1) }

  /// Submits blocks to the main queue from four threads at the same time, and then one block from a block on the main
  /// queue. Records how many blocks were out of order, how many overlapped, and how many did not run on the main
  /// thread.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first block waits for its successor, and for which the block on the
  ///     main queue waits for the block that it submitted.
  ///   - submit: a closure that submits a block to the main queue.
  func send(
    _ trial: Trial, patience: Duration = .milliseconds(10), _ submit: @escaping @Sendable (SentBlock) -> Void
  ) throws {
    let (submitters, count) = (4, trial[blocks])
    let log = TaskLog(submitters: submitters, tasks: count, patience: patience)
    let offMain = Gauge()
    try Team.run(submitters, besides: 2) { submitter in
      for task in log.tasks(of: submitter) { submit(SentBlock(task: task, offMain: offMain)) }
    }
    log.allIsSubmitted()
    log.all.wait()
    let order = log.read()
    trial.record(inversions, order.beginInversions + order.endInversions)
    trial.record(overlaps, order.overlaps)
    trial.record(self.offMain, offMain.now)
    let nested = NestedSubmission(patience: patience)
    mainQueue.async(group: nested.all) {
      mainQueue.async(group: nested.all) { nested.next() }
      nested.current()
    }
    nested.all.wait()
    trial.record(outOfTurn, nested.overlapped.isSet ? 1 : 0)
  }

  /// A probe that repeatedly makes a round trip to the main queue, and records the times. The first round trip is a
  /// warm-up.
  var hop: Probe<@Sendable (Hop) -> Void> {
    Probe(reads: [hops], records: [toMain, back, offMain]) { trial, body in
      var hops = Hops()
      for repeated in 0...trial[self.hops] {
        let hop = Hop()
        body(hop)
        hop.awaitEnd()
        if repeated > 0 { hops.add(hop) }
      }
      record(trial, hops)
    }
  }

  /// A probe that repeatedly makes a round trip to the main queue in a task, and records the times. The first round
  /// trip is a warm-up.
  var hopAsTask: Probe<@Sendable (Hop) async -> Void> {
    Probe(reads: [hops], records: [toMain, back, offMain]) { trial, body in
      try waitFor {
        var hops = Hops()
        for repeated in 0...trial[self.hops] {
          let hop = Hop()
          await body(hop)
          if repeated > 0 { hops.add(hop) }
        }
        record(trial, hops)
      }
    }
  }

  private func record(_ trial: Trial, _ hops: Hops) {
    trial.record(toMain, hops.toMain)
    trial.record(back, hops.back)
    trial.record(offMain, hops.offMain)
  }

  /// Returns a probe that runs pieces of work, submits an event to the main queue during each piece, and records the
  /// delay of the events.
  ///
  /// - Parameter patience: the maximum time for which the work continues until the event begins. If `patience` is at
  ///   most one second, only the first piece of work continues for this time. The first piece is also the warm-up.
  func doWork(observedFor patience: Duration) -> Probe<@Sendable (WorkWithEvent) -> Void> {
    Probe(reads: [events, work], records: [lateness, delayed], longest: allWork) { trial, body in
      let (events, steps) = (trial[events], trial.steps(work))
      var count = 0
      for repeated in 0...events {
        let limit = repeated == 0 || patience > .seconds(1) ? patience : .zero
        let work = WorkWithEvent(steps: steps, observedFor: limit)
        body(work)
        work.all.wait()
        guard repeated > 0 else { continue }
        if work.wasDelayed.isSet { count += 1 }
        if let late = work.lateness { trial.record(lateness, late) }
      }
      trial.record(delayed, count)
    }
  }

  /// A probe that waits until a block on the main queue begins or all threads sleep, and records whether the block
  /// began.
  var awaitBlockOrStandstill: Probe<@Sendable (WaitedBlock) -> Void> {
    Probe(records: [neverRan]) { trial, submit in
      let block = WaitedBlock()
      submit(block)
      trial.record(neverRan, try Standstill().wait { block.begun.isSet } ? 0 : 1)
    }
  }
}

/// A block that is submitted to the main queue.
struct SentBlock: Sendable {
  fileprivate let task: TaskLog.Task
  fileprivate let offMain: Gauge

  /// The group of all blocks.
  var all: DispatchGroup { task.all }

  /// Logs the beginning and the end of the block, and records whether the block runs on the main thread.
  func run() {
    if !MainThread.isCurrent { offMain.up() }
    task.run()
  }
}

/// A block on the main queue that submits another block to the main queue. The trial records whether the second block
/// began before the first block had ended.
final class NestedSubmission: Sendable {
  /// The group of the two blocks.
  let all = DispatchGroup()
  private let nextBegins: TimedGate

  fileprivate init(patience: Duration) { nextBegins = TimedGate(limit: patience) }

  /// Runs the end of the first block, which waits until the second block begins or a timeout expires.
  func current() {
    nextBegins.startTimeLimit()
    if nextBegins.wait() { overlapped.set() }
  }

  /// Records that the second block begins.
  func next() { nextBegins.open() }

  /// Whether the second block began before the first block had ended.
  let overlapped = AtomicFlag()
}

/// A round trip to the main queue.
final class Hop: Sendable {
  private let left = Moment()
  private let arrived = Moment()
  private let startedReturn = Moment()
  private let returned = Moment()
  private let end = DispatchSemaphore(value: 0)

  /// Records the start of the round trip.
  func noteDeparture() { left.set() }

  /// Records the times at which the code arrives on the main queue and starts its return. Also records whether the code
  /// runs on the main thread.
  func noteArrival() {
    arrived.set()
    if !MainThread.isCurrent { wasOffMain.set() }
    startedReturn.set()
  }

  /// Records the end of the round trip.
  func noteReturn() {
    returned.set()
    end.signal()
  }

  fileprivate func awaitEnd() { end.wait() }
  fileprivate var toMain: UInt64? { arrived.since(left) }
  fileprivate var back: UInt64? { returned.since(startedReturn) }
  fileprivate let wasOffMain = AtomicFlag()
}

/// The times of many round trips in nanoseconds, and the number of round trips that did not reach the main thread.
private struct Hops {
  var toMain: [UInt64?] = []
  var back: [UInt64?] = []
  var offMain = 0

  mutating func add(_ hop: Hop) {
    toMain.append(hop.toMain)
    back.append(hop.back)
    if hop.wasOffMain.isSet { offMain += 1 }
  }
}

/// A piece of work, and an event that is submitted to the main queue during the work.
final class WorkWithEvent: Sendable {
  /// The number of parts into which the work is divided.
  let parts = 8
  /// The group of the work and the event.
  fileprivate let all = DispatchGroup()
  private let steps: Int
  private let limit: UInt64
  private let sent = Moment()
  private let began = Moment()
  private let ended = Moment()

  fileprivate init(steps: Int, observedFor limit: Duration) {
    self.steps = steps
    self.limit = UInt64(clamping: limit.nanoseconds)
    all.enter()
  }

  /// Submits an event to `main` at the start of the work. The work then continues until the event begins or a time
  /// limit has passed. The work computes during this time, since the event must begin while the work runs.
  func submitEvent(to main: DispatchQueue) {
    sent.set()
    main.async(group: all) {
      // The work may end as soon as the event has begun, so the event looks for the end of the work before that.
      let hasEnded = self.ended.isSet
      self.began.set()
      if hasEnded { self.wasDelayed.set() }
    }
    let end = MonotonicClock.now() + limit
    while !began.isSet, MonotonicClock.now() < end { CalibratedWork.run(steps: 16) }
  }

  /// Runs one part of the work. Parts are numbered from 0.
  func doPart(_ part: Int) {
    CalibratedWork.run(steps: steps / parts, from: UInt64(part + 1))
  }

  /// Records that the work has ended. Call this method where the work ran: a block on the main queue could not run
  /// before the event, which was submitted there earlier.
  func recordEnd() { ended.set() }

  /// Shows the result of the work on the main queue. The trial waits for this call.
  func showResult() { all.leave() }

  /// Whether the event began after the work had ended.
  fileprivate let wasDelayed = AtomicFlag()
  /// The nanoseconds from the submission of the event to its beginning; nil if the event did not begin.
  fileprivate var lateness: UInt64? { began.since(sent) }
}

/// A block that the trial waits for, and that may never begin.
final class WaitedBlock: Sendable {
  fileprivate let begun = Moment()

  /// Records that the block begins.
  func noteBegin() { begun.set() }
}
