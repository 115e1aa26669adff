import Dispatch
import Instruments
import Synchronization

extension Cancellation {
  private var tree: [any Declaration] { [unended, cancelled, uncancelled] }

  /// Returns a probe that runs the variant's body with each task in turn, and records how many handlers and operations
  /// did not run as required, and how soon the first handler ran.
  ///
  /// - Parameters:
  ///   - handlers: the number of handlers of each task.
  ///   - operations: the number of operations of each task that the body records.
  func runEachTask(handlers: Int = 1, operations: Int = 1) -> Probe<@Sendable (HandledTask) -> Void> {
    Probe(reads: [tasks], records: [reaction, missed, repeated, late, skipped]) { trial, body in
      let works = try each(trial, handlers: handlers, operations: operations, body)
      trial.record(reaction, works.map(\.reaction))
      trial.record(missed, works.sum { $0.missed })
      trial.record(repeated, works.sum { $0.repeated })
      trial.record(late, works.sum { $0.late.count })
      trial.record(skipped, works.sum { $0.skipped })
    }
  }

  /// A probe for a body that cancels its task after the operation. The probe records how many operations did not run,
  /// and how often handlers ran.
  var runEachTaskAfterwards: Probe<@Sendable (HandledTask) -> Void> {
    Probe(reads: [tasks], records: [skipped, needless]) { trial, body in
      let works = try each(trial, handlers: 1, operations: 1, body)
      trial.record(skipped, works.sum { $0.skipped })
      trial.record(needless, works.sum { $0.runs })
    }
  }

  /// Runs `body` with each task in turn, and returns all tasks except the first. The first task is a warm-up.
  private func each(
    _ trial: Trial, handlers: Int, operations: Int, _ body: (HandledTask) -> Void
  ) throws -> [HandledTask] {
    try SystemThread.requireCapacity(for: 8)
    let works = (0...trial[tasks]).map { HandledTask(handlers: handlers, operations: operations, delay: $0 % 64) }
    for work in works {
      body(work)
      try work.waitForEnd()
    }
    return Array(works.dropFirst())
  }

  /// A probe that runs the variant's body with each scope in turn, and records how the child tasks ended.
  var runEachScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience, children], records: tree) { trial, body in
      try runScopes(trial, children: trial[children], body)
    }
  }

  /// A probe that runs the variant's body with each scope of two child tasks in turn, and records how the child tasks
  /// ended.
  var runEachScopeOfTwo: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience], records: tree) { trial, body in try runScopes(trial, children: 2, body) }
  }

  /// A probe for a body that cancels a scope and then adds child tasks. The probe records how all child tasks ended.
  /// The probe also records how often `addTaskUnlessCancelled` reported that it had added a child task, and how often
  /// such a child task ran.
  var runEachCancelledScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, patience, children], records: tree + [added]) { trial, body in
      try runScopes(trial, children: trial[children], late: 1, body)
    }
  }

  /// Runs `body` with each scope in turn, and records how the child tasks ended.
  ///
  /// - Parameters:
  ///   - late: the number of child tasks that are added to an already cancelled scope.
  ///   - limit: the longest time that a child task waits for its cancellation.
  func runScopes(
    _ trial: Trial, children: Int, late: Int = 0, cancelledWithin limit: Duration = .seconds(10),
    _ body: @escaping @Sendable (Scope) async throws -> Void
  ) throws {
    // The first scope is a warm-up.
    let left = try (0...trial[scopes]).map { _ in
      try leave(Scope(children: children, late: late, patience: trial[patience], limit: limit), body)
    }.dropFirst()
    trial.record(unended, left.sum { $0.unended })
    trial.record(cancelled, left.sum { $0.state.cancelled })
    trial.record(uncancelled, left.sum { children + late - $0.state.cancelled })
    if late > 0 { trial.record(added, left.sum { $0.state.added }) }
  }

  /// A probe that runs the variant's body with each group of sleeping child tasks in turn, and records how many sleeps
  /// ended without an error.
  var runEachGroupOfSleepers: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes, children], records: [slept]) { trial, body in
      let left = try (0..<trial[scopes]).map { _ in
        try leave(Scope(children: trial[children], late: 1, patience: .zero, limit: .zero), body)
      }
      trial.record(slept, left.sum { $0.state.slept })
    }
  }

  /// A probe that runs the variant's body with each scope of two child tasks in turn, and records for how many scopes
  /// the first child task was cancelled before the second child task had ended. The trial is unavailable if the system
  /// does not report whether threads sleep.
  var runEachPair: Probe<@Sendable (Scope) async throws -> Void> {
    Probe(reads: [scopes], records: [atOnce]) { trial, body in
      let left = try (0..<trial[scopes]).map { _ in
        try leave(
          Scope(children: 2, late: 0, patience: .zero, limit: .seconds(10), standstill: standstill), body)
      }
      for scope in left { try scope.wait.requireResult() }
      trial.record(atOnce, left.count { $0.state.wereCancelledAtOnce })
    }
  }

  /// Runs `body` with a scope, and returns the scope once all its child tasks have ended. Ignores an error of `body`.
  private func leave(_ scope: Scope, _ body: @escaping @Sendable (Scope) async throws -> Void) throws -> Scope {
    // The scope runs in a task of its own, since the body may cancel that task.
    try waitFor {
      await Task {
        do { try await body(scope) } catch {}
        scope.recordExit()
      }.value
    }
    try scope.waitForEnd()
    return scope
  }
}

