import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

@Suite struct TimerSourceTests {
  static let pattern = TimerSource()
  static let settings: [String: ParameterValue] = [
    "interval": .integer(1_000_000), "fires": .integer(10), "leeway": .integer(0), "handler-intervals": .integer(2),
  ]

  static func settings(of variant: String) -> [String: ParameterValue] {
    settings.filter { name, _ in
      switch name {
      case "leeway": ["leeway", "wall-clock"].contains(variant)
      case "handler-intervals": variant == "slow-handler"
      default: true
      }
    }
  }

  @Test func `a trial whose timer never fires ends without success`() async throws {
    let attempt = try await Attempt("strict", of: TimerSource(), files: Catalogue.files, Self.settings(of: "strict")) {
      try TimerSource().fire(patience: .milliseconds(1), eventPatience: .milliseconds(1))($0) { timer in
        let source = DispatchSource.makeTimerSource(queue: timer.queue)
        source.activate()
        return source
      }
    }
    #expect(attempt.trial.outcome != .completed)
  }

  /// Returns a strict timer with the settings of `timer` whose handler calls `handler` with the data of the source.
  @Sendable private static func timer(_ timer: TimerRun, _ handler: @escaping (UInt) -> Void)
    -> any DispatchSourceProtocol
  {
    let source = DispatchSource.makeTimerSource(flags: .strict, queue: timer.queue)
    source.schedule(deadline: timer.start, repeating: timer.interval, leeway: .nanoseconds(0))
    source.setEventHandler { handler(source.data) }
    source.activate()
    return source
  }

  /// The timer fires as often as it is timed, and never again.
  @Test func `a trial whose timer cannot be suspended is broken`() async throws {
    let attempt = try await Attempt("strict", of: TimerSource(), files: Catalogue.files, Self.settings(of: "strict")) {
      try TimerSource().fire(patience: .milliseconds(500), eventPatience: .milliseconds(500))($0) { run in
        let reported = Atomic<UInt>(0)
        return Self.timer(run) { data in
          if reported.add(data, ordering: .relaxed).newValue <= 10 { run.fired(data) }
        }
      }
    }
    #expect(attempt.trial.outcome.kind == .broken, "\(attempt.trial.outcome)")
  }

