import Dispatch
import Instruments

/// The measuring code.
extension TimerSource {
  /// The longest time of a trial: all events, those of a slow handler included, and the tests after them.
  func longest(_ trial: Trial) -> Duration? {
    trial[interval] * (3 * trial[fires] + 5 * trial[handlerIntervals] + 100) + .seconds(5)
  }

  /// Creates a timer, and activates it.
  typealias Make = @Sendable (TimerRun) -> any DispatchSourceProtocol

  private var firesSettings: [any Declaration] { [interval, fires] }

  private var firesMetrics: [any Declaration] { [lateness, drift, early, contextSwitches] }

  private var sourceMetrics: [any Declaration] {
    firesMetrics + [
      uncountedIntervals, coalesced, firstFireDelay, lateFirstFires, outOfOrder, onInterval, firedWhileSuspended,
      missedOnResume, clockStopsInSleep, clockRunsInSleep,
    ]
  }

  /// Creates timers that are due now, that were due before, and that are timed, suspended and resumed, and checks their
  /// events.
  ///
  /// - Parameters:
  ///   - clock: the clock by which the timers are judged.
  ///   - patience: how long the trial waits for the timed events.
  ///   - looks: how long the trial waits for a single event, and for the last interval that was not reported.
  func fire(
    by clock: TimerClock = .uptime, patience: Duration = .seconds(20), looks: Duration = .seconds(20)
  ) -> Probe<Make> {
    Probe(reads: firesSettings, records: sourceMetrics) { trial, make in
      _ = try fireAll(trial, Timers(by: clock, looks: looks, watch: nil, make), patience: patience)
    }
  }

  /// Creates timers with leeway, checks their events as for a timer without leeway, and records the share of events
  /// that were no later than the leeway.
  func fireWithLeeway(
    by clock: TimerClock = .uptime, patience: Duration = .seconds(20), looks: Duration = .seconds(20),
    watch: WallClockWatch? = nil
  ) -> Probe<Make> {
    Probe(reads: firesSettings + [leeway], records: sourceMetrics + [withinLeeway]) { trial, make in
      let leeway = trial[leeway]
      let timers = Timers(by: clock, leeway: leeway, looks: looks, watch: watch, make)
      let timed = try fireAll(trial, timers, patience: patience)
      trial.record(withinLeeway, timed.percentWithin(leeway))
    }
  }

