import Dispatch
import Instruments

/// The clock by which a deadline is set and an event is judged.
enum TimerClock: Sendable {
  /// The clock of `DispatchTime`.
  case uptime
  /// The clock of `DispatchWallTime`, which can be set.
  case wall

  /// Returns the time of the clock in nanoseconds.
  func now() -> UInt64 {
    guard self == .wall else { return DispatchTime.now().uptimeNanoseconds }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A timer and its reports, as a variant sees them.
final class TimerRun: Sendable {
  /// The queue of the timer's handler.
  let queue: DispatchQueue
  private let clock: TimerClock
  /// The time of the first event by the clock.
  private let first: UInt64
  private let length: UInt64
  private let fires: Int
  private let hold: Int
  /// The time by which the system may delay an event.
  let leeway: DispatchTimeInterval
  private let state = WaitableValue(State())
  private let watch: WallClockWatch?

  /// The reports of the timer so far.
  struct Counts {
    /// The number of handler runs, or of events without a source.
    var runs = 0
    /// The sum of the data that the handler of a source received.
    var reported = 0
    /// The number of intervals that had ended by the last run and were not reported.
    var unreported = 0
    /// The largest number of intervals reported before they were due; without a source, the number of events that came
    /// early.
    var early = 0
  }

  private struct State {
    var counts = Counts()
    var isTimed = true
    var isSlow = true
    var lateness: [UInt64] = []
    /// The time at which each timed run began.
    var times: [UInt64] = []
    var behind: [UInt64] = []
    var source: SharedSource?
    var suspends = false
    var isSuspended = false
    /// Whether the clock was set, in which case the trial waits for no further event.
    var isVoid = false
    /// The data of each run.
    var data: [Int] = []
  }

  /// Creates a timer whose first event is due in this many nanoseconds, followed by one every `length` nanoseconds.
  ///
  /// - Parameters:
  ///   - hold: the number of intervals for which the handler runs.
  ///   - fires: the number of events after which a timer without a source ends.
  ///   - queue: the queue of the handler, if it is not a serial queue of its own.
  init(
    by clock: TimerClock, in delay: Int, every length: UInt64, leeway: Duration = .zero, hold: Int = 0, fires: Int = 0,
    on queue: DispatchQueue = DispatchQueue(label: "timer"), watch: WallClockWatch? = nil
  ) {
    self.queue = queue
    self.clock = clock
    self.length = length
    self.leeway = DispatchTimeInterval(leeway)
    self.hold = hold
    self.fires = fires
    self.watch = watch
    first = clock.now().advanced(by: delay)
    watch?.whenSet { [weak self] in self?.state.note { $0.isVoid = true } }
  }

  // MARK: For the code that makes the timer

  /// The time at which the first event is due.
  var start: DispatchTime { DispatchTime(uptimeNanoseconds: first) }
  /// The time at which the first event is due, by the wall clock.
  var wallStart: DispatchWallTime { Self.wallTime(first) }

  /// Returns the time by the wall clock at which the event with that index is due, for a variant that schedules each.
  func wallDeadline(_ index: Int) -> DispatchWallTime { Self.wallTime(due(index)) }

  private func due(_ index: Int) -> UInt64 { first + UInt64(index + 1) * length }

  private static func wallTime(_ nanoseconds: UInt64) -> DispatchWallTime {
    DispatchWallTime(
      timespec: timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)))
  }
  /// The time from one event to the next.
  var interval: DispatchTimeInterval { .nanoseconds(Int(length)) }
  /// The time from one event to the next, for a thread or a task.
  var period: Duration { .nanoseconds(length) }
  /// The times at which the events are due, for a variant that schedules each of them.
  var deadlines: [DispatchTime] { (0..<fires).map { DispatchTime(uptimeNanoseconds: due($0)) } }

  /// Notes an event of the timer. According to its source, `data` intervals have passed.
  func fired(_ data: UInt) {
    let now = clock.now()
    let over = overAt(now)
    let suspended = state.note { state in
      state.counts.runs += 1
      state.counts.reported += Int(data)
      state.counts.unreported = over - state.counts.reported
      state.counts.early = max(state.counts.early, -state.counts.unreported)
      state.data.append(Int(data))
      if state.isTimed {
        let due = first + UInt64(max(0, state.counts.reported - 1)) * length
        let late = now > due ? now - due : 0
        state.lateness.append(late)
        state.behind.append(late)
        state.times.append(now)
      }
      defer { state.suspends = false }
      return state.suspends ? state.source : nil
    }
    guard let suspended else { return }
    suspended.suspend()
    state.note { $0.isSuspended = true }
  }

  /// Blocks the handler for some intervals, as slow work would.
  func letIntervalsPass() {
    guard hold > 0, state.isSlow else { return }
    blockThread(for: period * hold)
  }

  /// Notes an event that is due at `due`. Returns whether there is another one.
  @discardableResult func fired(due: DispatchTime) -> Bool {
    let (now, due) = (DispatchTime.now().uptimeNanoseconds, due.uptimeNanoseconds)
    return fired(late: Int(now) - Int(due))
  }