/// A record of the operations and handler calls of a task with cancellation handlers.
final class HandledTask: Sendable {
  private let handlers: ExecutionCounts
  private let delay: Int
  private let operations: ExecutionCounts
  private let cancelling = Moment()
  private let handling = Moment()
  private let isCancelled = TimedGate()
  private let cancelHasReturned = Atomic(false)
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasEnded = DispatchSemaphore(value: 0)
  private let meeting = SpinBarrier(parties: 2)

  /// Creates a record for a task.
  ///
  /// - Parameters:
  ///   - handlers: the number of handlers of the task.
  ///   - operations: the number of operations of the task that are recorded.
  ///   - delay: the number of steps of work that the cancelling thread does immediately before the cancellation.
  init(handlers: Int, operations: Int, delay: Int) {
    self.handlers = ExecutionCounts(count: handlers)
    self.operations = ExecutionCounts(count: operations)
    self.delay = delay
  }

  // MARK: For the task

  /// Records that the operation at `index` runs.
  func recordOperation(_ index: Int = 0) { operations.ran(index) }
  /// Records that the operation at `index` runs, and wakes a thread in ``waitForOperation()``.
  func beginOperation(_ index: Int = 0) {
    recordOperation(index)
    hasBegun.signal()
  }
  /// Wakes a thread in ``waitForOperation()``. Call this method once the operation has returned.
  func recordReturn() { hasBegun.signal() }
  /// Counts a late handler if the handler at `index` has not run. Call this method in the operation of a task that has
  /// already been cancelled.
  func requireHandler(_ index: Int = 0) { if handlers[index] == 0 { late.add() } }
  /// Suspends the task until the `cancel` closure of ``cancel(handlers:_:)`` has returned.
  func awaitCancellation() async { await isCancelled.wait() }
  /// Executes code until the `cancel` closure of ``cancel(handlers:_:)`` has returned, without suspending the task.
  func computeUntilCancelled() {
    while !cancelHasReturned.load(ordering: .acquiring) {
      CalibratedWork.run(steps: 16)
    }
  }
  /// Records the time at which a cancelled task registers its handler.
  func registers() { cancelling.set() }
  /// Records a call of the handler at `index`, and the time of the first call of any handler.
  func handlerRuns(_ index: Int = 0) {
    if !handling.isSet { handling.set() }
    handlers.ran(index)
  }
  /// Records that the task ends.
  func recordEnd() { hasEnded.signal() }

  // MARK: For the task and for the thread that cancels it

  /// Waits until the task and the cancelling thread have both called this method.
  func meet() { meeting.wait() }

  // MARK: For the thread that cancels

  /// Waits until ``beginOperation()`` or ``recordReturn()`` is called, but no longer than 20 seconds.
  func waitForOperation() { hasBegun.wait(within: .seconds(20)) }
  /// Executes `cancel`, and counts as late each of the first `count` handlers that had not run when `cancel` returned.
  /// Then resumes a task that waits for the cancellation.
  func cancel(handlers count: Int = 1, _ cancel: () -> Void) {
    CalibratedWork.run(steps: delay)
    cancelling.set()
    cancel()
    late.add((0..<count).count { handlers[$0] == 0 })
    cancelHasReturned.store(true, ordering: .releasing)
    isCancelled.open()
  }
  /// Waits until the task has ended.
  ///
  /// - Throws: ``WaitTimeoutError`` if the task does not end within 20 seconds.
  func waitForEnd() throws { try hasEnded.wait(within: .seconds(20), else: "the task did not end") }

  // MARK: Results

  /// The number of calls of all handlers.
  var runs: Int { (0..<handlers.count).sum { handlers[$0] } }
  /// The number of handlers that did not run.
  var missed: Int { (0..<handlers.count).count { handlers[$0] == 0 } }
  /// The number of handlers that ran more than once.
  var repeated: Int { (0..<handlers.count).count { handlers[$0] > 1 } }
  /// The number of handlers that had not run when `cancel` had returned, or when the operation of a cancelled task
  /// began or continued.
  let late = Tally()
  /// The number of operations that did not run.
  var skipped: Int { operations.notRun }
  /// The nanoseconds from the cancellation until the first handler ran; nil if no handler ran. In a task that had
  /// already been cancelled, the time starts at the registration of the handler.
  var reaction: UInt64? { handling.since(cancelling) }
}

/// A record of how the child tasks of a scope ended.
final class Scope: Sendable {
  fileprivate struct State {
    var (begun, ended, cancelled) = (0, 0, 0)
    /// The number of sleeps that ended without an error.
    var slept = 0
    /// The number of child tasks that were reported as added to a cancelled group, plus the number of added tasks that
    /// ran.
    var added = 0
    /// Whether the first child task has been cancelled.
    var isFirstCancelled = false
    /// Whether the first child task was cancelled before the second child task had ended.
    var wereCancelledAtOnce = false
    /// The number of child tasks that had ended when the scope was left; nil before that.
    var endedBefore: Int?
  }

