import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension Cancellation {
  private var tree: [any Declaration] { [unended, cancelled, uncancelled] }

  /// Runs a body for one task with handlers after the other, and records which handlers and operations of the task ran.
  ///
  /// - Parameter handlers: the number of handlers of a task.
  func runEachTask(handlers: Int = 1) -> Probe<@Sendable (HandledTask) -> Void> {
    Probe(reads: [tasks], records: [reaction, missed, repeated, late, skipped]) { trial, body in
      let works = try each(trial, handlers: handlers, body)
      trial.record(reaction, works.map(\.reaction))
      trial.record(missed, works.sum { $0.missed })
      trial.record(repeated, works.sum { $0.repeated })
      trial.record(late, works.sum { $0.late.count })
      trial.record(skipped, works.sum { $0.skipped })
    }
  }

  /// Runs a body for one task after the other, and records how many handlers ran, although the task was cancelled after
  /// its operation.
  var runEachTaskAfterwards: Probe<@Sendable (HandledTask) -> Void> {
    Probe(reads: [tasks], records: [skipped, needless]) { trial, body in
      let works = try each(trial, handlers: 1, body)
      trial.record(skipped, works.sum { $0.skipped })
      trial.record(needless, works.sum { $0.runs })
    }
  }

  /// Runs a body for one task after the other, and returns the tasks that count. The first task is a warm-up.
  private func each(_ trial: Trial, handlers: Int, _ body: (HandledTask) -> Void) throws -> [HandledTask] {
    try SystemThread.requireCapacity(for: 8)
    let works = (0...trial[tasks]).map { HandledTask(handlers: handlers, delay: $0 % 64) }
    for work in works {
      body(work)
      try work.waitForEnd()
    }
    return Array(works.dropFirst())
  }

  /// Runs a body for one scope after the other, and records what happened to its child tasks.
  var runEachScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience, children], records: tree) { trial, body in
      try runScopes(trial, children: trial[children], body)
    }
  }

  /// Runs a body for one scope with two child tasks after the other, and records what happened to them.
  var runEachScopeOfTwo: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience], records: tree) { trial, body in try runScopes(trial, children: 2, body) }
  }

  /// Runs a body, which cancels a scope and then adds another child task, for one scope after the other, and records
  /// what happened to all child tasks.
  var runEachCancelledScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience, children], records: tree + [added]) { trial, body in
      try runScopes(trial, children: trial[children], late: 1, body)
    }
  }

  /// Runs a body for one scope after the other, and records what happened to its child tasks.
  ///
  /// - Parameters:
  ///   - late: the number of child tasks that are added to a scope that is cancelled already.
  ///   - bound: how long a child task waits for its cancellation.
  func runScopes(
    _ trial: Trial, children: Int, late: Int = 0, cancelledWithin bound: Duration = .seconds(10),
    _ body: @escaping @Sendable (Scope) async throws -> Void
  ) throws {
    // The first scope is a warm-up.
    let left = try (0...trial[scopes]).map { _ in
      try leave(Scope(children: children, late: late, patience: trial[patience], bound: bound), body)
    }.dropFirst()
    trial.record(unended, left.sum { $0.unended })
    trial.record(cancelled, left.sum { $0.state.cancelled })
    trial.record(uncancelled, left.sum { children + late - $0.state.cancelled })
    if late > 0 { trial.record(added, left.sum { $0.state.added }) }
  }

  /// Runs a body for one group of sleeping child tasks after the other, and records how their sleep ended.
  var runEachGroupOfSleepers: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, children], records: [slept]) { trial, body in
      let left = try (0..<trial[scopes]).map { _ in
        try leave(Scope(children: trial[children], late: 1, patience: .zero, bound: .zero), body)
      }
      trial.record(slept, left.sum { $0.state.slept })
    }
  }

  /// Runs a body for one scope with two child tasks after the other, and records whether both were cancelled at once.
  var runEachPair: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience], records: [atOnce]) { trial, body in
      let left = try (0..<trial[scopes]).map { _ in
        try leave(Scope(children: 2, late: 0, patience: trial[patience], bound: .seconds(10)), body)
      }
      trial.record(atOnce, left.count { $0.state.wereCancelledAtOnce })
    }
  }

  /// Runs a body for a scope, and returns the scope once all its child tasks have ended.
  private func leave(_ scope: Scope, _ body: @escaping @Sendable (Scope) async throws -> Void) throws -> Scope {
    // The scope runs in a task of its own, since it may be cancelled.
    try waitFor {
      await Task {
        do { try await body(scope) } catch {}
        scope.isLeft()
      }.value
    }
    try scope.waitForEnd()
    return scope
  }
}

