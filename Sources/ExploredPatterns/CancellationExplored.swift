import Exploration
import Instruments

/// A gate at which tasks wait until the gate is opened.
private final class TaskGate: @unchecked Sendable {
  private var isOpen = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  func wait() async {
    await withUnsafeContinuation { task in if isOpen { task.resume() } else { waiting.append(task) } }
  }

  func open() {
    isOpen = true
    let tasks = waiting
    waiting = []
    for task in tasks { task.resume() }
  }
}

/// A task with cancellation handlers, and a record of the calls of these handlers.
final class HandledTask: @unchecked Sendable {
  private var runs: [Int]
  private let hasBegun = DispatchSemaphore(value: 0)
  private let isCancelled = TaskGate()
  private var haveRun: [Bool]
  private var hasEnded = false

  fileprivate init(handlers: Int, operations: Int) {
    runs = Array(repeating: 0, count: handlers)
    haveRun = Array(repeating: false, count: operations)
  }

  /// Records that the operation `index` runs.
  func recordOperation(_ index: Int = 0) {
    Execution.note("operation \(index + 1) runs")
    haveRun[index] = true
  }
  /// Records that the operation `index` begins, and signals the thread that cancels the task.
  func beginOperation(_ index: Int = 0) {
    recordOperation(index)
    hasBegun.signal()
  }
  /// Signals that the operation has returned.
  func recordReturn() { hasBegun.signal() }
  /// Records a broken promise if the handler `index` has not run.
  func requireHandler(_ index: Int = 0) {
    if runs[index] == 0 { Execution.breaks("an operation continues before its handler has run") }
  }
  /// Suspends the task until `cancel` has returned.
  func awaitCancellation() async { await isCancelled.wait() }
  func computeUntilCancelled() {}
  func registers() {}
  /// Records that the handler `index` runs. A second run is a broken promise.
  func handlerRuns(_ index: Int = 0) {
    Execution.note("handler \(index + 1) runs")
    runs[index] += 1
    if runs[index] > 1 { Execution.breaks("a handler runs twice") }
  }
  /// Records that the task ends.
  func recordEnd() { hasEnded = true }
  /// Does nothing, since an exploration executes every order. In a trial, the task and the thread that cancels it wait
  /// for each other.
  func meet() {}

  /// Waits until the operation has begun or, after ``recordReturn()``, has returned.
  func waitForOperation() { hasBegun.wait() }
  /// Calls `cancel` to cancel the task. Records a broken promise if one of the first `count` handlers has not run when
  /// `cancel` returns.
  func cancel(handlers count: Int = 1, _ cancel: () -> Void) {
    Execution.step("cancels the task")
    cancel()
    if runs.prefix(count).contains(0) { Execution.breaks("cancel returns before a handler has run") }
    isCancelled.open()
  }

  fileprivate func judge(runsHandler: Bool) {
    if !hasEnded { Execution.breaks("the task does not end") }
    if haveRun.contains(false) { Execution.breaks("an operation does not run") }
    if runs.contains(runsHandler ? 0 : 1) {
      Execution.breaks(runsHandler ? "a handler does not run" : "the handler runs after its operation")
    }
  }
}

/// A scope with child tasks, and a record of their progress.
final class Scope: @unchecked Sendable {
  private let count: Int
  private let begun = TaskGate()
  private let otherIsCancelled = TaskGate()
  private var (hasBegun, hasEnded, added) = (Set<Int>(), 0, 0)

  fileprivate init(children: Int) { count = children }

  /// A child task of the scope.
  struct Child: Sendable {
    fileprivate let scope: Scope
    fileprivate let number: Int
    private var isLate: Bool { number == scope.count }

