import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension CustomExecutors {
  /// A body that calls code which notes where it runs.
  typealias Calling = @Sendable (_ code: PlacedCode, _ preferred: PreferredExecutor) async throws -> Void

  private var places: [any Declaration] { [onPreferred, onActor, elsewhere] }

  /// Has a task without a preference run a body for one call after the other, and records where the code ran.
  var runEachCall: Probe<Calling> {
    Probe(reads: [calls], records: places + [call]) { trial, body in try runCalls(trial, body) }
  }

  /// Has a task without a preference run a body for one call of a default actor after the other, and records where the
  /// code ran.
  var runEachActorCall:
    Probe<@Sendable (_ actor: DefaultActor, _ code: PlacedCode, _ preferred: PreferredExecutor) async -> Void>
  {
    Probe(reads: [calls], records: places + [call]) { trial, body in
      let actor = DefaultActor()
      try runCalls(trial) { code, preferred in await body(actor, code, preferred) }
    }
  }

  private func runCalls(_ trial: Trial, _ body: @escaping Calling) throws {
    let count = trial[calls]
    let codes = try waitFor {
      let preferred = PreferredExecutor()
      var codes: [PlacedCode] = []
      // The first calls are a warm-up.
      for index in -10..<count {
        let code = PlacedCode()
        try await body(code, preferred)
        if index >= 0 { codes.append(code) }
      }
      return codes
    }
    record(codes, trial)
    trial.record(call, codes.compactMap(\.delay))
  }

  /// Runs a body for one call of a default actor after the other on the calling thread, and records where the code ran.
  /// The body returns the task whose call waits for the actor. The trial then lets the actor continue.
  var runEachCallOfBusy:
    Probe<
      @Sendable (_ actor: DefaultActor, _ code: PlacedCode, _ preferred: PreferredExecutor) throws -> Task<Void, Never>
    >
  {
    Probe(reads: [calls], records: places) { trial, body in
      let (actor, preferred) = (DefaultActor(), PreferredExecutor())
      let codes = try (0..<trial[calls]).map { _ in
        let code = PlacedCode()
        let task = try body(actor, code, preferred)
        code.letGo()
        try waitFor { await task.value }
        return code
      }
      record(codes, trial)
    }
  }

  /// Has a task call an actor with an executor of its own, and also records the jobs that the executor received.
  var runEachJob: Probe<@Sendable (_ actor: OwnActor, _ code: PlacedCode, _ preferred: PreferredExecutor) async -> Void>
  {
    Probe(reads: [calls], records: places + [call, otherJobs, noJob]) { trial, body in
      let executor = ActorExecutor()
      let actor = OwnActor(on: executor)
      let counts = Mutex((otherJobs: 0, noJob: 0))
      try runCalls(trial) { code, preferred in
        let before = executor.jobs
        await body(actor, code, preferred)
        let jobs = executor.jobs - before
        counts.withLock { counts in
          if jobs != 1 { counts.otherJobs += 1 }
          if jobs == 0 { counts.noJob += 1 }
        }
      }
      trial.record(otherJobs, counts.withLock { $0.otherJobs })
      trial.record(noJob, counts.withLock { $0.noJob })
    }
  }

  private func record(_ codes: [PlacedCode], _ trial: Trial) {
    func count(_ place: CodePlace) -> Int { codes.sum { $0.looks(at: place) } }
    trial.record(onPreferred, count(.preferred))
    trial.record(onActor, count(.actor))
    trial.record(elsewhere, count(.elsewhere))
  }

  /// Has two tasks call two actors, or one actor twice, at the same time, and records how often both calls ran
  /// together.
  ///
  /// - Parameter patience: how long a call waits for the other one.
  func runEachMeeting(_ trial: Trial, of actors: (OwnActor, OwnActor), within patience: Duration) throws {
    var together = 0
    for _ in 0..<trial[meetings] {
      let meeting = WaitableValue((inside: 0, didMeet: false))
      try waitFor {
        async let first: Void = actors.0.run { Self.attend(meeting, within: patience) }
        async let second: Void = actors.1.run { Self.attend(meeting, within: patience) }
        _ = await (first, second)
      }
      together += meeting.didMeet ? 1 : 0
    }
    trial.record(self.together, together)
  }

  private static func attend(_ meeting: WaitableValue<(inside: Int, didMeet: Bool)>, within patience: Duration) {
    let isSecond = meeting.note { state in
      state.inside += 1
      if state.inside == 2 { state.didMeet = true }
      return state.inside == 2
    }
    if !isSecond { meeting.wait(within: patience) { $0.didMeet } }
    meeting.note { $0.inside -= 1 }
  }

  /// Runs a body, which calls `assumeIsolated` of an actor, again and again, and records the results of the calls.
  var runEachAssumption: Probe<@Sendable (_ actor: OwnActor, _ assumption: Assumption) throws -> Void> {
    Probe(reads: [calls], records: [notAssumed, asked, notAsked]) { trial, body in
      var (notAssumed, asked) = (0, 0)
      for _ in 0..<trial[calls] {
        let executor = ActorExecutor()
        let assumption = Assumption()
        try body(OwnActor(on: executor), assumption)
        notAssumed += assumption.hasRun.isSet ? 0 : 1
        asked += executor.wasAsked ? 1 : 0
      }
      trial.record(self.notAssumed, notAssumed)
      trial.record(self.asked, asked)
      trial.record(notAsked, trial[calls] - asked)
    }
  }
}