/// A task with cancellation handlers, and what happened to them.
final class HandledTask: Sendable {
  private let handlers: RunCounts
  private let delay: Int
  private let begun = Atomic(false)
  private let cancelling = Moment()
  private let handling = Moment()
  private let isCancelled = BoundedGate()
  private let cancelHasReturned = Atomic(false)
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let meeting = SpinBarrier(parties: 2)

  /// - Parameter delay: the number of steps of work that the cancelling thread does after it has met the task.
  init(handlers: Int, delay: Int) {
    self.handlers = RunCounts(count: handlers)
    self.delay = delay
  }

  // MARK: For the task

  /// Notes that an operation runs.
  func operationRuns() { begun.store(true, ordering: .relaxed) }
  /// Notes that an operation begins. The thread that cancels may wait for this.
  func operationBegins() {
    operationRuns()
    hasBegun.signal()
  }
  /// Notes that the operation has returned. The thread that cancels may wait for this, too.
  func hasReturned() { hasBegun.signal() }
  /// Notes a late handler if the handler with that index has not run. The operation of a task that was cancelled
  /// earlier calls this method.
  func mustBeHandled(_ index: Int = 0) { if handlers[index] == 0 { late.add() } }
  /// Suspends the task until `cancel` has returned.
  func cancellation() async { await isCancelled.passed() }
  /// Computes until `cancel` has returned, without suspending the task.
  func computesUntilCancelled() {
    while !cancelHasReturned.load(ordering: .acquiring) {
      CalibratedWork.consume(CalibratedWork.spin(steps: 16, from: 1))
    }
  }
  /// Notes that a cancelled task is about to register its handler.
  func registers() { cancelling.set() }
  /// Notes that a handler runs.
  func handlerRuns(_ index: Int = 0) {
    if !handling.isSet { handling.set() }
    handlers.ran(index)
  }
  /// Notes that the task ends.
  func ends() { hasEnded.signal() }

  // MARK: For the task and for the thread that cancels it

  /// Waits until both the task and the thread have called this method.
  func meet() { meeting.wait() }

  // MARK: For the thread that cancels

  /// Waits until the operation has begun.
  func waitForOperation() { hasBegun.wait(within: .seconds(20)) }
  /// Cancels the task by `cancel`, and notes how many of its first handlers, which are registered, had not run when
  /// `cancel` returned.
  func cancel(handlers count: Int = 1, _ cancel: () -> Void) {
    CalibratedWork.consume(CalibratedWork.spin(steps: delay, from: 1))
    cancelling.set()
    cancel()
    late.add((0..<count).count { handlers[$0] == 0 })
    cancelHasReturned.store(true, ordering: .releasing)
    isCancelled.open()
  }
  /// Waits until the task has ended.
  func waitForEnd() throws { try hasEnded.wait(within: .seconds(20), else: "the task did not end") }

  // MARK: Results

  /// The number of times that handlers ran.
  var runs: Int { (0..<handlers.count).sum { handlers[$0] } }
  /// The number of handlers that did not run.
  var missed: Int { (0..<handlers.count).count { handlers[$0] == 0 } }
  /// The number of handlers that ran more than once.
  var repeated: Int { (0..<handlers.count).count { handlers[$0] > 1 } }
  /// The number of handlers that ran too late.
  let late = Tally()
  /// 1 if no operation ran.
  var skipped: Int { begun.load(ordering: .relaxed) ? 0 : 1 }
  /// The time until the first handler ran; nil if none did.
  var reaction: UInt64? { handling.since(cancelling) }
}

/// A scope with child tasks, and what happened to them.
final class Scope: Sendable {
  fileprivate struct State {
    var (begun, ended, cancelled) = (0, 0, 0)
    /// The number of sleeps that ended without an error.
    var slept = 0
    /// The number of child tasks that were reported as added to a cancelled group, and of those that ran.
    var added = 0
    /// Whether the first child task was cancelled before the second had ended.
    var wereCancelledAtOnce = false
    /// The number of child tasks that had ended when the scope was left.
    var endedBefore: Int?
  }