    /// Suspends the child until it is cancelled.
    func awaitCancellation() async {
      scope.recordBegin(number)
      let gate = TaskGate()
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        gate.open()
      }
    }
    /// Ends the child. A child must be cancelled if it was added late or has waited for its cancellation. Any other
    /// child must not be cancelled. A violation of either rule is a broken promise. The first child ends in a later
    /// step.
    func awaitExit() async {
      let hasWaited = !scope.recordBegin(number)
      if Task.isCancelled != (isLate || hasWaited) {
        Execution.breaks("child \(number + 1) is \(Task.isCancelled ? "" : "not ")cancelled")
      }
      if number == 0 {
        await withUnsafeContinuation { child in
          Execution.thread("delay \(number + 1)") {
            Execution.step("is over")
            child.resume()
          }
        }
      }
      Execution.note("child \(number + 1) ends")
      scope.hasEnded += 1
    }
    /// Ends the child after the check of its cancellation, as ``awaitExit()`` does.
    func recordCancellationAndAwaitExit() async { await awaitExit() }
    /// Suspends the child until it is cancelled. Then signals the other child task, and ends the child.
    func awaitCancellationAndNotifyOther() async {
      await awaitCancellation()
      Execution.note("child \(number + 1) is cancelled")
      scope.otherIsCancelled.open()
      scope.hasEnded += 1
    }
    /// Suspends the child until both child tasks are cancelled, and ends the child.
    func awaitCancellationOfBoth() async {
      await awaitCancellation()
      Execution.note("child \(number + 1) is cancelled, and waits until the other is")
      await scope.otherIsCancelled.wait()
      scope.hasEnded += 1
    }
    /// Suspends the child until it is cancelled, and continues as ``awaitExit()`` does.
    func awaitCancellationAndExit() async {
      await awaitCancellation()
      await awaitExit()
    }
    func sleep() async {}
  }

  /// The child tasks that the scope adds before it is cancelled.
  var children: [Child] { (0..<count).map { Child(scope: self, number: $0) } }
  /// A child task that is added to a cancelled scope.
  var lateChild: Child { Child(scope: self, number: count) }

  /// Records that a child begins. Returns true for the first call with `child`, and false for later calls with the same
  /// child.
  @discardableResult private func recordBegin(_ child: Int) -> Bool {
    guard hasBegun.insert(child).inserted else { return false }
    Execution.note("child \(child + 1) begins")
    if hasBegun.count == count { begun.open() }
    return true
  }

  /// Suspends the scope until all its child tasks have begun.
  func awaitBegin() async { await begun.wait() }
  /// Records a broken promise if `isAdded` is true: a child task was added to a cancelled group.
  func recordAddition(_ isAdded: Bool) { if isAdded { Execution.breaks("a cancelled group gets a child task") } }
  /// Records a broken promise, since a child task that was added to a cancelled group runs.
  func recordUnwantedChild() { recordAddition(true) }

  /// Records that the scope is left. Records a broken promise if a child task has not ended.
  fileprivate func recordExit(late: Int) {
    Execution.note("the scope is left")
    if hasEnded < count + late { Execution.breaks("the scope is left before a child task has ended") }
  }
}

extension Cancellation {
  static let exploration = Self.explored(
    [
      "running": "its operation computes without suspending, which a task of an execution cannot do",
      "sleep": "Task.sleep waits for a real clock, which an execution does not have",
    ],
    settings: ["children": .integer(2)],
    // The claim about this variant contradicts SE-0317.
    alsoBroken: ["async-let-order"],
    leavesOut:
      "What Swift's runtime does within a step is not explored: cancelling a task is one step, and so is a task up to its next "
      + "await, with the handlers that it registers.")

  func runEachTask(handlers: Int = 1, operations: Int = 1) -> Probe<@Sendable (HandledTask) -> Void> {
    Probe { _, body in
      let work = HandledTask(handlers: handlers, operations: operations)
      body(work)
      Execution.settle()
      work.judge(runsHandler: true)
    }
  }

  var runEachTaskAfterwards: Probe<@Sendable (HandledTask) -> Void> {
    Probe { _, body in
      let work = HandledTask(handlers: 1, operations: 1)
      body(work)
      Execution.settle()
      work.judge(runsHandler: false)
    }
  }

  var runEachScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe { trial, body in try runScope(children: trial[children], body) }
  }

  var runEachScopeOfTwo: Probe<@Sendable (Scope) async throws -> Void> {
    Probe { _, body in try runScope(children: 2, body) }
  }

  var runEachCancelledScope: Probe<@Sendable (Scope) async throws -> Void> {
    Probe { trial, body in try runScope(children: trial[children], late: 1, body) }
  }

  var runEachPair: Probe<@Sendable (Scope) async throws -> Void> { runEachScopeOfTwo }

  var runEachGroupOfSleepers: Probe<@Sendable (Scope) async throws -> Void> { Probe { _, _ in } }

  private func runScope(
    children: Int, late: Int = 0, _ body: @escaping @Sendable (Scope) async throws -> Void
  ) throws {
    let scope = Scope(children: children)
    // The scope runs in its own task, since the body may cancel that task.
    try waitFor {
      await Task {
        do { try await body(scope) } catch {}
        scope.recordExit(late: late)
      }.value
    }
    Execution.settle()
  }
}
