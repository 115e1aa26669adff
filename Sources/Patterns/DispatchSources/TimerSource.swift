import Dispatch
import Laboratory

/// Does a timer come when it is due, and what becomes of the fires that nobody had time for?
///
/// The document's timer has an interval, a leeway that lets the system fire it later, and a first fire that comes at once:
///
/// ```c
/// dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
/// if (timer) {
///   dispatch_source_set_timer(timer, dispatch_walltime(NULL, 0), interval, leeway);
///   dispatch_source_set_event_handler(timer, block);
///   dispatch_resume(timer);
/// }
/// ```
///
/// Timers here are real, each judged by the clock that its own deadline was set by. What a source's handler is told is added up,
/// and must come to the intervals that are over: while the handler keeps up, while it does not, and while the source
/// is suspended. The ways without a source fire as often.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating a Timer".
struct TimerSource: Pattern {
  static let name = "timer-source"

  let interval = Setting.duration(
    "interval", .microseconds(100) ... .seconds(1), default: .milliseconds(1), "from one fire to the next")
  let fires = Setting.count("fires", 10...10_000, default: 30, "intervals that are timed")
  let leeway = Setting.duration(
    "leeway", .zero ... .seconds(1), default: .microseconds(500), "how much later a fire may come")
  let hold = Setting.count("hold", 2...1000, default: 3, "intervals for which the slow handler runs")

  let lateness = Metric.latency("lateness", "from when a fire was due until its handler began")
  let drift = Metric.latency(
    "drift", "how far behind the schedule of its first fire it was in the end, the least of the last ten fires")
  let early = Metric.count("early", "fires that came, or were told, before they were due by the deadline's own clock")
  let wakeUps = Metric.rate(
    "wake-ups", .none, better: .lower, unless: "the system does not count them",
    "how often a thread of the process went to sleep, an interval")
  let withinLeeway = Metric.rate("within-leeway", .percent, "fires that were not later than the leeway")
  let uncounted = Metric.count(
    "uncounted", "intervals that were over and that no fire had told of, when all that is told was added up")
  let merged = Metric.count("merged", "fires that had no handler run of their own: another one told of them")
  let nowDelay = Metric.latency(
    "now-delay", unless: "it did not fire", "from the deadline of a timer that is set to now until its first fire")
  let notAtOnce = Metric.count(
    "not-at-once", "timers set to now, or to a time gone by, that let an interval pass before they fired")
  let overtaken = Metric.count(
    "overtaken", "timers set to now that another one came before, which was due a millisecond later")
  let inStep = Metric.rate(
    "in-step", .percent, "fires that came one interval after the one before, give or take half of it")
  let standsStill = Metric.count(
    "stands-still", unless: "the system does not tell which clock a kernel timer follows",
    "kernel timers armed for a fire of the source whose clock stands still while the machine sleeps")
  let goesOn = Metric.count(
    "goes-on", unless: "the system does not tell which clock a kernel timer follows",
    "kernel timers armed for a fire of the source whose clock goes on while the machine sleeps")
  let toldSuspended = Metric.count("told-suspended", "handler runs while the source was suspended")
  let scattered = Metric.count(
    "scattered", "intervals of the suspension that the first run after it did not tell of")
  let notOnce = Metric.count("not-once", "blocks that did not run just once")

  var variants: [Variant] {
    Variant("strict", .documented, "a repeating timer without leeway, and marked strict", own: counting) { trial in
      fire(trial) { timer in
        let source = DispatchSource.makeTimerSource(flags: .strict, queue: timer.queue)
        source.schedule(deadline: timer.start, repeating: timer.interval, leeway: .nanoseconds(0))
        source.setEventHandler { timer.fired(source.data) }
        source.activate()
        return source
      }
    }
    Variant("leeway", .documented, "a repeating timer with leeway", own: counting + [leeway, withinLeeway]) { trial in
      let leeway = timerInterval(trial[leeway])
      fire(trial) { timer in
        let source = DispatchSource.makeTimerSource(queue: timer.queue)
        source.schedule(deadline: timer.start, repeating: timer.interval, leeway: leeway)
        source.setEventHandler { timer.fired(source.data) }
        source.activate()
        return source
      }
      .record(trial, withinLeeway, trial[self.leeway])
    }
    Variant(
      "wall-clock", .documented, "the document's listing: set by the wall clock, with leeway",
      own: counting + [leeway, withinLeeway]
    ) { trial in
      let leeway = timerInterval(trial[leeway])
      fire(trial, by: .wall) { timer in
        let source = DispatchSource.makeTimerSource(queue: timer.queue)
        source.schedule(wallDeadline: timer.wallStart, repeating: timer.interval, leeway: leeway)
        source.setEventHandler { timer.fired(source.data) }
        source.activate()
        return source
      }
      .record(trial, withinLeeway, trial[self.leeway])
    }
    Variant("slow-handler", .broken, "a timer whose handler takes several intervals", own: counting + [hold]) { trial in
      fire(trial, hold: trial[hold]) { timer in
        let source = DispatchSource.makeTimerSource(flags: .strict, queue: timer.queue)
        source.schedule(deadline: timer.start, repeating: timer.interval, leeway: .nanoseconds(0))
        source.setEventHandler {
          timer.fired(source.data)
          timer.letIntervalsPass()
        }
        source.activate()
        return source
      }
    }
    Variant("after", .documented, "a block for each fire, all sent ahead by asyncAfter", own: [notOnce]) { trial in
      let ran = InnerBlocks(count: trial[fires])
      go(trial) { timer in
        for (index, deadline) in timer.deadlines.enumerated() {
          timer.queue.asyncAfter(deadline: deadline) {
            ran.ran(index)
            timer.fired(due: deadline)
          }
        }
      }
      trial.record(notOnce, ran.notOnce)
    }
    Variant("after-rearmed", .broken, "a block that sends itself again by asyncAfter") { trial in
      go(trial) { timer in
        @Sendable func rearm() {
          let deadline = DispatchTime.now() + timer.interval
          timer.queue.asyncAfter(deadline: deadline) {
            if timer.fired(due: deadline) { rearm() }
          }
        }
        rearm()
      }
    }
    Variant("sleep-loop", .broken, "a thread that sleeps for an interval, again and again") { trial in
      let pause = trial[interval]
      go(trial) { timer in
        var due: DispatchTime
        repeat {
          due = .now() + timer.interval
          blockThread(for: pause)
        } while timer.fired(due: due)
      }
    }
    Variant("task-sleep", .modern, "a task that sleeps until the next fire is due, again and again") { trial in
      let interval = trial[interval]
      try await goInTask(trial) { timer in
        var due = ContinuousClock.now
        repeat {
          due += interval
          try await Task.sleep(until: due, tolerance: .zero)
        } while timer.fired(due: due)
      }
    }
  }

  private var counting: [any Declaration] {
    [uncounted, merged, nowDelay, notAtOnce, overtaken, inStep, toldSuspended, scattered, standsStill, goesOn]
  }
}
