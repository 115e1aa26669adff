import Dispatch
import Instruments
import Synchronization

extension PriorityEscalation {
  /// The body of a variant. The body starts a task. The body then raises the priority of that task, or of another task
  /// that waits for that task.
  typealias Raising = @Sendable (RaisedTask) async throws -> Void

  private var raises: [any Declaration] { [unraised, uncalled] }
  private var calls: [any Declaration] { raises + [repeated, lowered, notice] }

  /// Returns a probe that runs the variant's body for each task in turn. The probe records how many tasks did not
  /// report the higher priority, and how the handlers were called.
  ///
  /// - Parameters:
  ///   - times: the number of times that the priority of each task is raised.
  ///   - patience: the longest time that a task waits until its priority is raised.
  func runEachTask(raised times: Int = 1, patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: calls + [forgotten]) { trial, body in
      let states = try each(trial, within: patience, body)
      recordRaises(trial, states)
      recordCalls(trial, states, times)
      trial.record(forgotten, states.count { $0.isForgotten })
    }
  }

  /// Returns a probe for a body that raises the priority of its task before the task installs the handler. The probe
  /// records how many tasks did not report the higher priority, and how many handlers of the other tasks were not
  /// called. The handler of a task that was not raised has no reason to be called.
  func runEachRaisedBefore(patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: raises) { trial, body in
      let states = try each(trial, within: patience, body)
      trial.record(unraised, states.count { !$0.isRaised })
      trial.record(uncalled, states.count { $0.isRaised && $0.calls == 0 })
    }
  }

  /// Returns a probe for a body that starts a task with an outer and an inner handler, and raises the task's priority.
  /// The probe records how many tasks did not report the higher priority, how the inner handlers were called, and how
  /// many inner handlers were called before the outer handler, if the outer handler was called at all.
  func runEachInnerHandler(patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: calls + [insideFirst]) { trial, body in
      let states = try each(trial, within: patience, body)
      recordRaises(trial, states)
      recordCalls(trial, states, 1)
      trial.record(insideFirst, states.count { $0.wasInsideFirst && $0.outerCalls > 0 })
    }
  }

  /// Returns a probe for a body that starts a task whose priority is expected to stay low. The probe records how many
  /// tasks nevertheless reported the higher priority. A trial is broken if an awaited task was not raised, since its
  /// priority could not pass to the other task.
  func runEachLooseTask(patience: Duration = .milliseconds(1)) -> Probe<Raising> {
    Probe(reads: [tasks], records: [raised]) { trial, body in
      let states = try each(trial, within: patience, body)
      guard states.allSatisfy({ $0.outerCalls > 0 }) else {
        throw WaitTimeoutError("an awaited task was not raised", within: RaisedTask.outerHandlerBound)
      }
      trial.record(raised, states.count { $0.isRaised })
    }
  }

  private func recordRaises(_ trial: Trial, _ states: [RaisedTask.State]) {
    trial.record(unraised, states.count { !$0.isRaised })
    trial.record(uncalled, states.count { $0.calls == 0 })
  }

  private func recordCalls(_ trial: Trial, _ states: [RaisedTask.State], _ times: Int) {
    trial.record(repeated, states.sum { max(0, $0.calls - times) })
    trial.record(lowered, states.sum { $0.lowered })
    trial.record(notice, states.compactMap(\.notice))
  }

  /// Runs `body` for each task in turn, and returns the observations of the tasks.
  ///
  /// - Parameter patience: the longest time that a task waits until its priority is raised.
  private func each(_ trial: Trial, within patience: Duration, _ body: @escaping Raising) throws -> [RaisedTask.State] {
    let count = trial[tasks]
    return try waitFor {
      var states: [RaisedTask.State] = []
      // The first task is a warm-up.
      for index in 0...count {
        let work = RaisedTask(patience: patience)
        try await body(work)
        if index > 0 { states.append(work.now) }
      }
      return states
    }
  }
}

extension Unavailable {
  /// The error that is thrown if `withTaskPriorityEscalationHandler` is not available on this system.
  static let escalationHandler = Unavailable("withTaskPriorityEscalationHandler needs macOS 26")
}

/// A task whose priority is raised, with observations of its priority and handlers.
final class RaisedTask: Sendable {
  struct State {
    var isRaised = false
    var isForgotten = false
    var isNotified = false
    var (calls, lowered, outerCalls) = (0, 0, 0)
    var wasInsideFirst = false
    /// The highest priority that was passed to the handler; background before the first call.
    var highest = TaskPriority.background
    var raising: UInt64 = 0
    var notice: UInt64?
  }

  /// The longest time that a task waits for the call of the outer handler.
  static let outerHandlerBound = Duration.seconds(10)

  private let patience: Duration
  private let state = Mutex(State())
  private let begun = TimedGate()
  private let allCalls = TimedGate()

  init(patience: Duration) { self.patience = patience }

  /// Yields until the task has high priority, or until the time `patience` has passed. Then records whether the task
  /// has high priority.
  func awaitEscalation() async { await yieldUntil { Task.currentPriority >= .high } }
  /// Yields until the task has high priority and its handler has been called with high priority, or until the time
  /// `patience` has passed. Then records whether the task has high priority. The system raises the priority before it
  /// calls the handler. If the operation returns before that call, the handler is never called.
  func awaitEscalationAndHandler() async { await yieldUntil { Task.currentPriority >= .high && self.now.isNotified } }

  /// Yields until the outer handler has been called, or until ``outerHandlerBound`` has passed. Before that call, a
  /// task that waits for the calling task has not been raised.
  func awaitOuterHandler() async { await yield(within: Self.outerHandlerBound) { self.now.outerCalls > 0 } }

  private func yield(within limit: Duration, until isOver: () -> Bool) async {
    begun.open()
    let end = MonotonicClock.now() + UInt64(clamping: limit.nanoseconds)
    while !isOver(), MonotonicClock.now() < end { await Task.yield() }
  }
  private func yieldUntil(_ isOver: () -> Bool) async {
    await yield(within: patience, until: isOver)
    let isRaised = Task.currentPriority >= .high
    state.withLock { $0.isRaised = isRaised }
  }
  /// Suspends the task until the trial has called `escalatePriority` for the last time.
  func awaitLastEscalation() async { await allCalls.wait() }
  /// Records that the trial has called `escalatePriority` for the last time.
  func recordLastEscalation() { allCalls.open() }
  /// Yields once, and then records whether the task no longer has high priority.
  func recordPriorityAfterYield() async {
    await Task.yield()
    let isForgotten = Task.currentPriority < .high
    state.withLock { $0.isForgotten = isForgotten }
  }
  /// Suspends the caller until the task has begun.
  func awaitBegin() async { await begun.wait() }
  /// Records the current time. Call this method immediately before the task's priority is raised.
  func recordEscalation() { state.withLock { $0.raising = MonotonicClock.now() } }
  /// Records a call of the handler with the old and the new priority.
  func recordHandlerCall(_ old: TaskPriority, _ new: TaskPriority) {
    let now = MonotonicClock.now()
    state.withLock { state in
      state.calls += 1
      if new >= .high { state.isNotified = true }
      if new <= max(old, state.highest) { state.lowered += 1 }
      state.highest = max(state.highest, new)
      if state.outerCalls == 0 { state.wasInsideFirst = true }
      if state.notice == nil { state.notice = now > state.raising ? now - state.raising : 0 }
    }
  }
  /// Records a call of the outer handler.
  func outerHandlerIsCalled() { state.withLock { $0.outerCalls += 1 } }

  /// The observations of the task so far.
  var now: State { state.withLock { $0 } }
}
