import Dispatch
import Instruments
import Synchronization

extension PoolStarvation {
  /// A probe that starts all requests while their answer is withheld, submits the bystanders once all threads sleep,
  /// and then releases the answer. The trial is unavailable if there are not enough threads, or if the system does not
  /// report the states of threads.
  var crowd: Probe<@Sendable (LateAnswer.Request) -> Task<Void, Never>> {
    Probe(
      reads: [tasksPerCore, hold], records: results + [begun, notBegun, blockedThreads, stillStarved]
    ) { trial, begin in
      let (count, hold) = (trial.poolWidth * trial[tasksPerCore], trial[hold])
      try prepare(threads: count)
      let answer = LateAnswer(requests: count)
      let bystanders = TaskBystanders()
      let tasks = answer.requests.map(begin)
      defer {
        answer.releaseAnswer()
        for task in tasks { task.cancel() }
      }
      try standstill.wait()
      let census = try ThreadCensus.required()
      try bystanders.submitAndObserve(standstill, patience: hold)
      let begun = answer.begun
      trial.record(self.begun, begun)
      trial.record(notBegun, count - begun)
      trial.record(blockedThreads, census.parkedPoolThreads.count)
      let released = MonotonicClock.now()
      answer.releaseAnswer()
      for task in tasks { task.cancel() }
      try waitFor { for task in tasks { await task.value } }
      record(trial, bystanders)
      // The time of the beginning is compared, since the bystander could begin between a check and the answer.
      let task = bystanders.task
      trial.record(stillStarved, task.isHeldUp && task.hasStarted(after: released) ? 1 : 0)
    }
  }

  /// A probe for a body that submits the bystanders without any requests.
  var runBystandersAlone: TrialProbe { Probe(records: results) }

  /// Submits the bystanders without any requests. Records which bystanders starve, and how soon the task of medium
  /// priority begins.
  func recordBystandersAlone(_ trial: Trial) throws {
    try prepare(threads: 0)
    let bystanders = TaskBystanders()
    try bystanders.submitAndObserve(standstill, patience: .zero)
    record(trial, bystanders)
  }

  /// The metrics that every trial records.
  private var results: [any Declaration] {
    [starved, taskStarved, otherPriorityStarved, globalStarved, ownQueueStarved, taskStart]
  }

  private func prepare(threads: Int) throws {
    try room.require(threads)
    try standstill.warmUp()
    try waitFor { await Task {}.value }
    try standstill.wait()
  }

  private func record(_ trial: Trial, _ bystanders: TaskBystanders) {
    let measures = [
      (bystanders.task, taskStarved), (bystanders.otherPriority, otherPriorityStarved),
      (bystanders.global, globalStarved), (bystanders.ownQueue, ownQueueStarved),
    ]
    for (bystander, metric) in measures { trial.record(metric, bystander.isHeldUp ? 1 : 0) }
    trial.record(starved, measures.count { $0.0.isHeldUp })
    trial.record(taskStart, bystanders.task.awaitStart())
  }
}

/// An answer that is withheld while many requests wait for it.
final class LateAnswer: Sendable {
  private let group = DispatchGroup()
  private let handlers = DispatchQueue(label: "answers")
  private let isHeldBack = Mutex(true)
  private let begins: ExecutionCounts

  /// Creates a withheld answer for `count` requests.
  init(requests count: Int) {
    begins = ExecutionCounts(count: count)
    group.enter()
  }

  /// The requests that wait for this answer.
  var requests: [Request] { (0..<begins.count).map { Request(answer: self, index: $0) } }

  /// A request that waits for the answer.
  struct Request: Sendable {
    fileprivate let answer: LateAnswer
    fileprivate let index: Int

    /// Records that the request has begun.
    func begins() { answer.begins.ran(index) }
    /// Blocks the calling thread until the answer is released.
    func blockUntilAnswered() { answer.group.wait() }
    /// Submits `handler` to a queue when the answer is released, or immediately if the answer has already been
    /// released.
    func whenAnswered(_ handler: @escaping @Sendable () -> Void) {
      answer.group.notify(queue: answer.handlers, execute: handler)
    }
  }

  /// The number of requests that have begun.
  var begun: Int { begins.count - begins.notRun }

  /// Releases the answer. Further calls have no effect.
  func releaseAnswer() {
    let isFirst = isHeldBack.withLock { isHeldBack in
      defer { isHeldBack = false }
      return isHeldBack
    }
    if isFirst { group.leave() }
  }
}

/// Tasks and blocks that do not wait for the answer.
private final class TaskBystanders: Sendable {
  /// A task of the same priority as the requests.
  let task = Bystander(asTaskOf: .medium)
  /// A task of the priority `utility`.
  let otherPriority = Bystander(asTaskOf: .utility)
  /// A block on the global queue of the default QoS class.
  let global = Bystander(on: .global())
  /// A block on a serial queue.
  let ownQueue = Bystander(on: DispatchQueue(label: "bystander"))

  /// Submits the bystanders one after another. If ``task`` is held up, waits until ``task`` has begun, but no longer
  /// than `patience`. If ``global`` is held up as well, waits for the beginning of ``global`` instead.
  func submitAndObserve(_ standstill: Standstill, patience: Duration) throws {
    for bystander in [ownQueue, otherPriority, global, task] { try bystander.submitAndObserve(standstill) }
    if task.isHeldUp { (global.isHeldUp ? global : task).awaitStart(for: patience) }
  }
}
