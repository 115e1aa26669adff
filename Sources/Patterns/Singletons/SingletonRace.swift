import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// Can a singleton be created twice?
///
/// The accessor of a photo manager in the document "GCD in depth" checks a static variable, and creates the instance if
/// the variable is nil. The accessor allocates the instance's array of photos only after storing the instance. To
/// provoke the race, the document pauses for two seconds between the check and the creation, and again between the
/// creation and the allocation of the array.
///
/// If two threads check the variable before either thread stores an instance, both threads create an instance. The
/// first pause causes this order. During the second pause another thread can use a manager without an array. In a trial
/// a pause ends as soon as the error has appeared, or after a timeout (``RacePause``). Other races of a trial have no
/// pause, and create a whole row of singletons at a time, as litmus tests do (``RaceTrack``).
///
/// Sources: GCD in depth, "Making Your Singletons Thread-Safe"; `dispatch_once` in YYDispatchQueuePool.
struct SingletonRace: Pattern {
  static let name = "singleton-race"

  let threads = Parameter.count(
    "threads", 2...64, default: 2, "threads, or tasks, that ask for the singleton at the same time")
  let raceTime = Parameter.duration(
    "race-time", .milliseconds(1) ... .seconds(60), default: .milliseconds(10),
    "how long a trial runs races without a pause")
  let slots = Parameter.count(
    "slots", 1...65_536, default: 256, "independent singletons in a row, raced for one after the other")
  let patience = Parameter.duration(
    "patience", .zero ... .seconds(600), default: .seconds(10),
    "how much longer a trial races if it has seen no duplicate (on a busy machine)"
  ).ofMeasurement
  let pause = Parameter.duration(
    "pause", .zero ... .seconds(10), default: .milliseconds(2),
    "longest pause in a synchronized accessor (2 s in the document); it ends sooner when all threads have reached it")
  let pausedRaces = Parameter.count("paused-races", 1...1000, default: 5, "races with a pause, per trial")
  let batch = Parameter.count("batch", 1...1_000_000, default: 1000, "accesses timed as one batch").ofMeasurement

  let instances = Metric.count("instances", "instances created per race")
  let duplicates = Metric.count("duplicates", "instances beyond the first of each race")
  let mismatches = Metric.count(
    "mismatches", "threads that got no instance, or a different instance than the first thread of their race")
  let brokenRaces = Metric.count(
    "broken-races", "races that did not create exactly one instance, or in which a thread got a different instance")
  let pausedDuplicateShare = Metric.rate(
    "paused-duplicate-share", .percent, better: .neither, "share of the paused races that created two or more instances"
  )
  let halfBuiltUses = Metric.count("half-built-uses", "threads that used an instance whose array was not set yet")
  let races = Metric.count("races", "races run, paused ones included")
  let raceRate = Metric.rate("race-rate", .perSecond, "races per second without a pause, bookkeeping included")
  let duplicateRate = Metric.rate(
    "duplicate-rate", .perSecond, better: .neither, "duplicates per second without a pause, bookkeeping included")
  let hotPath = Metric.latency(
    "hot-path", affectedBy: ["batch"], "one access by one thread once the instance exists, timed in batches")

  var problem: [any Declaration] { [threads] }

  var variants: [Variant] {
    Variant(
      "check-then-act", .broken, "if there is no instance, create one: no synchronization", runUnguarded,
      needs: [.cores(2)]
    ) { trial in
      try raceUnguarded(trial) { row in
        row.each { shared in
          if shared.manager == nil { shared.manager = shared.create() }
          return shared.manager
        }
      }
    }
    Variant(
      "check-then-act-paused", .broken, "check-then-act with the document's pause between check and creation",
      racePaused(before: .creation)
    ) { row in
      row.each { shared in
        if shared.manager == nil {
          shared.pause()
          shared.manager = shared.create()
        }
        return shared.manager
      }
    }
    Variant(
      "half-built", .broken, "check-then-act with the document's second pause, between publication and set-up",
      racePaused(before: .setUp)
    ) { row in
      row.each { shared in
        if shared.manager == nil {
          shared.manager = shared.create()
          shared.pause()
          shared.manager?.makePhotosArray()
        }
        return shared.manager
      }
    }
    Variant("dispatch-once", .documented, "dispatch_once_f, the C function", runGuarded) { trial in
      try raceGuarded(trial) { row in
        row.each { shared in
          dispatchOnce(shared.predicate, shared) { context in
            guard let shared = context?.load(as: SharedManager.self) else { return }
            shared.manager = shared.create()
          }
          return shared.manager
        }
      }
    }
    Variant(
      "static-let", .modern, "a static let; a process creates it once, so a trial is a single race, with a pause",
      runOnce
    ) { trial in
      enum Library {
        static let shared = PhotoManager.create()
      }
      try raceOnce(trial) { row in
        row.each { _ in Library.shared }
      }
    }
    Variant("serial-queue", .modern, "check and create inside sync on a serial queue", runGuarded) { trial in
      let queue = DispatchQueue(label: "singleton")
      try raceGuarded(trial) { row in
        row.each { shared in
          queue.sync {
            if shared.manager == nil { shared.manager = shared.create() }
            return shared.manager
          }
        }
      }
    }
    Variant("serial-queue-c", .modern, "check and create inside dispatch_sync_f, the C function", runGuarded) { trial in
      struct Access {
        let shared: SharedManager
        var manager: PhotoManager?
      }
      let queue = FunctionQueue(label: "singleton")
      try raceGuarded(trial) { row in
        row.each { shared in
          var access = Access(shared: shared)
          gcdlab_dispatch_sync_f(queue.object, &access) { context in
            guard let access = context?.assumingMemoryBound(to: Access.self) else { return }
            let shared = access.pointee.shared
            if shared.manager == nil { shared.manager = shared.create() }
            access.pointee.manager = shared.manager
          }
          return access.manager
        }
      }
    }
    Variant(
      "barrier", .modern, "check inside sync on a concurrent queue; check again and create inside a barrier", runGuarded
    ) { trial in
      let queue = DispatchQueue(label: "singleton", attributes: .concurrent)
      try raceGuarded(trial) { row in
        row.each { shared in
          if let found = queue.sync(execute: { shared.manager }) { return found }
          return queue.sync(flags: .barrier) {
            if shared.manager == nil { shared.manager = shared.create() }
            return shared.manager
          }
        }
      }
    }
    Variant("mutex", .modern, "check and create under Synchronization.Mutex", runGuarded) { trial in
      let lock = Lock()
      try raceGuarded(trial) { row in
        row.each { shared in
          lock.mutex.withLock { _ in
            if shared.manager == nil { shared.manager = shared.create() }
            return shared.manager
          }
        }
      }
    }
    Variant("double-checked", .modern, "an acquiring load first, the mutex only if there is no instance", runGuarded) {
      trial in
      let lock = Lock()
      try raceGuarded(trial) { row in
        row.each { shared in
          if let found = shared.published { return found }
          return lock.mutex.withLock { _ in
            if shared.manager == nil { shared.published = shared.create() }
            return shared.manager
          }
        }
      }
    }
    Variant("actor", .modern, "check and create inside an actor", runGuardedTasks, needs: [.cores(2)]) { trial in
      actor Library {
        func manager(_ shared: SharedManager) -> PhotoManager? {
          if shared.manager == nil { shared.manager = shared.create() }
          return shared.manager
        }
      }
      let library = Library()
      try await raceGuarded(trial) { row in
        await row.each { shared in await library.manager(shared) }
      }
    }
  }
}