  /// Creates timers whose handlers take several intervals, and checks their events as for a fast handler.
  func fireSlowly(looks: Duration = .seconds(20)) -> Probe<Make> {
    Probe(reads: firesSettings + [handlerIntervals], records: sourceMetrics) { trial, make in
      let timers = Timers(by: .uptime, looks: looks, watch: nil, make)
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
    timed.slowDown()
    // The run after this one may come one interval late again, before the source is cancelled.
    let all = timed.wait(within: timers.looks) { $0.unreported <= 0 }
    timed.end()
    let armed = timers.armedInKernel()
    if timers.wasClockSet { throw Unavailable("somebody has set the wall clock, by which the timers go") }

    timed.record(trial, self, wakeUps: switches?.voluntary)
    trial.record(early, all.early + first.early)
    trial.record(uncountedIntervals, all.unreported + first.unreported)
    trial.record(coalesced, all.reported - all.runs)
    trial.record(onInterval, timed.percentInStep)
    trial.record(firedWhileSuspended, suspension.runs)
    trial.record(missedOnResume, suspension.missing)
    if let delay = first.delay { trial.record(firstFireDelay, delay) }
    trial.record(lateFirstFires, first.late)
    trial.record(outOfOrder, first.areOutOfOrder ? 1 : 0)
    if let armed {
      trial.record(clockStopsInSleep, armed.count { !$0.countsSleep })
      trial.record(clockRunsInSleep, armed.count { $0.countsSleep })
    }
    return timed
  }

  /// Times the events of the body, which uses no source.
  var fireWithoutSource: Probe<@Sendable (TimerRun) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics) { trial, body in
      time(trial, by: .uptime, patience: .seconds(20), body)
    }
  }

  /// Times the blocks of the body, one for each event, and counts those that did not run exactly once.
  var fireBlocks: Probe<@Sendable (TimerRun, RunCounts) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics + [notOnce]) { trial, body in
      let ran = RunCounts(count: trial[fires])
      time(trial, by: .uptime, patience: .seconds(20)) { timer in body(timer, ran) }
      trial.record(notOnce, ran.notOnce)
    }
  }

  /// Times the blocks of the body by the wall clock. If the clock is set meanwhile, the trial is unavailable.
  func fireBlocksByWallClock(
    patience: Duration = .seconds(20), watch: WallClockWatch? = nil
  ) -> Probe<@Sendable (TimerRun, RunCounts) -> Void> {
    Probe(reads: firesSettings, records: firesMetrics + [notOnce]) { trial, body in
      let ran = RunCounts(count: trial[fires])
      let watch = watch ?? WallClockWatch()
      time(trial, by: .wall, patience: patience, watch: watch) { timer in body(timer, ran) }
      if watch.wasSet { throw Unavailable("somebody has set the wall clock, by which the timers go") }
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

  /// Times the events of the body, which is a task.
  var fireInTask: Probe<@Sendable (TimerRun) async throws -> Void> {
    Probe(reads: firesSettings, records: firesMetrics) { trial, body in
      let timed = TimerRun(by: .uptime, in: 0, every: trial[interval].nanoseconds, fires: trial[fires])
      let switches = try waitFor { try await ContextSwitches.ofProcess { try await body(timed) } }
      timed.record(trial, self, wakeUps: switches?.voluntary)
      trial.record(early, timed.counts.early)
    }
  }
}

/// The first events of timers that are due now, or were due before.
private struct FirstFires {
  /// The number of timers whose first event did not come.
  let late: Int
  /// The lateness of a timer's event that was not the first event of its process; nil if the event did not come.
  let delay: UInt64?
  /// Whether a timer that was due now fired after a timer that was due later.
  let areOutOfOrder: Bool
  /// The number of intervals reported before they were due.
  let early: Int
  /// The number of intervals that had ended and were not reported.
  let unreported: Int

  /// Creates the timers one after the other, and waits for the first event of each.
  init(of timers: Timers) {
    // The first use of a queue and a timer is expensive, and the first event of a process comes far later than any
    // other.
    let cold = timers.firstFire(in: 0)
    areOutOfOrder = timers.areOutOfOrder()
    let now = timers.firstFire(in: 0)
    // The timer was due ten and a half intervals ago, so the first event reports eleven.
    let long = min(60_000_000_000, timers.clock.now() / 20)
    let past = timers.firstFire(in: -Int(10 * long + long / 2), every: long)
    late = [cold.delay, now.delay, past.delay].count { $0 == nil }
    delay = now.delay
    early = now.counts.early + past.counts.early
    unreported = past.counts.unreported
  }
}

/// The timers of a trial: how they are made, and the clock by which they are judged.
private struct Timers {
  let clock: TimerClock
  /// The longest wait for a single event.
  let looks: Duration
  let make: TimerSource.Make
  private let leeway: Duration
  private let watch: WallClockWatch?

  /// An interval that never ends during a trial.
  private static let never: UInt64 = 3_600_000_000_000

  init(
    by clock: TimerClock, leeway: Duration = .zero, looks: Duration, watch: WallClockWatch?,
    _ make: @escaping TimerSource.Make
  ) {
    self.clock = clock
    self.leeway = leeway
    self.looks = looks
    self.watch = clock == .wall ? watch ?? WallClockWatch() : nil
    self.make = make
  }

  /// Whether the clock was set, in which case the trial waits for no further event.
  var wasClockSet: Bool { watch?.wasSet == true }

  /// Returns a timer that is not made yet, whose first event is due in this many nanoseconds.
  func run(
    in delay: Int, every length: UInt64 = never, hold: Int = 0, on queue: DispatchQueue = DispatchQueue(label: "timer")
  ) -> TimerRun {
    TimerRun(by: clock, in: delay, every: length, leeway: leeway, hold: hold, on: queue, watch: watch)
  }

  /// Makes a timer, waits for its first event, and cancels it. Returns its reports, and how late the event was; nil if
  /// it did not come.
  func firstFire(in delay: Int, every length: UInt64 = never) -> (counts: TimerRun.Counts, delay: UInt64?) {
    let run = run(in: delay, every: length)
    let delay = run.firstFire(of: make(run), within: looks)
    return (run.counts, delay)
  }

  /// Sets one timer to now and another to a millisecond later. Returns whether the first one fires after the other, or
  /// not at all.
  ///
  /// However late both are, the system checks timers in the order in which they are due, and their handlers share a
  /// queue.
  func areOutOfOrder() -> Bool {
    let now = run(in: 0)
    let later = run(in: 1_000_000, on: now.queue)
    let sources = [make(now), make(later)]
    defer { for source in sources { source.cancel() } }
    later.wait(within: looks) { $0.runs > 0 }
    return !(now.firstRun ?? .max < later.firstRun ?? .max)
  }

  /// Returns the kernel timers that are armed for a timer; nil if the system does not report them.
  ///
  /// They are identified by their remaining time, which equals the timer's own to the nanosecond. Dispatch arms one
  /// kernel timer for each clock, for the timer that is due first. If that is the monitor of its pool, which ticks once
  /// per second, the timer follows after that tick. If the timer fires before it was examined, another one is created.
  func armedInKernel() -> [KernelTimers.Armed]? {
    let end = DispatchTime.after(looks)
    while .now() < end, !wasClockSet {
      let run = run(in: 200_000_000)
      let source = make(run)
      defer { source.cancel() }
      while run.untilDue > 0, .now() < end, !wasClockSet {
        var own: [KernelTimers.Armed] = []
        var shortest = Int.max
        // An examination that is interrupted mistakes another timer for this one. The shortest of many examinations in
        // a row is not interrupted.
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