extension Unavailable {
  /// The error that `Task.immediate` is not available here.
  static let immediateTask = Unavailable("Task.immediate needs macOS 26")
}

/// Where code runs.
enum CodePlace: Sendable {
  /// The task executor.
  case preferred
  /// The serial executor of an actor.
  case actor
  /// Another thread, which belongs to neither executor.
  case elsewhere

  private static let key = DispatchSpecificKey<CodePlace>()

  /// The place of the calling code.
  static var here: CodePlace { DispatchQueue.getSpecific(key: key) ?? .elsewhere }

  /// Returns a serial queue on which code finds this place.
  func queue() -> DispatchQueue {
    let queue = DispatchQueue(label: "\(self)")
    queue.setSpecific(key: Self.key, value: self)
    return queue
  }
}

/// A task executor on a queue.
final class PreferredExecutor: TaskExecutor {
  private let queue = CodePlace.preferred.queue()

  /// Submits a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A serial executor on a queue, which counts its jobs and recognizes the blocks of its queue.
final class ActorExecutor: SerialExecutor {
  /// The queue of all these executors.
  static let queue = CodePlace.actor.queue()
  private let counts = Mutex((jobs: 0, checks: 0))

  /// Submits a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    counts.withLock { $0.jobs += 1 }
    let job = UnownedJob(job)
    Self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Traps if the caller is not on the queue.
  func checkIsolated() {
    counts.withLock { $0.checks += 1 }
    dispatchPrecondition(condition: .onQueue(Self.queue))
  }

  /// The number of jobs so far.
  var jobs: Int { counts.withLock { $0.jobs } }
  /// Whether the runtime has asked this executor if the caller is on it.
  var wasAsked: Bool { counts.withLock { $0.checks > 0 } }
}

/// An executor that claims to be serial and starts a thread for each job.
final class ThreadPerJob: SerialExecutor {
  /// Starts a thread that runs the job. If no thread can be started, the job runs on the calling thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    do { try SystemThread(run).detach() } catch { run() }
  }
}

/// An actor that has an executor of its own.
actor OwnActor {
  /// The executor on which the actor runs.
  nonisolated let executor: any SerialExecutor
  /// The executor, as the runtime asks for it.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates an actor that runs on `executor`.
  init(on executor: any SerialExecutor) { self.executor = executor }

  /// Has the code look where the actor runs.
  func look(_ code: PlacedCode) { code.look() }
  /// Calls a nonsending function of the code.
  func lookTwice(_ code: PlacedCode) async { await code.lookTwiceOnCaller() }
  /// Runs `body` on the actor.
  func run(_ body: @Sendable () -> Void) { body() }
}

/// An actor on the runtime's own executor.
actor DefaultActor {
  private var calls = 0

  /// Has the code look where the actor runs.
  func look(_ code: PlacedCode) { code.look() }
  /// Blocks the actor until the code releases it.
  func look(whileKept code: PlacedCode) { code.keep() }
  /// Changes the actor's state. An optimizer may leave out a call that does nothing.
  func count() { calls += 1 }
  /// Runs `body` on the actor.
  func run(_ body: @Sendable () -> Void) { body() }
}

/// Code that notes where it runs.
final class PlacedCode: Sendable {
  private let created = MonotonicClock.now()
  private let state = Mutex((places: [CodePlace](), begun: UInt64?.none))
  private let isKept = DispatchSemaphore(value: 0)
  private let mayGo = DispatchSemaphore(value: 0)

  /// Notes where the calling code runs.
  func look() {
    let (now, place) = (MonotonicClock.now(), CodePlace.here)
    state.withLock { state in
      state.places.append(place)
      if state.begun == nil { state.begun = now }
    }
  }

  /// Notes where the code runs, yields the executor to other jobs, and notes it again. The function belongs to no
  /// actor.
  func lookTwice() async {
    look()
    await Task.yield()
    look()
  }

  /// Notes twice where the code runs, as ``lookTwice()`` does, in a function that stays on the actor of its caller.
  nonisolated(nonsending) func lookTwiceOnCaller() async {
    look()
    await Task.yield()
    look()
  }

  /// Blocks the calling thread until ``letGo()`` is called.
  func keep() {
    isKept.signal()
    mayGo.wait()
  }
  /// Waits until a thread is blocked in ``keep()``.
  func waitUntilKept() { isKept.wait() }
  /// Lets the thread in ``keep()`` continue.
  func letGo() { mayGo.signal() }

  /// The number of observations of a place.
  func looks(at place: CodePlace) -> Int { state.withLock { $0.places.count { $0 == place } } }
  /// The time from before the call until its code began, in nanoseconds.
  var delay: UInt64? { state.withLock { $0.begun.map { $0 - created } } }
}

/// A call of `assumeIsolated`.
final class Assumption: Sendable {

  /// Assumes that the caller is isolated to `actor`.
  func made(of actor: OwnActor) { actor.assumeIsolated { _ in hasRun.set() } }

  /// Whether the closure of `assumeIsolated` ran.
  let hasRun = AtomicFlag()
}