  /// The test waits for a fire that does not occur. The pipe replaces the descriptor by which the system reports that
  /// the clock was set.
  @Test(arguments: [true, false])
  func `a trial during which the wall clock is set ends at once, and is unavailable`(_ before: Bool) async throws {
    let attempt = try await Attempt(
      "wall-clock", of: TimerSource(), files: Catalogue.files, Self.settings(of: "wall-clock")
    ) { trial in
      let ends = try makePipe()
      defer { close(ends.writer) }
      if before { write(ends.writer, "x", 1) }
      let count = Atomic(0)
      let probe = TimerSource().fireWithLeeway(
        by: .wall, patience: .seconds(3600), eventPatience: .seconds(3600), watch: WallClockWatch(of: ends.reader))
      try probe(trial) { timer in
        let made = count.add(1, ordering: .relaxed).newValue
        // The byte is written once, since the pipe is not read after that.
        if !before, made == 2 { write(ends.writer, "x", 1) }
        // Only the first timer fires.
        let source = DispatchSource.makeTimerSource(queue: timer.queue)
        if made == 1 { source.schedule(wallDeadline: timer.wallStart) }
        source.setEventHandler { timer.fired(source.data) }
        source.activate()
        return source
      }
    }
    #expect(
      attempt.trial.outcome == .unavailable(reason: "the wall clock, which the timers use, was set during the trial"))
  }

  @Test func `a trial of asyncAfter is unavailable if the wall clock is set meanwhile`() async throws {
    let attempt = try await Attempt(
      "async-after-wall", of: TimerSource(), files: Catalogue.files, Self.settings(of: "async-after-wall")
    ) { trial in
      let ends = try makePipe()
      defer { close(ends.writer) }
      write(ends.writer, "x", 1)
      try TimerSource().fireBlocksByWallClock(
        patience: .seconds(3600), watch: WallClockWatch(of: ends.reader))(trial) { _, _ in }
    }
    #expect(
      attempt.trial.outcome == .unavailable(reason: "the wall clock, which the timers use, was set during the trial"))
  }

  @Test func `a change of the wall clock is reported at once, and also to a later handler`() throws {
    let ends = try makePipe()
    defer { close(ends.writer) }
    let watch = WallClockWatch(of: ends.reader)
    #expect(!watch.wasSet)
    let isReported = DispatchSemaphore(value: 0)
    watch.whenSet { isReported.signal() }
    write(ends.writer, "x", 1)
    isReported.wait()
    watch.whenSet { isReported.signal() }
    #expect(watch.wasSet && isReported.wait(timeout: .now()) == .success)
  }

  @Test func `a fire before its deadline counts as early, and a due fire without a report counts as unreported`() {
    let hour: UInt64 = 3_600_000_000_000
    let due = TimerRun(by: .uptime, in: -1, every: hour)
    due.fired(1 as UInt)
    #expect(due.counts.unreported == 0 && due.counts.early == 0)
    due.fired(2 as UInt)
    #expect(due.counts.unreported == -2 && due.counts.early == 2)
    let notDue = TimerRun(by: .wall, in: Int(hour), every: hour)
    notDue.fired(1 as UInt)
    #expect(notDue.counts.early == 1)
    let passed = TimerRun(by: .wall, in: -Int(10 * hour), every: hour)
    passed.fired(3 as UInt)
    #expect(passed.counts.unreported == 8 && passed.counts.early == 0)
  }

  @Test func `the share of fires on their interval is missing until two handler calls are timed`() {
    let run = TimerRun(by: .uptime, in: -1, every: 3_600_000_000_000)
    #expect(run.percentInStep == nil)
    run.fired(1 as UInt)
    #expect(run.percentInStep == nil)
    run.fired(1 as UInt)
    #expect(run.percentInStep == 0)
  }

  @Test func `a wait returns the counts that fulfilled its condition, not later ones`() {
    let run = TimerRun(by: .uptime, in: -1, every: 3_600_000_000_000)
    let isAwaited = DispatchSemaphore(value: 0)
    let all = DispatchGroup()
    DispatchQueue.global().async(group: all) {
      isAwaited.wait()
      for _ in 0..<3 { run.fired(1 as UInt) }
    }
    let counts = run.wait(within: .seconds(600)) { counts in
      if counts.runs == 0 { isAwaited.signal() }
      return counts.runs == 2
    }
    all.wait()
    #expect(counts.runs == 2 && run.counts.runs == 3)
  }

  // MARK: Broken bodies

  @Sendable private static func tooEarly(_ trial: Trial) throws {
    try pattern.fireBlocks(trial) { timer, ran in
      for (index, deadline) in timer.deadlines.enumerated() {
        ran.ran(index)
        timer.queue.async { timer.fired(due: deadline + .seconds(1)) }
      }
    }
  }

  /// Executes the first block twice, and the last block not at all.
  @Sendable private static func firstTwice(_ trial: Trial) throws {
    try pattern.fireBlocks(trial) { timer, ran in
      for (index, deadline) in timer.deadlines.enumerated() {
        timer.queue.asyncAfter(deadline: deadline) {
          ran.ran(index == ran.count - 1 ? 0 : index)
          timer.fired(due: deadline)
        }
      }
    }
  }

  static var reds: [Red] {
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, settings(of: variant), body)
    }
    return [
      red("all.early == 0", "sleep-loop") { trial in
        try pattern.fireWithoutSource(trial) { timer in
          while timer.fired(due: .now() + timer.interval) {}
        }
      },
      // The timer waits for its interval first.
      red("all.late-first-fires == 0", "strict") { trial in
        try pattern.fire(eventPatience: .milliseconds(20))(trial) { timer in
          let source = DispatchSource.makeTimerSource(queue: timer.queue)
          source.schedule(deadline: timer.start + timer.interval, repeating: timer.interval)
          source.setEventHandler { timer.fired(source.data) }
          source.activate()
          return source
        }
      },
      // The body counts a handler run as an interval.
      red("all.uncounted-intervals == 0", "slow-handler") { trial in
        try pattern.fireSlowly(eventPatience: .milliseconds(100))(trial) { run in
          timer(run) { _ in
            run.fired(1 as UInt)
            run.letIntervalsPass()
          }
        }
      },
      red("slow-handler.coalesced > 0", "slow-handler") { trial in
        try pattern.fireSlowly()(trial) { run in
          timer(run) { data in for _ in 0..<data { run.fired(1 as UInt) } }
        }
      },
      red("all.missed-on-resume == 0", "strict") { trial in
        try pattern.fire()(trial) { run in
          timer(run) { data in for _ in 0..<data { run.fired(1 as UInt) } }
        }
      },
      // The body returns a source that never fires, and this source is suspended instead of the source that fires. The
      // first handler call of the last source waits until the other source has fired twice more.
      red("all.fired-while-suspended == 0", "strict") { trial in
        let made = Atomic(0)
        let runs = RunCount()
        try pattern.fire()(trial) { run in
          let number = made.add(1, ordering: .relaxed).newValue
          let seen = runs.count
          let source = timer(run) { data in
            let deadline = DispatchTime.now() + 20
            while number == 7, runs.count < seen + 2, .now() < deadline { blockThread(for: .milliseconds(1)) }
            run.fired(data)
            if number == 6 { runs.another() }
          }
          guard number == 6 else { return source }
          let other = DispatchSource.makeTimerSource(queue: run.queue)
          other.setCancelHandler { source.cancel() }
          other.activate()
          return other
        }
      },
      // The second timer fires 20 ms later than expected.
      red("all.out-of-order == 0", "strict") { trial in
        let made = Atomic(0)
        try pattern.fire()(trial) { run in
          let isSecond = made.add(1, ordering: .relaxed).newValue == 2
          let source = DispatchSource.makeTimerSource(flags: .strict, queue: run.queue)
          source.schedule(deadline: isSecond ? run.start + .milliseconds(20) : run.start, repeating: run.interval)
          source.setEventHandler { run.fired(source.data) }
          source.activate()
          return source
        }
      },
      // A custom source replaces the timer: the first fire is reported at once, and a further fire after each
      // handler call.
      red("strict.clock-stops-in-sleep >= 1", "strict") { trial in
        try pattern.fire(eventPatience: .milliseconds(20))(trial) { run in
          let source = DispatchSource.makeUserDataAddSource(queue: run.queue)
          source.setEventHandler {
            run.fired(source.data)
            source.add(data: 1)
          }
          source.activate()
          source.add(data: 1)
          return source
        }
      },
      // Each timer uses the other clock.
      red("strict.clock-runs-in-sleep == 0", "strict") { trial in
        try pattern.fire(by: .wall)(trial) { run in
          let source = DispatchSource.makeTimerSource(flags: .strict, queue: run.queue)
          source.schedule(wallDeadline: run.wallStart, repeating: run.interval, leeway: .nanoseconds(0))
          source.setEventHandler { run.fired(source.data) }
          source.activate()
          return source
        }
      },
      red("wall-clock.clock-runs-in-sleep == 1", "wall-clock") { trial in
        try pattern.fireWithLeeway()(trial) { run in timer(run) { run.fired($0) } }
      },
      red("async-after.early == 0", "async-after", tooEarly),
      red("async-after.not-once == 0", "async-after", firstTwice),
      red("async-after-wall.early == 0", "async-after-wall") { trial in
        try pattern.fireBlocksByWallClock()(trial) { timer, ran in
          for index in 0..<ran.count {
            ran.ran(index)
            // The fires are reported an hour early.
            timer.queue.async { timer.fired(index: index + 3_600_000) }
          }
        }
      },
      red("async-after-wall.not-once == 0", "async-after-wall", firstTwice),
      red("async-after-global.early == 0", "async-after-global", tooEarly),
      red("async-after-global.not-once == 0", "async-after-global", firstTwice),
    ]
  }
}

/// A count of a handler's calls.
private final class RunCount: Sendable {
  private let runs = Atomic(0)
  var count: Int { runs.load(ordering: .acquiring) }
  func another() { runs.add(1, ordering: .acquiringAndReleasing) }
}
