import Dispatch
import Instruments

/// On which executor does code run if its task prefers a custom executor, or if its actor has a custom executor?
///
/// ```swift
/// await Task(executorPreference: pool) { await load() }.value
/// ```
///
/// A trial has two executors, each on a queue of its own: a task executor, which tasks prefer, and the serial executor
/// of an actor. The queue on which code runs distinguishes the executors from each other and from Swift's pool. Code
/// checks its queue when the code begins. An async function that suspends checks its queue again after the suspension.
///
/// Further variants call `assumeIsolated` in places where the call is allowed and in places where the call traps. In
/// other variants, two tasks call actors on an executor that must run one job at a time.
///
/// Source: SE-0392, custom actor executors; SE-0417, task executor preference; SE-0424, isolation checking.
struct CustomExecutors: Pattern {
  static let name = "custom-executors"

  let calls = Parameter.count("calls", 1...1_000_000, default: 200, "calls of the code, one after the other")
  let meetings = Parameter.count("meetings", 1...10_000, default: 20, "pairs of jobs that try to run at the same time")

  let onPreferred = Metric.count("on-preferred", "observations on the task executor")
  let onActor = Metric.count("on-actor", "observations on the serial executor of the actor")
  let elsewhere = Metric.count("elsewhere", "observations on neither executor, so on Swift's pool")
  let unseen = Metric.count("unseen", "calls whose code recorded no observation")
  let call = Metric.latency("call", "from before the call until its code begins")
  let otherJobs = Metric.count("other-jobs", "calls for which the serial executor did not receive exactly one job")
  let noJob = Metric.count("no-job", "calls for which the serial executor received no job")
  let together = Metric.count("together", "pairs of jobs that ran at the same time")
  let notAssumed = Metric.count("not-assumed", "calls of assumeIsolated that did not run their closure")
  let asked = Metric.count("asked", "calls of assumeIsolated for which the executor's checkIsolated was called")
  let notAsked = Metric.count("not-asked", "calls of assumeIsolated for which checkIsolated was not called")

  /// The detector of a standstill. A test may replace the detector.
  var standstill = Standstill()

  private var runPairs: TrialProbe { Probe(reads: [meetings], records: [together]) }

