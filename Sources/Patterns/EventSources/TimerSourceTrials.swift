import Dispatch
import Instruments

/// The code that measures the variants.
extension TimerSource {
  /// Returns the longest time that a trial takes on an idle machine: the time of all events, including those of a slow
  /// handler, and of the tests that follow.
  func longest(_ trial: Trial) -> Duration? {
    trial[interval] * (3 * trial[fires] + 5 * trial[handlerIntervals] + 100) + .seconds(5)
  }

  /// A closure that creates a timer and activates it.
  typealias Make = @Sendable (TimerRun) -> any DispatchSourceProtocol

  private var firesSettings: [any Declaration] { [interval, fires] }

  private var firesMetrics: [any Declaration] { [lateness, drift, early, contextSwitches] }

  private var sourceMetrics: [any Declaration] {
    firesMetrics + [
      uncountedIntervals, coalesced, firstFireDelay, lateFirstFires, outOfOrder, onInterval, firedWhileSuspended,
      missedOnResume, clockStopsInSleep, clockRunsInSleep,
    ]
  }

  /// Returns a probe that creates timers and checks their events. Some timers are due now or overdue, and one timer is
  /// timed, suspended and resumed.
  ///
  /// - Parameters:
  ///   - clock: the clock by which the lateness of events is measured.
  ///   - patience: the maximum time to wait for the timed events.
  ///   - eventPatience: the maximum time to wait for a single event, and for the report of the last interval.
  func fire(
    by clock: TimerClock = .uptime, patience: Duration = .seconds(20), eventPatience: Duration = .seconds(20)
  ) -> Probe<Make> {
    Probe(reads: firesSettings, records: sourceMetrics) { trial, make in
      _ = try fireAll(trial, Timers(by: clock, eventPatience: eventPatience, watch: nil, make), patience: patience)
    }
  }

  /// Returns a probe that creates timers with leeway, and makes the checks of ``fire(by:patience:eventPatience:)``. The
  /// probe also records the percentage of events that were no later than the leeway.
  func fireWithLeeway(
    by clock: TimerClock = .uptime, patience: Duration = .seconds(20), eventPatience: Duration = .seconds(20),
    watch: WallClockWatch? = nil
  ) -> Probe<Make> {
    Probe(reads: firesSettings + [leeway], records: sourceMetrics + [withinLeeway]) { trial, make in
      let leeway = trial[leeway]
      let timers = Timers(by: clock, leeway: leeway, eventPatience: eventPatience, watch: watch, make)
      let timed = try fireAll(trial, timers, patience: patience)
      trial.record(withinLeeway, timed.percentWithin(leeway))
    }
  }

  /// Returns a probe that makes the checks of ``fire(by:patience:eventPatience:)``. The handler of the timer whose
  /// events are timed runs for several intervals.
  func fireSlowly(eventPatience: Duration = .seconds(20)) -> Probe<Make> {
    Probe(reads: firesSettings + [handlerIntervals], records: sourceMetrics) { trial, make in
      let timers = Timers(by: .uptime, eventPatience: eventPatience, watch: nil, make)
      _ = try fireAll(trial, timers, hold: trial[handlerIntervals], patience: .seconds(20))
    }
  }

  private func fireAll(_ trial: Trial, _ timers: Timers, hold: Int = 0, patience: Duration) throws -> TimerRun {
    let (interval, fires) = (trial[interval].nanoseconds, trial[fires])
    let first = FirstFires(of: timers)
    let timed = timers.run(in: 0, every: interval, hold: hold)
    let switches = ContextSwitches.ofProcess {
      timed.begin(timers.make(timed))
      timed.wait(within: patience) { $0.reported >= fires }
    }
    timed.stopTiming()
    let suspension = timed.suspendAndResume(within: patience) { delay in _ = timers.firstFire(in: delay) }
    timed.stopDelaying()
    // The counts are taken now, since a handler call before the cancellation may again be one interval late.
    let all = timed.wait(within: timers.eventPatience) { $0.unreported <= 0 }
    timed.end()
    let armed = timers.armedInKernel()
    if timers.wasClockSet { throw Unavailable("the wall clock, which the timers use, was set during the trial") }

    timed.record(trial, self, wakeUps: switches?.voluntary)
    trial.record(early, all.early + first.early)
    trial.record(uncountedIntervals, all.unreported + first.unreported)
    trial.record(coalesced, all.reported - all.runs)
    if let percent = timed.percentInStep { trial.record(onInterval, percent) }
    if let suspension {
      trial.record(firedWhileSuspended, suspension.runs)
      trial.record(missedOnResume, suspension.missing)
    }
    if let delay = first.delay { trial.record(firstFireDelay, delay) }
    trial.record(lateFirstFires, first.lateCount)
    trial.record(outOfOrder, first.areOutOfOrder ? 1 : 0)
    if let armed {
      trial.record(clockStopsInSleep, armed.count { !$0.countsSleep })
      trial.record(clockRunsInSleep, armed.count { $0.countsSleep })
    }
    return timed
  }

