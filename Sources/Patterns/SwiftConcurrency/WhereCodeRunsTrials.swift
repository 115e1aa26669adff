import Dispatch
import Instruments
import Synchronization

extension WhereCodeRuns {
  /// A function that an actor runs once for each call of the code.
  typealias Call = @Sendable (_ actor: isolated any Actor, _ code: CalledCode) async throws -> Void

  private var placeMetrics: [any Declaration] { [onActor, offActor, unseen, hops, call] }

  /// A probe that runs the variant's body on both actors, and records where the called code ran.
  var runEachCall: Probe<Call> {
    Probe(reads: [calls], records: placeMetrics) { trial, call in
      _ = try each(trial, by: [.onQueue(), second], call)
    }
  }

  /// A probe for a body that starts a task. The probe runs the body on both actors, and records where the task ran and
  /// whether the task had begun when its creation returned.
  var runEachTask: Probe<Call> {
    Probe(reads: [calls], records: placeMetrics + [late]) { trial, call in
      trial.record(late, try each(trial, by: [.onQueue(), second], call).count { $0.wasLate })
    }
  }

  /// A probe that runs the variant's body on the global actor, and records the same metrics as ``runEachTask``.
  var runEachTaskOfGlobal: Probe<Call> {
    Probe(reads: [calls], records: placeMetrics + [late]) { trial, call in
      trial.record(late, try each(trial, by: [.desk], call).count { $0.wasLate })
    }
  }

  private func each(_ trial: Trial, by callers: [CallingActor], _ call: @escaping Call) throws -> [CalledCode] {
    let count = trial[calls]
    let codes = try waitFor {
      var codes: [CalledCode] = []
      for caller in callers {
        // The first calls are a warm-up.
        for index in -10..<count {
          let code = CalledCode(by: caller)
          try await Self.run(call, on: caller.actor, code)
          if index >= 0 { codes.append(code) }
        }
      }
      return codes
    }
    trial.record(onActor, codes.sum { $0.onActor })
    trial.record(offActor, codes.sum { $0.offActor })
    trial.record(unseen, codes.count { $0.onActor + $0.offActor == 0 })
    trial.record(hops, codes.count { $0.hasHopped })
    trial.record(self.call, codes.compactMap(\.delay))
    return codes
  }

  private static func run(_ call: Call, on actor: isolated any Actor, _ code: CalledCode) async throws {
    code.recordCall()
    try await call(actor, code)
  }
}

/// An actor that calls code, with the label of the queue on which the actor runs.
struct CallingActor: Sendable {
  private static let key = DispatchSpecificKey<String>()

  let actor: any Actor
  private let label: String

  private init(_ actor: any Actor, on queue: DispatchQueue) {
    self.actor = actor
    label = queue.label
    queue.setSpecific(key: Self.key, value: label)
  }

  /// The main actor.
  static var main: CallingActor { CallingActor(MainActor.shared, on: .main) }

  /// The global actor whose executor is a queue.
  static var desk: CallingActor { CallingActor(WhereCodeRuns.Desk.shared, on: WhereCodeRuns.Desk.queue) }

  /// Creates an actor that runs on a new serial queue.
  static func onQueue() -> CallingActor {
    let queue = DispatchQueue(label: "actor")
    return CallingActor(QueueActor(queue), on: queue)
  }

  /// Whether the calling code runs on the actor.
  var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) == label }
}

/// An actor that runs on a queue.
private actor QueueActor {
  nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ queue: DispatchQueue) { executor = QueueExecutor(queue: queue) }
}

/// Code that an actor calls, with observations of where it ran.
final class CalledCode: Sendable {
  private struct State {
    var thread = 0
    var called: UInt64 = 0
    var begun: UInt64?
    var firstThread = 0
    var onActor = 0
    var offActor = 0
    var wasLate = false
  }

  private let caller: CallingActor
  private let state = Mutex(State())

  init(by caller: CallingActor) { self.caller = caller }

  /// Records the thread and the time immediately before the actor calls the code.
  func recordCall() {
    state.withLock { state in
      state.thread = ThreadCensus.currentThread
      state.called = MonotonicClock.now()
    }
  }
  /// Records where the code runs.
  @Sendable func look() {
    let (now, isHere, thread) = (MonotonicClock.now(), caller.isHere, ThreadCensus.currentThread)
    state.withLock { state in
      if state.begun == nil { (state.begun, state.firstThread) = (now, thread) }
      if isHere { state.onActor += 1 } else { state.offActor += 1 }
    }
  }
  /// Records whether the code has begun. Call this method when the creation of the task has returned.
  func recordCreation() { state.withLock { $0.wasLate = $0.begun == nil } }

  /// The number of observations on the caller's actor.
  var onActor: Int { state.withLock { $0.onActor } }
  /// The number of observations outside the caller's actor.
  var offActor: Int { state.withLock { $0.offActor } }
  /// Whether the code began on a thread other than the caller's; true if the code has not begun.
  var hasHopped: Bool { state.withLock { $0.firstThread != $0.thread } }
  /// Whether the code had not begun when the creation of its task returned.
  var wasLate: Bool { state.withLock(\.wasLate) }
  /// The nanoseconds from the call until the code began; nil if the code has not begun.
  var delay: UInt64? { state.withLock { state in state.begun.map { $0 - state.called } } }
}
