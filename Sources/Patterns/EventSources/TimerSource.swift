import Dispatch
import Instruments

/// Does a timer fire when it is due, and what happens if it is due again while its handler runs?
///
/// The Concurrency Programming Guide creates a timer source with an interval and a leeway. The leeway allows the system
/// to delay each event. The timer uses the wall clock, and its first event is due immediately. The timer in the guide's
/// example fires every thirty seconds, with a leeway of one second.
///
/// The timers in a trial are real. The trial measures the lateness of each event by the clock of the timer's deadline,
/// and adds up the data that a source's handler receives. The sum must equal the number of intervals that have elapsed:
/// while the handler keeps up, while the handler is too slow, and while the source is suspended. The variants without a
/// source fire as often as those with a source.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating a Timer".
struct TimerSource: Pattern {
  static let name = "timer-source"

  let interval = Parameter.duration(
    "interval", .microseconds(100) ... .seconds(1), default: .milliseconds(1), "from one fire to the next")
  let fires = Parameter.count("fires", 10...10_000, default: 30, "intervals that are timed")
  let leeway = Parameter.duration(
    "leeway", .zero ... .seconds(1), default: .microseconds(500),
    "how much later than its deadline the system may fire the timer")
  let handlerIntervals = Parameter.count(
    "handler-intervals", 2...1000, default: 3, "intervals that the slow handler takes")

  let lateness = Metric.latency("lateness", isAmount: true, "from the deadline of a fire until its handler began")
  let drift = Metric.latency(
    "drift", isAmount: true,
    "delay of the last ten fires relative to the schedule of the first fire; the minimum of the ten")
  let early = Metric.count(
    "early",
    "fires that occurred, or were counted in the data, before their deadline, measured by the clock of the deadline")
  let contextSwitches = Metric.rate(
    "context-switches", .none, better: .lower, missingIf: "the system does not count context switches",
    "voluntary context switches of the process (a thread went to sleep) per interval")
  let withinLeeway = Metric.rate("within-leeway", .percent, "share of fires that were no later than the leeway")
  let uncountedIntervals = Metric.count(
    "uncounted-intervals", "elapsed intervals that are missing from the sum of the source's data")
  let coalesced = Metric.count("coalesced", "fires without a handler call of their own, counted in another call's data")
  let firstFireDelay = Metric.latency(
    "first-fire-delay", missingIf: "the timer did not fire",
    "from the deadline of a timer scheduled for now until its first fire")
  let lateFirstFires = Metric.count(
    "late-first-fires", "timers scheduled for now, or for the past, that waited for an interval before their first fire"
  )
  let outOfOrder = Metric.count(
    "out-of-order", "timers scheduled for now that fired after a timer that was due a millisecond later")
  let onInterval = Metric.rate(
    "on-interval", .percent, missingIf: "fewer than two handler calls were timed",
    "share of fires that occurred 0.5 to 1.5 intervals after the previous fire")
  let clockStopsInSleep = Metric.count(
    "clock-stops-in-sleep", missingIf: "the system does not report which clock a kernel timer uses",
    "kernel timers armed for the source whose clock stops while the machine sleeps")
  let clockRunsInSleep = Metric.count(
    "clock-runs-in-sleep", missingIf: "the system does not report which clock a kernel timer uses",
    "kernel timers armed for the source whose clock runs while the machine sleeps")
  let firedWhileSuspended = Metric.count("fired-while-suspended", "handler calls while the source was suspended")
  let missedOnResume = Metric.count(
    "missed-on-resume", "suspended intervals missing from the data of the first handler call after resume")
  let notOnce = Metric.count("not-once", "blocks that did not run exactly once")

  var variants: [Variant] {
    Variant("strict", .documented, "a repeating timer with the strict flag and leeway 0", fire()) { timer in
      let source = DispatchSource.makeTimerSource(flags: .strict, queue: timer.queue)
      source.schedule(deadline: timer.start, repeating: timer.interval, leeway: .nanoseconds(0))
      source.setEventHandler { timer.fired(source.data) }
      source.activate()
      return source
    }
    Variant("leeway", .documented, "a repeating timer with leeway", fireWithLeeway()) { timer in
      let source = DispatchSource.makeTimerSource(queue: timer.queue)
      source.schedule(deadline: timer.start, repeating: timer.interval, leeway: timer.leeway)
      source.setEventHandler { timer.fired(source.data) }
      source.activate()
      return source
    }
    Variant(
      "wall-clock", .documented, "the document's listing: scheduled by the wall clock, with leeway",
      fireWithLeeway(by: .wall)
    ) { timer in
      let source = DispatchSource.makeTimerSource(queue: timer.queue)
      source.schedule(wallDeadline: timer.wallStart, repeating: timer.interval, leeway: timer.leeway)
      source.setEventHandler { timer.fired(source.data) }
      source.activate()
      return source
    }
    Variant("slow-handler", .broken, "a timer whose handler takes several intervals", fireSlowly()) { timer in
      let source = DispatchSource.makeTimerSource(flags: .strict, queue: timer.queue)
      source.schedule(deadline: timer.start, repeating: timer.interval, leeway: .nanoseconds(0))
      source.setEventHandler {
        timer.fired(source.data)
        timer.letIntervalsPass()
      }
      source.activate()
      return source
    }
    Variant(
      "async-after", .documented, "one asyncAfter block per fire, all submitted in advance", fireBlocks
    ) { timer, ran in
      for (index, deadline) in timer.deadlines.enumerated() {
        timer.queue.asyncAfter(deadline: deadline) {
          ran.ran(index)
          timer.fired(due: deadline)
        }
      }
    }
    Variant(
      "async-after-global", .documented, "as async-after, on a global queue, submitted by several blocks at once",
      fireBlocks
    ) { timer, ran in
      let deadlines = timer.deadlines
      DispatchQueue.concurrentPerform(iterations: deadlines.count) { index in
        DispatchQueue.global().asyncAfter(deadline: deadlines[index]) {
          ran.ran(index)
          timer.fired(due: deadlines[index])
        }
      }
    }
    Variant(
      "async-after-wall", .documented, "as async-after, by the wall clock", fireBlocksByWallClock()
    ) { timer, ran in
      for index in 0..<ran.count {
        timer.queue.asyncAfter(wallDeadline: timer.wallDeadline(index)) {
          ran.ran(index)
          timer.fired(index: index)
        }
      }
    }
    Variant("async-after-rearmed", .broken, "asyncAfter re-armed by its own block", fireWithoutSource) { timer in
      @Sendable func rearm() {
        let deadline = DispatchTime.now() + timer.interval
        timer.queue.asyncAfter(deadline: deadline) {
          if timer.fired(due: deadline) { rearm() }
        }
      }
      rearm()
    }
    Variant("sleep-loop", .broken, "a thread that sleeps for one interval in a loop", fireWithoutSource) { timer in
      var due: DispatchTime
      repeat {
        due = .now() + timer.interval
        blockThread(for: timer.period)
      } while timer.fired(due: due)
    }
    Variant("task-sleep", .modern, "a task that sleeps until the next deadline in a loop", fireInTask) { timer in
      var due = ContinuousClock.now
      repeat {
        due += timer.period
        try await Task.sleep(until: due, tolerance: .zero)
      } while timer.fired(due: due)
    }
  }
}