  var variants: [Variant] {
    Variant("task", .documented, "a task that prefers the executor", runEachCall) { code, preferred in
      await Task(executorPreference: preferred) {
        code.look()
        await code.lookTwice()
      }.value
    }
    Variant("detached", .documented, "a detached task that prefers the executor", runEachCall) { code, preferred in
      await Task.detached(executorPreference: preferred) {
        code.look()
        await code.lookTwice()
      }.value
    }
    Variant("scope", .documented, "the closure of withTaskExecutorPreference", runEachCall) { code, preferred in
      await withTaskExecutorPreference(preferred) {
        code.look()
        await code.lookTwice()
      }
    }
    Variant("immediate", .broken, "an immediate task that prefers the executor", runEachCall) { code, preferred in
      guard #available(macOS 26, *) else { throw Unavailable.immediateTask }
      await Task.immediate(executorPreference: preferred) {
        code.look()
        await code.lookTwice()
      }.value
    }
    Variant("after-scope", .documented, "the task, after withTaskExecutorPreference has returned", runEachCall) {
      code, preferred in
      await withTaskExecutorPreference(preferred) {}
      await code.lookTwice()
    }
    Variant("no-preference", .yardstick, "a task without a preference", runEachCall) { code, _ in
      await Task {
        code.look()
        await code.lookTwice()
      }.value
    }
    Variant("group-child", .documented, "a child of a group, and its child, in a task that prefers", runEachCall) {
      code, preferred in
      await Task(executorPreference: preferred) {
        await withDiscardingTaskGroup { group in
          group.addTask {
            await code.lookTwice()
            await withDiscardingTaskGroup { $0.addTask { await code.lookTwice() } }
          }
        }
      }.value
    }
    Variant("async-let", .documented, "an async let of a task that prefers", runEachCall) { code, preferred in
      await Task(executorPreference: preferred) {
        async let looked: Void = code.lookTwice()
        await looked
      }.value
    }
    Variant(
      "nil-child", .documented, "children of two groups, added with the preference nil, in a task that prefers",
      runEachCall
    ) { code, preferred in
      // Without optimization, the compiler selects another overload of `addTask`. The child task then inherits the
      // preference.
      #if DEBUG
        throw Unavailable("the program must be compiled with optimization")
      #else
        await Task(executorPreference: preferred) {
          await withDiscardingTaskGroup { $0.addTask(executorPreference: nil) { await code.lookTwice() } }
          await withTaskGroup(of: Void.self) { $0.addTask(executorPreference: nil) { await code.lookTwice() } }
        }.value
      #endif
    }
    Variant(
      "global-child", .documented, "a child of a group, added with the global executor, in a task that prefers",
      runEachCall
    ) { code, preferred in
      await Task(executorPreference: preferred) {
        await withDiscardingTaskGroup {
          $0.addTask(executorPreference: globalConcurrentExecutor) { await code.lookTwice() }
        }
      }.value
    }
    Variant("unstructured", .documented, "a Task {} created by a task that prefers", runEachCall) {
      code, preferred in
      await Task(executorPreference: preferred) {
        await Task { await code.lookTwice() }.value
      }.value
    }
    Variant("unstructured-detached", .documented, "a Task.detached {} created by a task that prefers", runEachCall) {
      code, preferred in
      await Task(executorPreference: preferred) {
        await Task.detached { await code.lookTwice() }.value
      }.value
    }
    Variant("idle-actor", .documented, "an idle default actor, called by a task that prefers", runEachActorCall) {
      actor, code, preferred in
      await Task(executorPreference: preferred) { await actor.look(code) }.value
    }
    Variant(
      "busy-actor", .documented,
      "a default actor that runs a job of a task without a preference, called by a task that prefers", runEachCallOfBusy
    ) { actor, code, preferred in
      guard #available(macOS 26, *) else { throw Unavailable.immediateTask }
      Task { await actor.look(whileKept: code) }
      code.waitUntilKept()
      return Task.immediate(executorPreference: preferred) { await actor.look(code) }
    }
    Variant(
      "after-waiting", .broken,
      "a default actor that runs a job of a task that prefers, called by a task without a preference", runEachCallOfBusy
    ) { actor, code, preferred in
      guard #available(macOS 26, *) else { throw Unavailable.immediateTask }
      Task(executorPreference: preferred) { await actor.look(whileKept: code) }
      code.waitUntilKept()
      return Task.immediate {
        await actor.count()
        await code.lookTwice()
      }
    }
    Variant("own-executor", .documented, "an actor with its own executor, called by a task that prefers", runEachJob) {
      actor, code, preferred in
      await Task(executorPreference: preferred) { await actor.look(code) }.value
    }
    Variant(
      "own-executor-child", .documented,
      "an actor with its own executor, called by a child of a group in a task that prefers", runEachJob
    ) {
      actor, code, preferred in
      await Task(executorPreference: preferred) {
        await withDiscardingTaskGroup { $0.addTask { await actor.look(code) } }
      }.value
    }
    Variant(
      "actor-on-queue", .documented, "an actor with its own executor, called by a task without a preference", runEachJob
    ) { actor, code, _ in
      await actor.look(code)
    }
    Variant(
      "nonsending", .broken, "a nonsending function that an actor with its own executor calls, in a task that prefers",
      runEachCall
    ) { code, preferred in
      let actor = OwnActor(on: ActorExecutor())
      await Task(executorPreference: preferred) { await actor.lookTwice(code) }.value
    }
    Variant("plain-actor", .yardstick, "a default actor, called by a task without a preference", runEachActorCall) {
      actor, code, _ in
      await actor.look(code)
    }
    Variant("one-actor", .documented, "two tasks call an actor on a serial executor", runPairs) { trial in
      let actor = OwnActor(on: ActorExecutor())
      try runEachMeeting(trial, of: (actor, actor))
    }
    Variant("shared-executor", .documented, "two tasks call two actors that share a serial executor", runPairs) {
      trial in
      let executor = ActorExecutor()
      try runEachMeeting(trial, of: (OwnActor(on: executor), OwnActor(on: executor)))
    }
    Variant(
      "not-serial", .broken, "two tasks call an actor whose serial executor starts a thread for each job", runPairs
    ) { trial in
      let actor = OwnActor(on: ThreadPerJob())
      try runEachMeeting(trial, of: (actor, actor))
    }
    Variant("assume-on-actor", .documented, "assumeIsolated in a job of the actor", runEachAssumption) {
      actor, assumption in
      try waitFor { await actor.run { assumption.made(of: actor) } }
    }
    Variant(
      "assume-on-sharing", .documented, "assumeIsolated in a job of another actor with the same executor",
      runEachAssumption
    ) { actor, assumption in
      let other = OwnActor(on: actor.executor)
      try waitFor { await other.run { assumption.made(of: actor) } }
    }
    Variant(
      "assume-on-queue", .documented, "assumeIsolated in a block of the executor's queue, which checkIsolated knows",
      runEachAssumption
    ) { actor, assumption in
      ActorExecutor.queue.sync { assumption.made(of: actor) }
    }
    Variant(
      "assume-in-sync-unchecked", .broken,
      "assumeIsolated in a block that sync runs, on an executor without checkIsolated",
      ends: .trapsAtOnce
    ) { trial in
      let queue = DispatchQueue(label: "unchecked")
      let actor = OwnActor(on: QueueExecutor(queue: queue))
      trial.hazard()
      queue.sync { actor.assumeIsolated { _ in } }
    }
    Variant(
      "assume-in-async-unchecked", .broken,
      "assumeIsolated in a block that async runs, on an executor without checkIsolated",
      ends: .trapsAtOnce
    ) { trial in
      let queue = DispatchQueue(label: "unchecked")
      let actor = OwnActor(on: QueueExecutor(queue: queue))
      let blocks = DispatchGroup()
      trial.hazard()
      queue.async(group: blocks) { actor.assumeIsolated { _ in } }
      blocks.wait()
    }
    Variant("assume-on-thread", .broken, "assumeIsolated on a thread outside of the executor", ends: .trapsAtOnce) {
      trial in
      let actor = OwnActor(on: ActorExecutor())
      trial.hazard()
      actor.assumeIsolated { _ in }
    }
    Variant("assume-on-other-actor", .broken, "assumeIsolated in a job of another actor", ends: .trapsAtOnce) { trial in
      let actor = OwnActor(on: ActorExecutor())
      let other = DefaultActor()
      trial.hazard()
      try waitFor { await other.run { actor.assumeIsolated { _ in } } }
    }
  }

  /// Returns an upper bound for the duration of a trial: half a millisecond for each call, plus ten seconds.
  func longest(_ trial: Trial) -> Duration? { .microseconds(500) * trial[calls] + .seconds(10) }
}
