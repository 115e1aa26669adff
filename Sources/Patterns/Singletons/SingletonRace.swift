import CDispatchSupport
import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// Can a singleton be created twice?
///
/// The document's accessor checks a variable and creates the instance when it is empty. Two threads that check before
/// either has stored create two instances. It then forces that to happen by sleeping inside the check, and repairs it
/// with `dispatch_once`.
///
/// Here the race runs without any sleep, the way litmus tests do it: two threads are released together into a stride
/// of independent singletons ("slots", a cache line each), ask for each in turn, meet again, count how many instances
/// each slot got, and start over. ``RaceTrack`` does that; each way of guarding is a ``SingletonGuard`` of a few lines.
///
/// Sources: a series on GCD (queue types, singletons, groups), part 4; `dispatch_once` in YYDispatchQueuePool.
public struct SingletonRace: Pattern {
  enum Way: String, CaseIterable {
    case checkThenAct = "check-then-act"
    case checkThenActPaused = "check-then-act-paused"
    case dispatchOnce = "dispatch-once"
    case staticLet = "static-let"
    case serialQueue = "serial-queue"
    case barrier
    case mutex
    case doubleChecked = "double-checked"
    case actor
  }

  /// The pattern, with nothing to configure.
  public init() {}

  /// `singleton-race`.
  public let name = "singleton-race"

  /// How many race, how long, and the document's forced pause.
  public let parameters: [Parameter] = [
    .count("actors", 2...64, default: 2, "threads that ask for the singleton at the same time"),
    .duration("race-time", 1_000_000...60_000_000_000, default: 200_000_000, "how long a trial goes on racing"),
    .duration(
      "patience", 0...600_000_000_000, default: 10_000_000_000,
      "check-then-act: how much longer to go on while no duplicate was seen (a busy machine)"),
    .count("slots", 1...65_536, default: 1024, "independent singletons raced for at each rendezvous (the stride)"),
    .duration(
      "pause", 0...10_000_000_000, default: 25_000_000,
      "check-then-act-paused: sleep before and after the creation (2 s in the document)"),
    .count("paused-races", 1...1000, default: 3, "check-then-act-paused: races in a trial"),
    .count("batch", 1...1_000_000, default: 1000, "accesses timed together when the hot path is measured"),
  ]

  /// Two broken ways, six guarded ones and Swift's actor.
  public let variants: [Variant] = [
    Variant(
      "check-then-act", .broken, ignores: ["pause", "paused-races", "patience"],
      "if it is empty, create it; no guard at all"),
    Variant(
      "check-then-act-paused", .broken, ignores: ["race-time", "slots", "batch"],
      "the same with the document's sleep between check and creation"),
    Variant(
      "dispatch-once", .documented, ignores: ["pause", "paused-races", "patience"], "dispatch_once_f, the C function"),
    Variant(
      "static-let", .modern, ignores: ["pause", "paused-races", "race-time", "slots", "patience"],
      "a static let; one race a process, since it can be created only once"),
    Variant(
      "serial-queue", .documented, ignores: ["pause", "paused-races", "patience"],
      "check and create inside sync on a serial queue"),
    Variant(
      "barrier", .documented, ignores: ["pause", "paused-races", "patience"],
      "check inside sync on a concurrent queue; create inside a barrier"),
    Variant(
      "mutex", .modern, ignores: ["pause", "paused-races", "patience"], "check and create under Synchronization.Mutex"),
    Variant(
      "double-checked", .modern, ignores: ["pause", "paused-races", "patience"],
      "an acquiring load first, the mutex only when it is empty"),
    Variant("actor", .modern, ignores: ["pause", "paused-races", "patience"], "an actor owns it; callers await"),
  ]

  /// What came of the races, and what the guard costs afterwards.
  public let metrics: [Metric] = [
    Metric("duplicates", .count, .none, "instances beyond the first, over all races of a trial"),
    Metric("instances", .count, .none, "instances created in one race"),
    Metric("races", .count, .none, "races run in a trial"),
    Metric("race-rate", .rate, .perSecond, "races a second, tally included"),
    Metric("duplicate-rate", .rate, .perSecond, better: .neither, "duplicates a second, tally included"),
    Metric(
      "hot-path", .latency, .nanoseconds, batch: "batch",
      "one access by one thread once the instance exists, timed in batches"),
  ]

  /// Runs one variant.
  public func run(_ trial: Trial) throws -> Observation {
    guard let way = Way(rawValue: trial.variant) else { throw TrialFailure("unknown variant \(trial.variant)") }
    return switch way {
    case .checkThenAct: try race(CheckThenAct(), trial, patience: trial.integer("patience"))
    case .checkThenActPaused: try pausedRace(trial)
    case .dispatchOnce: try race(DispatchOnce(), trial)
    case .staticLet: try staticLetRace(trial)
    case .serialQueue: try race(SerialQueueGuard(), trial)
    case .barrier: try race(BarrierGuard(), trial)
    case .mutex: try race(MutexGuard(), trial)
    case .doubleChecked: try race(DoubleChecked(), trial)
    case .actor: actorRace(trial)
    }
  }