  /// Notes the event with that index, by the timer's clock.
  func fired(index: Int) { _ = fired(late: Int(clock.now()) - Int(due(index))) }

  /// Notes an event that is due at `due` by the clock of tasks. Returns whether there is another one.
  func fired(due: ContinuousClock.Instant) -> Bool {
    let (seconds, attoseconds) = due.duration(to: .now).components
    return fired(late: Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  private func fired(late: Int) -> Bool {
    let now = clock.now()
    return state.note { state in
      state.counts.runs += 1
      if late < 0 { state.counts.early += 1 }
      state.lateness.append(UInt64(max(0, late)))
      let due = first + UInt64(state.counts.runs) * length
      state.behind.append(now > due ? now - due : 0)
      return state.counts.runs < fires
    }
  }

  // MARK: For the trial

  /// Notes that the timer has begun.
  func begin(_ source: any DispatchSourceProtocol) {
    let source = SharedSource(source)
    state.note { $0.source = source }
  }

  /// Waits for the first event of the timer, and cancels the timer. Returns how late the event was; nil if it did not
  /// come.
  func firstFire(of source: any DispatchSourceProtocol, within patience: Duration) -> UInt64? {
    defer { source.cancel() }
    wait(within: patience) { $0.runs > 0 }
    return state.lateness.first
  }

  /// The time of the handler's first run by the timer's clock; nil if it did not run.
  var firstRun: UInt64? { state.times.first }

  /// The percentage of timed runs that began one interval after the run before, plus or minus half an interval.
  var percentInStep: Double {
    let times = state.times
    let gaps = zip(times.dropFirst(), times).map { $0 > $1 ? $0 - $1 : 0 }
    return 100 * Double(gaps.count { $0 >= length / 2 && $0 <= length / 2 * 3 }) / Double(max(1, gaps.count))
  }

  /// Waits until the counts meet a condition. Returns those counts, or the present ones if the patience is over.
  @discardableResult func wait(within patience: Duration, until isSo: @escaping @Sendable (Counts) -> Bool) -> Counts {
    state.value(within: patience) { isSo($0.counts) || $0.isVoid }?.counts ?? state.counts
  }

  /// Ends the timing of events.
  func stopTiming() { state.note { $0.isTimed = false } }

  /// Makes the handler fast again.
  func slowDown() { state.note { $0.isSlow = false } }

  /// Cancels the timer.
  func end() { state.source?.cancel() }

  /// The reports of the timer so far.
  var counts: Counts { state.counts }

  /// The nanoseconds until the first event is due by the timer's clock; negative after that.
  var untilDue: Int { Int(first) - Int(clock.now()) }

  /// Returns the number of events that are due by a time.
  private func overAt(_ now: UInt64) -> Int { now < first ? 0 : Int((now - first) / length) + 1 }

  /// Suspends the timer in its handler, lets intervals pass, and resumes the timer. Returns how often the handler ran
  /// meanwhile, and how many of the intervals are missing from the data of the next run.
  ///
  /// Another timer, for which `awaitFire` waits, fires half an interval later and reports that the intervals have
  /// passed, since the system checks timers in the order in which they are due.
  func suspendAndResume(
    within patience: Duration, besideTimerDueIn awaitFire: (_ nanoseconds: Int) -> Void
  ) -> (runs: Int, missing: Int) {
    let source = state.note { state in
      state.suspends = true
      return state.source
    }
    // If no event comes any more, there is nothing to observe.
    state.wait(within: patience) { $0.isSuspended || $0.isVoid }
    guard state.isSuspended else {
      let isUnderWay = state.note { state in
        defer { state.suspends = false }
        return !state.suspends
      }
      // The handler is about to suspend the source, and a suspended source must not be freed.
      if isUnderWay {
        state.wait(within: .seconds(3600)) { $0.isSuspended }
        source?.resume()
      }
      return (0, 0)
    }
    let before = counts
    let now = clock.now()
    let toCome = overAt(now) + 3
    let delay = Int(first) + toCome * Int(length) - Int(length) / 2 - Int(now)
    awaitFire(delay)
    let suspended = counts
    source?.resume()
    wait(within: patience) { $0.runs > suspended.runs }
    let next = state.data.dropFirst(suspended.runs).first ?? 0
    return (suspended.runs - before.runs, max(0, toCome - before.reported - next))
  }

  /// Records the figures of the timed events.
  func record(_ trial: Trial, _ pattern: TimerSource, wakeUps: Int?) {
    trial.record(pattern.lateness, state.lateness)
    if let drift = state.behind.suffix(10).min() { trial.record(pattern.drift, drift) }
    if let wakeUps { trial.record(pattern.contextSwitches, Double(wakeUps) / Double(trial[pattern.fires])) }
  }

  /// Returns the percentage of timed events that were no later than `leeway`.
  func percentWithin(_ leeway: Duration) -> Double {
    let lateness = state.lateness
    return 100 * Double(lateness.count { $0 <= leeway.nanoseconds }) / Double(lateness.count)
  }
}

extension UInt64 {
  /// Returns the sum, but at least 1.
  fileprivate func advanced(by delay: Int) -> UInt64 { UInt64(Swift.max(1, Int(self) + delay)) }
}