  /// A probe that times the events of a body without a source.
  var fireWithoutSource: Probe<@Sendable (TimerRun) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics) { trial, body in
      time(trial, by: .uptime, patience: .seconds(20), body)
    }
  }

  /// A probe that times the blocks of a body, one for each event, and counts the blocks that did not run exactly once.
  var fireBlocks: Probe<@Sendable (TimerRun, ExecutionCounts) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics + [notOnce]) { trial, body in
      let ran = ExecutionCounts(count: trial[fires])
      time(trial, by: .uptime, patience: .seconds(20)) { timer in body(timer, ran) }
      trial.record(notOnce, ran.notOnce)
    }
  }

  /// Returns a probe that times the blocks of a body by the wall clock. The trial is unavailable if the clock is set
  /// during the trial.
  func fireBlocksByWallClock(
    patience: Duration = .seconds(20), watch: WallClockWatch? = nil
  ) -> Probe<@Sendable (TimerRun, ExecutionCounts) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics + [notOnce]) { trial, body in
      let ran = ExecutionCounts(count: trial[fires])
      let watch = watch ?? WallClockWatch()
      time(trial, by: .wall, patience: patience, watch: watch) { timer in body(timer, ran) }
      if watch.wasSet { throw Unavailable("the wall clock, which the timers use, was set during the trial") }
      trial.record(notOnce, ran.notOnce)
    }
  }

  private func time(
    _ trial: Trial, by clock: TimerClock, patience: Duration, watch: WallClockWatch? = nil, _ body: (TimerRun) -> Void
  ) {
    let fires = trial[fires]
    let timed = TimerRun(by: clock, in: 0, every: trial[interval].nanoseconds, fires: fires, watch: watch)
    let switches = ContextSwitches.ofProcess {
      body(timed)
      timed.wait(within: patience) { $0.runs >= fires }
    }
    timed.record(trial, self, wakeUps: switches?.voluntary)
    trial.record(early, timed.counts.early)
  }

  /// A probe that times the events of a body that runs as a Swift task.
  var fireInTask: Probe<@Sendable (TimerRun) async throws -> Void> {
    Probe(reads: firesSettings, records: firesMetrics) { trial, body in
      let timed = TimerRun(by: .uptime, in: 0, every: trial[interval].nanoseconds, fires: trial[fires])
      let switches = try waitFor { try await ContextSwitches.ofProcess { try await body(timed) } }
      timed.record(trial, self, wakeUps: switches?.voluntary)
      trial.record(early, timed.counts.early)
    }
  }
}

/// The first events of timers that are due immediately or were due in the past.
private struct FirstFires {
  /// The number of timers without a first event.
  let lateCount: Int
  /// The lateness of the first event of a timer that was due immediately, in nanoseconds; nil if no event occurred. An
  /// earlier timer is the warm-up.
  let delay: UInt64?
  /// Whether a timer that was due immediately did not fire, or fired after a timer that was due later.
  let areOutOfOrder: Bool
  /// The number of intervals reported before they were due.
  let early: Int
  /// The number of intervals of the overdue timer that had ended and were not reported.
  let unreported: Int

  /// Measures the first event of each timer of `timers`, one timer after another.
  init(of timers: Timers) {
    // The first use of a queue and a timer is expensive, so the first event of a process is much later than other
    // events.
    let cold = timers.firstFire(in: 0)
    areOutOfOrder = timers.areOutOfOrder()
    let now = timers.firstFire(in: 0)
    // The timer was due ten and a half intervals ago, so the first event reports eleven.
    let long = min(60_000_000_000, timers.clock.now() / 20)
    let past = timers.firstFire(in: -Int(10 * long + long / 2), every: long)
    lateCount = [cold.delay, now.delay, past.delay].count { $0 == nil }
    delay = now.delay
    early = now.counts.early + past.counts.early
    unreported = past.counts.unreported
  }
}