  /// Races, then measures the hot path. With `patience` (ns) it goes on that much longer until a duplicate is seen.
  func race(_ guarding: some SingletonGuard, _ trial: Trial, patience: Int = 0) throws -> Observation {
    if patience > 0, trial.cores < 2 { throw TrialFailure("a race without pauses needs 2 cores, there is 1") }
    let track = RaceTrack(actors: trial.integer("actors"), slots: trial.integer("slots"))
    defer { track.deallocate() }
    let tally = try track.race(guarding, nanoseconds: trial.integer("race-time"), patience: patience)
    if patience > 0, tally.duplicates == 0, let hindrance = tally.hindrance {
      throw TrialFailure("no two actors met, and none could have a core of its own: \(hindrance)")
    }
    var observation = Observation()
    tally.record(in: &observation)
    let batch = trial.integer("batch")
    track.withOneSlot { visit in
      CalibratedWork.consume(UInt64(guarding.instance(visit)))  // Created here; hot from now on.
      observation.recordHotPath(batch) {
        var last: UInt = 0
        for _ in 0..<batch { last ^= guarding.instance(visit) }
        return last
      }
    }
    return observation
  }

  /// The document's version: the pause makes every thread pass the check before any has stored.
  private func pausedRace(_ trial: Trial) throws -> Observation {
    let guarding = CheckThenActPaused(microseconds: UInt32(clamping: trial.integer("pause") / 1000))
    let track = RaceTrack(actors: trial.integer("actors"), slots: 1)
    defer { track.deallocate() }
    let tally = try track.race(guarding, strides: trial.integer("paused-races"), patience: trial.integer("patience"))
    var observation = Observation()
    tally.record(in: &observation)
    return observation
  }

  /// One race for a static let: the runtime creates it once a process, so a second race needs a second worker.
  private func staticLetRace(_ trial: Trial) throws -> Observation {
    let barrier = SpinBarrier(parties: trial.integer("actors"))
    let actors = try (0..<trial.integer("actors")).map { _ in
      try SystemThread {
        barrier.wait()
        CalibratedWork.consume(StaticSingleton.shared)
      }
    }
    for actor in actors { actor.join() }
    var observation = Observation()
    var tally = RaceTally()
    tally.count(instances: StaticSingleton.created.load(ordering: .relaxed))
    tally.record(in: &observation)
    let batch = trial.integer("batch")
    observation.recordHotPath(batch) {
      var last: UInt64 = 0
      for _ in 0..<batch { last ^= StaticSingleton.shared }
      return UInt(last)
    }
    return observation
  }

  /// Tasks instead of threads: an actor is reached by await, which a thread outside the concurrency pool cannot do.
  private func actorRace(_ trial: Trial) -> Observation {
    let track = RaceTrack(actors: trial.integer("actors"), slots: trial.integer("slots"))
    defer { track.deallocate() }
    let batch = trial.integer("batch")
    let limit = UInt64(trial.integer("race-time"))
    return runAsync {
      let holder = SingletonActor()
      var tally = RaceTally()
      let start = MonotonicClock.now()
      repeat {
        await withTaskGroup { group in
          for actor in 0..<track.actors {
            group.addTask {
              for slot in 0..<track.slots { _ = await holder.instance(track.visit(slot, by: actor)) }
            }
          }
        }
        track.tally(slots: 0..<track.slots, into: &tally)
      } while MonotonicClock.now() &- start < limit
      tally.nanoseconds = MonotonicClock.now() &- start
      var observation = Observation()
      tally.record(in: &observation)
      let visit = track.visit(0, by: 0)
      _ = await holder.instance(visit)
      for _ in 0..<Observation.hotPathBatches {
        let start = MonotonicClock.now()
        for _ in 0..<batch { _ = await holder.instance(visit) }
        observation.record("hot-path", Double(MonotonicClock.now() &- start) / Double(batch))
      }
      track.tally(slots: 0..<1, into: &tally)
      return observation
    }
  }
}

/// A static let, created by the runtime on first access; it counts its own creations.
private enum StaticSingleton {
  static let created = Atomic<Int>(0)
  static let instance = create()

  static func create() -> UInt64 {
    UInt64(created.add(1, ordering: .relaxed).newValue)
  }

  /// Not inlined: the optimiser would move the once-check out of a measuring loop.
  @inline(never) static var shared: UInt64 { instance }
}

private actor SingletonActor {
  func instance(_ visit: Visit) -> UInt { CheckThenAct().instance(visit) }
}

extension Observation {
  static let hotPathBatches = 30

  /// Times batches of `batch` accesses, after one that warms up.
  fileprivate mutating func recordHotPath(_ batch: Int, _ accesses: () -> UInt) {
    CalibratedWork.consume(UInt64(accesses()))
    for _ in 0..<Self.hotPathBatches {
      var last: UInt = 0
      let elapsed = MonotonicClock.time { last = accesses() }
      CalibratedWork.consume(UInt64(last))
      record("hot-path", Double(elapsed) / Double(batch))
    }
  }
}