  private let count: Int
  private let late: Int
  private let limit: Duration
  fileprivate let state = WaitableValue(State())
  private let begun = TimedGate()
  private let left: TimedGate
  /// The wait of the second child task of a pair.
  fileprivate let wait: StandstillWait

  init(children: Int, late: Int, patience: Duration, limit: Duration, standstill: Standstill = Standstill()) {
    count = children
    self.late = late
    self.limit = limit
    wait = StandstillWait(standstill)
    left = TimedGate(limit: patience)
  }

  /// A child task of the scope.
  struct Child: Sendable {
    fileprivate let scope: Scope

    /// Suspends the child task until it is cancelled, or until the scope's time limit for cancellation has passed.
    func awaitCancellation() async { await awaitCancellation {} }
    /// Suspends the child task as ``awaitCancellation()`` does. The cancelling thread executes `recordCancellation`.
    private func awaitCancellation(_ recordCancellation: @escaping @Sendable () -> Void) async {
      scope.recordBegin()
      let gate = TimedGate(limit: scope.limit)
      gate.startTimeLimit()
      await withTaskCancellationHandler {
        _ = await gate.wait()
      } onCancel: {
        recordCancellation()
        gate.open()
      }
    }
    /// Suspends the child task until its scope is left or a time limit has passed. Then records whether the task is
    /// cancelled, since a scope may cancel its child tasks only when the body of the scope returns.
    func awaitExit() async {
      scope.recordBegin()
      scope.startPatience()
      await scope.left.wait()
      recordEnd(isCancelled: Task.isCancelled)
    }
    /// Checks whether the child task is cancelled when it begins. Suspends the task until its scope is left or a time
    /// limit has passed, and then records the result of the check.
    func recordCancellationAndAwaitExit() async {
      let isCancelled = Task.isCancelled
      scope.recordBegin()
      scope.startPatience()
      await scope.left.wait()
      recordEnd(isCancelled: isCancelled)
    }
    private func recordEnd(isCancelled: Bool) {
      scope.state.note { state in
        if isCancelled { state.cancelled += 1 }
        state.ended += 1
      }
    }
    /// Suspends the child task until it is cancelled or a time limit has passed. The thread that cancels the child task
    /// reports the cancellation to the other child task.
    func awaitCancellationAndNotifyOther() async {
      await awaitCancellation { [scope] in scope.state.note { $0.isFirstCancelled = true } }
      scope.state.note { $0.ended += 1 }
    }
    /// Suspends the child task until it is cancelled or a time limit has passed. Then blocks the thread until the other
    /// child task is cancelled or all other threads sleep, and records whether the other child task was cancelled. If
    /// all other threads sleep, the scope waits for this child task.
    func awaitCancellationOfBoth() async {
      await awaitCancellation()
      let isCancelled = scope.wait.wait { scope.state.isFirstCancelled }
      scope.state.note { state in
        state.wereCancelledAtOnce = isCancelled
        state.ended += 1
      }
    }
    /// Suspends the child task until it is cancelled, and then until its scope is left. Each of the two waits has a
    /// time limit. Then records whether the task is cancelled.
    func awaitCancellationAndExit() async {
      await awaitCancellation()
      await awaitExit()
    }
    /// Suspends the child task for `time`, an hour by default, and records whether the sleep ended without an error.
    func sleep(for time: Duration = .seconds(3600)) async {
      scope.recordBegin()
      do {
        try await Task.sleep(for: time)
        scope.state.note { $0.slept += 1 }
      } catch {}
      scope.state.note { $0.ended += 1 }
    }
  }

  /// The child tasks, except those that are added to a cancelled scope.
  var children: [Child] { (0..<count).map { _ in Child(scope: self) } }
  /// A child task that is added to a cancelled scope.
  var lateChild: Child { Child(scope: self) }

  private func recordBegin() {
    let number = state.note { state in
      state.begun += 1
      return state.begun
    }
    if number == count { begun.open() }
  }
  /// Starts the time limit of the waiting child tasks if the calling task is cancelled, or if all child tasks have
  /// begun.
  private func startPatience() { if Task.isCancelled || state.now.begun >= count { left.startTimeLimit() } }

  /// Suspends the caller until all child tasks have begun.
  func awaitBegin() async { await begun.wait() }
  /// Records whether a child task was added to a cancelled group.
  func recordAddition(_ isAdded: Bool) { if isAdded { state.note { $0.added += 1 } } }
  /// Counts a child task that runs in a cancelled group as an added child task.
  func recordUnwantedChild() { state.note { $0.added += 1 } }
  /// Records the number of ended child tasks when the scope is left, and resumes the child tasks that wait for the
  /// scope to be left.
  func recordExit() {
    state.note { $0.endedBefore = $0.ended }
    left.open()
  }
  /// Waits until all child tasks have ended.
  ///
  /// - Throws: ``WaitTimeoutError`` if the child tasks do not end within 20 seconds.
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
