import Dispatch
import Instruments

/// The clock that determines when a timer is due and how late an event is.
enum TimerClock: Sendable {
  /// The clock of `DispatchTime`.
  case uptime
  /// The clock of `DispatchWallTime`. This clock can be set.
  case wall

  /// Returns the current time of the clock in nanoseconds.
  func now() -> UInt64 {
    guard self == .wall else { return DispatchTime.now().uptimeNanoseconds }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A timer under test, with a record of its events.
final class TimerRun: Sendable {
  /// The queue of the timer's handler.
  let queue: DispatchQueue
  private let clock: TimerClock
  /// The time at which the first event is due, in nanoseconds of the timer's clock.
  private let first: UInt64
  private let length: UInt64
  private let fires: Int
  private let hold: Int
  /// The delay that the system may add to each event.
  let leeway: DispatchTimeInterval
  private let state = WaitableValue(State())
  private let watch: WallClockWatch?

  /// The counted events of the timer.
  struct Counts {
    /// The number of handler calls; for a timer without a source, the number of events.
    var runs = 0
    /// The sum of the source's data over all handler calls, in intervals.
    var reported = 0
    /// The number of intervals that had ended at the last handler call and were not reported; negative if intervals
    /// were reported early.
    var unreported = 0
    /// The largest number of intervals that were reported before they were due; for a timer without a source, the
    /// number of early events.
    var early = 0
  }

  private struct State {
    var counts = Counts()
    var isTimed = true
    var isSlow = true
    var lateness: [UInt64] = []
    /// The times at which the timed handler calls began, in nanoseconds of the timer's clock.
    var times: [UInt64] = []
    var delays: [UInt64] = []
    var source: SharedSource?
    var suspends = false
    var isSuspended = false
    /// Whether the clock was set. If so, the trial does not wait for further events.
    var isVoid = false
    /// The data of each handler call.
    var data: [Int] = []
  }

  /// Creates a timer whose first event is due in `delay` nanoseconds. One further event is due every `length`
  /// nanoseconds. The first event of a timer without a source is due in `delay + length` nanoseconds.
  ///
  /// - Parameters:
  ///   - clock: the clock of the timer.
  ///   - leeway: the delay that the system may add to each event.
  ///   - hold: the number of intervals for which a slow handler runs; 0 for a fast handler.
  ///   - fires: the number of events after which a timer without a source ends.
  ///   - queue: the queue of the handler, by default a new serial queue.
  ///   - watch: the watch that reports whether the wall clock was set; nil if the trial does not check the clock.
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

  /// The time at which the first event of a timer source is due.
  var start: DispatchTime { DispatchTime(uptimeNanoseconds: first) }
  /// The wall-clock time at which the first event of a timer source is due.
  var wallStart: DispatchWallTime { Self.wallTime(first) }

  /// Returns the wall-clock time at which the event with this index is due, for a variant that schedules each event.
  func wallDeadline(_ index: Int) -> DispatchWallTime { Self.wallTime(due(index)) }

  private func due(_ index: Int) -> UInt64 { first + UInt64(index + 1) * length }

  private static func wallTime(_ nanoseconds: UInt64) -> DispatchWallTime {
    DispatchWallTime(
      timespec: timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000)))
  }
  /// The time between two events, for a timer source.
  var interval: DispatchTimeInterval { .nanoseconds(Int(length)) }
  /// The time between two events, for a thread or a task.
  var period: Duration { .nanoseconds(length) }
  /// The times at which the events are due, for a variant that schedules each event.
  var deadlines: [DispatchTime] { (0..<fires).map { DispatchTime(uptimeNanoseconds: due($0)) } }