/// A factory of the timers of a trial.
private struct Timers {
  let clock: TimerClock
  /// The maximum time to wait for a single event.
  let eventPatience: Duration
  let make: TimerSource.Make
  private let leeway: Duration
  private let watch: WallClockWatch?

  /// An hour in nanoseconds: an interval that does not end during a trial.
  private static let never: UInt64 = 3_600_000_000_000

  init(
    by clock: TimerClock, leeway: Duration = .zero, eventPatience: Duration, watch: WallClockWatch?,
    _ make: @escaping TimerSource.Make
  ) {
    self.clock = clock
    self.leeway = leeway
    self.eventPatience = eventPatience
    self.watch = clock == .wall ? watch ?? WallClockWatch() : nil
    self.make = make
  }

  /// Whether the wall clock was set. If so, the trial does not wait for further events.
  var wasClockSet: Bool { watch?.wasSet == true }

  /// Creates a timer, but not the source of the timer. The first event is due in `delay` nanoseconds.
  func run(
    in delay: Int, every length: UInt64 = never, hold: Int = 0, on queue: DispatchQueue = DispatchQueue(label: "timer")
  ) -> TimerRun {
    TimerRun(by: clock, in: delay, every: length, leeway: leeway, hold: hold, on: queue, watch: watch)
  }

  /// Creates a timer, waits for its first event, and cancels the timer.
  ///
  /// - Returns: the counted events, and the lateness of the first event in nanoseconds. The lateness is nil if no event
  ///   occurred.
  func firstFire(in delay: Int, every length: UInt64 = never) -> (counts: TimerRun.Counts, delay: UInt64?) {
    let run = run(in: delay, every: length)
    let delay = run.firstFire(of: make(run), within: eventPatience)
    return (run.counts, delay)
  }

  /// Creates a timer that is due immediately and a timer that is due a millisecond later. Returns whether the first
  /// timer does not fire, or fires after the second timer.
  ///
  /// The order does not depend on delays, since the system checks timers in the order in which they are due, and the
  /// handlers share a queue.
  func areOutOfOrder() -> Bool {
    let now = run(in: 0)
    let later = run(in: 1_000_000, on: now.queue)
    let sources = [make(now), make(later)]
    defer { for source in sources { source.cancel() } }
    later.wait(within: eventPatience) { $0.runs > 0 }
    return !(now.firstRun ?? .max < later.firstRun ?? .max)
  }

  /// Returns the kernel timers that are armed for a dispatch timer; nil if the system does not report kernel timers.
  /// The array is empty if no kernel timer is found within ``eventPatience``, or if the wall clock is set during the
  /// comparison.
  ///
  /// A kernel timer is identified by its remaining time, which equals that of the dispatch timer to the nanosecond. For
  /// each clock, Dispatch arms one kernel timer, whose deadline is that of the dispatch timer that is due first. The
  /// timer of the pool's monitor, which fires once per second, may be due before the timer under test. In that case,
  /// Dispatch arms the timer under test after the monitor's timer has fired. If the timer under test fires before its
  /// kernel timer is found, the method creates another timer.
  func armedInKernel() -> [KernelTimers.Armed]? {
    let end = DispatchTime.after(eventPatience)
    while .now() < end, !wasClockSet {
      let run = run(in: 200_000_000)
      let source = make(run)
      defer { source.cancel() }
      while run.untilDue > 0, .now() < end, !wasClockSet {
        var own: [KernelTimers.Armed] = []
        var shortest = Int.max
        // An interrupted examination may mistake another timer for the timer under test. The shortest of many
        // consecutive examinations is not interrupted.
        for _ in 0..<20 {
          let atMost = run.untilDue
          guard let armed = KernelTimers.armed() else { return nil }
          let atLeast = run.untilDue
          let found = armed.filter { atLeast <= $0.remaining && $0.remaining <= atMost }
          if found.isEmpty || atMost - atLeast < shortest { (own, shortest) = (found, atMost - atLeast) }
          if found.isEmpty { break }
        }
        if !own.isEmpty { return own }
        yieldProcessor()
      }
    }
    return []
  }
}
