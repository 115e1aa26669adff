import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension PriorityEscalation {
  /// A body, which starts a task and raises it.
  typealias Raising = @Sendable (RaisedTask) async throws -> Void

  private var raises: [any Declaration] { [unraised, uncalled] }
  private var calls: [any Declaration] { raises + [repeated, lowered, notice] }

  /// Runs a body for one task after the other. The task is raised a number of times, and its handler must be called.
  ///
  /// - Parameter patience: how long a task waits to be raised.
  func runEachTask(raised times: Int = 1, patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: calls + [forgotten]) { trial, body in
      let states = try each(trial, within: patience, body)
      recordRaises(trial, states)
      recordCalls(trial, states, times)
      trial.record(forgotten, states.count { $0.isForgotten })
    }
  }

  /// Runs a body, which raises its task before the handler is installed, for one task after the other.
  func runEachRaisedBefore(patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: raises) { trial, body in
      recordRaises(trial, try each(trial, within: patience, body))
    }
  }

  /// Runs a body, which starts a task with an outer and an inner handler and raises it, for one task after the other.
  func runEachInnerHandler(patience: Duration = .seconds(10)) -> Probe<Raising> {
    Probe(reads: [tasks], records: calls + [insideFirst]) { trial, body in
      let states = try each(trial, within: patience, body)
      recordRaises(trial, states)
      recordCalls(trial, states, 1)
      trial.record(insideFirst, states.count { $0.wasInsideFirst })
    }
  }

  /// Runs a body, which starts a task that nothing raises, for one task after the other.
  func runEachLooseTask(patience: Duration = .milliseconds(1)) -> Probe<Raising> {
    Probe(reads: [tasks], records: [raised]) { trial, body in
      trial.record(raised, try each(trial, within: patience, body).count { $0.isRaised })
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

  /// Runs a body for one task after the other.
  ///
  /// - Parameter patience: how long a task waits to be raised.
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
  /// The reason that is given on systems without the handlers.
  static let escalationHandler = Unavailable("withTaskPriorityEscalationHandler needs macOS 26")
}

/// A task whose priority is raised, and the observations of the task.
final class RaisedTask: Sendable {
  struct State {
    var isRaised = false
    var isForgotten = false
    var isNotified = false
    var (calls, lowered, outerCalls) = (0, 0, 0)
    var wasInsideFirst = false
    /// The highest priority that the handler was called with.
    var highest = TaskPriority.background
    var raising: UInt64 = 0
    var notice: UInt64?
  }

  private let patience: Duration
  private let state = Mutex(State())
  private let begun = BoundedGate()
  private let allCalls = BoundedGate()

  init(patience: Duration) { self.patience = patience }

  /// Yields until the task has high priority, or until the patience is over.
  func isRaised() async { await waits { Task.currentPriority >= .high } }
  /// Yields until the task has high priority and its handler has been called, or until the patience is over. The system
  /// raises the priority first. If the operation returns before the handler is called, the handler is not called at
  /// all.
  func isRaisedAndNotified() async { await waits { Task.currentPriority >= .high && self.now.isNotified } }

  private func waits(_ isOver: () -> Bool) async {
    begun.open()
    let end = MonotonicClock.now() + UInt64(clamping: patience.nanoseconds)
    while !isOver(), MonotonicClock.now() < end { await Task.yield() }
    let isRaised = Task.currentPriority >= .high
    state.withLock { $0.isRaised = isRaised }
  }
  /// Suspends the task until the trial has made all its calls of escalatePriority.
  func trialHasRaised() async { await allCalls.passed() }
  /// Notes that the trial has made all its calls of escalatePriority.
  func hasRaised() { allCalls.open() }
  /// Suspends the task once, and notes whether the task has lost the priority afterwards.
  func looksAgain() async {
    await Task.yield()
    let isForgotten = Task.currentPriority < .high
    state.withLock { $0.isForgotten = isForgotten }
  }
  /// Suspends until the task has begun.
  func hasBegun() async { await begun.passed() }
  /// Notes that the task is about to be raised.
  func raises() { state.withLock { $0.raising = MonotonicClock.now() } }
  /// Notes a call of the handler.
  func handlerIsCalled(_ old: TaskPriority, _ new: TaskPriority) {
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
  /// Notes a call of the outer handler.
  func outerHandlerIsCalled() { state.withLock { $0.outerCalls += 1 } }

  /// The observations of the task so far.
  var now: State { state.withLock { $0 } }
}