  /// Records a handler call whose data reports that `data` intervals have passed. Suspends the source if
  /// ``suspendAndResume(within:besideTimerDueIn:)`` waits for this call.
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
        state.delays.append(late)
        state.times.append(now)
      }
      defer { state.suspends = false }
      return state.suspends ? state.source : nil
    }
    guard let suspended else { return }
    suspended.suspend()
    state.note { $0.isSuspended = true }
  }

  /// Blocks a slow handler for `hold` intervals. Returns immediately if the handler is fast.
  func letIntervalsPass() {
    guard hold > 0, state.isSlow else { return }
    blockThread(for: period * hold)
  }

  /// Records an event that was due at `due`, and returns whether another event follows.
  @discardableResult func fired(due: DispatchTime) -> Bool {
    let (now, due) = (DispatchTime.now().uptimeNanoseconds, due.uptimeNanoseconds)
    return fired(late: Int(now) - Int(due))
  }

  /// Records the event with this index, and measures its lateness by the timer's clock.
  func fired(index: Int) { _ = fired(late: Int(clock.now()) - Int(due(index))) }

  /// Records an event that was due at `due` by the continuous clock, and returns whether another event follows.
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
      state.delays.append(now > due ? now - due : 0)
      return state.counts.runs < fires
    }
  }

  // MARK: For the trial

  /// Stores the timer's source, so that the source can be suspended, resumed and cancelled.
  func begin(_ source: any DispatchSourceProtocol) {
    let source = SharedSource(source)
    state.note { $0.source = source }
  }

  /// Waits for the first event of the timer, and cancels the timer.
  ///
  /// - Returns: the lateness of the event in nanoseconds; nil if no event occurred within `patience`, or before the
  ///   clock is set.
  func firstFire(of source: any DispatchSourceProtocol, within patience: Duration) -> UInt64? {
    defer { source.cancel() }
    wait(within: patience) { $0.runs > 0 }
    return state.lateness.first
  }

  /// The time at which the first handler call began, in nanoseconds of the timer's clock; nil if the handler was not
  /// called.
  var firstRun: UInt64? { state.times.first }

  /// The percentage of timed handler calls that began 0.5 to 1.5 intervals after the previous call; nil if fewer than
  /// two calls were timed.
  var percentInStep: Double? {
    let times = state.times
    let gaps = zip(times.dropFirst(), times).map { $0 > $1 ? $0 - $1 : 0 }
    if gaps.isEmpty { return nil }
    return 100 * Double(gaps.count { $0 >= length / 2 && $0 <= length / 2 * 3 }) / Double(gaps.count)
  }

  /// Waits until the counts meet a condition, the clock is set, or `patience` has passed. Returns the counts.
  @discardableResult func wait(
    within patience: Duration, until condition: @escaping @Sendable (Counts) -> Bool
  ) -> Counts {
    state.value(within: patience) { condition($0.counts) || $0.isVoid }?.counts ?? state.counts
  }

  /// Ends the timing of events.
  func stopTiming() { state.note { $0.isTimed = false } }

  /// Makes a slow handler fast in all later calls.
  func stopDelaying() { state.note { $0.isSlow = false } }

  /// Cancels the timer.
  func end() { state.source?.cancel() }

  /// The counted events so far.
  var counts: Counts { state.counts }

  /// The nanoseconds by the timer's clock until the first event is due; negative after that time.
  var untilDue: Int { Int(first) - Int(clock.now()) }

  /// Returns the number of events that are due at or before `now`.
  private func overAt(_ now: UInt64) -> Int { now < first ? 0 : Int((now - first) / length) + 1 }

  /// Suspends the timer in its handler, waits until three further events are due, and resumes the timer.
  ///
  /// The closure `awaitFire` waits for another timer, which is due half an interval after the third event. The fire of
  /// that timer shows that the three events are due, since the system checks timers in the order in which they are due.
  ///
  /// - Returns: the number of handler calls while the timer was suspended, and the number of intervals that are missing
  ///   from the data of the next call; nil if the timer was not suspended within `patience`.
  func suspendAndResume(
    within patience: Duration, besideTimerDueIn awaitFire: (_ nanoseconds: Int) -> Void
  ) -> (runs: Int, missing: Int)? {
    let source = state.note { state in
      state.suspends = true
      return state.source
    }
    // If no further event occurs, the timer cannot be suspended.
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
      return nil
    }
    let before = counts
    let now = clock.now()
    let expected = overAt(now) + 3
    let delay = Int(first) + expected * Int(length) - Int(length) / 2 - Int(now)
    awaitFire(delay)
    let suspended = counts
    source?.resume()
    wait(within: patience) { $0.runs > suspended.runs }
    let next = state.data.dropFirst(suspended.runs).first ?? 0
    return (suspended.runs - before.runs, max(0, expected - before.reported - next))
  }

  /// Records the metrics of the timed events.
  ///
  /// - Parameter wakeUps: the number of voluntary context switches; nil if the system does not count context switches.
  func record(_ trial: Trial, _ pattern: TimerSource, wakeUps: Int?) {
    trial.record(pattern.lateness, state.lateness)
    if let drift = state.delays.suffix(10).min() { trial.record(pattern.drift, drift) }
    if let wakeUps { trial.record(pattern.contextSwitches, Double(wakeUps) / Double(trial[pattern.fires])) }
  }

  /// Returns the percentage of timed events whose lateness did not exceed `leeway`.
  func percentWithin(_ leeway: Duration) -> Double {
    let lateness = state.lateness
    return 100 * Double(lateness.count { $0 <= leeway.nanoseconds }) / Double(lateness.count)
  }
}

extension UInt64 {
  /// Returns the sum of this value and `delay`, but at least 1.
  fileprivate func advanced(by delay: Int) -> UInt64 { UInt64(Swift.max(1, Int(self) + delay)) }
}