  private let count: Int
  private let late: Int
  private let bound: Duration
  fileprivate let state = WaitableValue(State())
  private let begun = BoundedGate()
  private let left: BoundedGate
  private let otherIsCancelled: BoundedGate

  init(children: Int, late: Int, patience: Duration, bound: Duration) {
    count = children
    self.late = late
    self.bound = bound
    left = BoundedGate(bound: patience)
    otherIsCancelled = BoundedGate(bound: patience)
  }

  /// A child task.
  struct Child: Sendable {
    fileprivate let scope: Scope

    /// Suspends the child until it is cancelled, or until the bound is over.
    func cancellation() async {
      scope.begins()
      let gate = BoundedGate(bound: scope.bound)
      gate.restHasFinished()
      await withTaskCancellationHandler {
        _ = await gate.passed()
      } onCancel: {
        gate.open()
      }
    }
    /// Suspends the child until its scope is left or the patience is over, and then notes whether the child is
    /// cancelled: the scope may cancel its child tasks when its body returns.
    func lingers() async {
      scope.begins()
      scope.startsPatience()
      await scope.left.passed()
      ends(isCancelled: Task.isCancelled)
    }
    /// Notes at once whether the child is cancelled, and then suspends it as ``lingers()`` does.
    func looksAtOnceAndLingers() async {
      let isCancelled = Task.isCancelled
      scope.begins()
      scope.startsPatience()
      await scope.left.passed()
      ends(isCancelled: isCancelled)
    }
    private func ends(isCancelled: Bool) {
      scope.state.note { state in
        if isCancelled { state.cancelled += 1 }
        state.ended += 1
      }
    }
    /// Suspends the child until it is cancelled, and informs the other child task.
    func isCancelledAndTellsOther() async {
      await cancellation()
      if Task.isCancelled { scope.otherIsCancelled.open() }
      scope.state.note { $0.ended += 1 }
    }
    /// Suspends the child until it is cancelled, and then until the other child is cancelled or the patience is over.
    func isCancelledAndWaitsForOther() async {
      await cancellation()
      scope.otherIsCancelled.restHasFinished()
      let isCancelled = await scope.otherIsCancelled.passed()
      scope.state.note { state in
        state.wereCancelledAtOnce = isCancelled
        state.ended += 1
      }
    }
    /// Suspends the child until it is cancelled, and continues as ``lingers()`` does.
    func isCancelledAndLingers() async {
      await cancellation()
      await lingers()
    }
    /// Sleeps, by default for an hour, and notes whether the sleep ended without an error.
    func sleeps(for time: Duration = .seconds(3600)) async {
      scope.begins()
      do {
        try await Task.sleep(for: time)
        scope.state.note { $0.slept += 1 }
      } catch {}
      scope.state.note { $0.ended += 1 }
    }
  }

  /// The child tasks.
  var children: [Child] { (0..<count).map { _ in Child(scope: self) } }
  /// A child task that is added to a cancelled scope.
  var lateChild: Child { Child(scope: self) }

  private func begins() {
    let number = state.note { state in
      state.begun += 1
      return state.begun
    }
    if number == count { begun.open() }
  }
  /// Starts the time limit of the child tasks if the calling task is cancelled, or if all have begun.
  private func startsPatience() { if Task.isCancelled || state.now.begun >= count { left.restHasFinished() } }

  /// Suspends the scope until all its child tasks have begun.
  func allHaveBegun() async { await begun.passed() }
  /// Notes whether a child task was added to a cancelled group.
  func hasAdded(_ isAdded: Bool) { if isAdded { state.note { $0.added += 1 } } }
  /// Notes that a child task that was added to a cancelled group runs.
  func unwantedChildRuns() { state.note { $0.added += 1 } }
  /// Notes that the scope is left, and releases the child tasks.
  func isLeft() {
    state.note { $0.endedBefore = $0.ended }
    left.open()
  }
  /// Waits until all child tasks have ended.
  func waitForEnd() throws {
    let all = count + late
    guard state.wait(within: .seconds(20), until: { $0.ended == all }) else {
      throw WaitTimeoutError("the child tasks did not end", within: .seconds(20))
    }
  }

  // MARK: Results

  /// The number of child tasks that had not ended when the scope was left.
  var unended: Int { count + late - (state.endedBefore ?? 0) }
}
