import Dispatch
import Instruments
import Synchronization

extension CustomExecutors {
  /// The body of a variant. The body calls `code`, which records where it runs.
  typealias Calling = @Sendable (_ code: PlacedCode, _ preferred: PreferredExecutor) async throws -> Void

  private var places: [any Declaration] { [onPreferred, onActor, elsewhere, unseen] }

  /// A probe that runs the variant's body for each call in turn, in a task without an executor preference, and records
  /// where the code ran.
  var runEachCall: Probe<Calling> {
    Probe(reads: [calls], records: places + [call]) { trial, body in try runCalls(trial, body) }
  }

  /// A probe that runs the variant's body for each call of a default actor in turn, in a task without an executor
  /// preference, and records where the code ran.
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

  /// A probe that runs the variant's body for each call in turn, and records where the code ran. The body blocks a
  /// default actor, and returns a task whose call waits for the actor. The trial then unblocks the actor.
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
        code.unblock()
        try waitFor { await task.value }
        return code
      }
      record(codes, trial)
    }
  }

  /// A probe for a body that calls an actor with a custom executor. The probe records where the code ran, for how many
  /// calls the executor received no job, and for how many calls it did not receive exactly one job.
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
    func count(_ place: CodePlace) -> Int { codes.sum { $0.observations(at: place) } }
    trial.record(onPreferred, count(.preferred))
    trial.record(onActor, count(.actor))
    trial.record(elsewhere, count(.elsewhere))
    trial.record(unseen, codes.count { $0.hasNoObservation })
  }

  /// Repeatedly calls two actors, or one actor twice, from two tasks. Records how often both calls ran at the same
  /// time. The first call waits until the second call runs or all other threads sleep. The second call has then been
  /// submitted, and does not begin before the first call ends.
  ///
  /// - Throws: ``Unavailable`` if the system does not report whether threads sleep.
  func runEachMeeting(_ trial: Trial, of actors: (OwnActor, OwnActor)) throws {
    let wait = StandstillWait(standstill)
    var together = 0
    for _ in 0..<trial[meetings] {
      let meeting = WaitableValue((inside: 0, didMeet: false))
      try waitFor {
        async let first: Void = actors.0.run { Self.meet(meeting, wait) }
        async let second: Void = actors.1.run { Self.meet(meeting, wait) }
        _ = await (first, second)
      }
      try wait.requireResult()
      together += meeting.didMeet ? 1 : 0
    }
    trial.record(self.together, together)
  }

  private static func meet(_ meeting: WaitableValue<(inside: Int, didMeet: Bool)>, _ wait: StandstillWait) {
    let isSecond = meeting.note { state in
      state.inside += 1
      if state.inside == 2 { state.didMeet = true }
      return state.inside == 2
    }
    if !isSecond { wait.wait { meeting.didMeet } }
    meeting.note { $0.inside -= 1 }
  }

  /// A probe that repeatedly runs a body that calls `assumeIsolated` of an actor. The probe records how many calls did
  /// not run their closure, and for how many calls the runtime called `checkIsolated`.
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
  /// The error that is thrown if `Task.immediate` is not available on this system.
  static let immediateTask = Unavailable("Task.immediate needs macOS 26")
}
