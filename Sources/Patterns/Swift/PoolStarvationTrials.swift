import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension PoolStarvation {
  /// Starts all requests while their answer is withheld, submits the bystanders when all threads sleep, and then
  /// releases the answer. The trial is unavailable if there are not enough threads, or if the system does not report
  /// what they do.
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
        answer.comes()
        for task in tasks { task.cancel() }
      }
      try standstill.wait()
      let census = try ThreadCensus.required()
      try bystanders.come(standstill, patience: hold)
      let begun = answer.begun
      trial.record(self.begun, begun)
      trial.record(notBegun, count - begun)
      trial.record(stillStarved, bystanders.task.hasComeToBegin ? 0 : 1)
      trial.record(blockedThreads, census.parkedPoolThreads.count)
      answer.comes()
      for task in tasks { task.cancel() }
      try waitFor { for task in tasks { await task.value } }
      record(trial, bystanders)
    }
  }

  /// A probe for the bystanders without any requests.
  var runBystandersAlone: TrialProbe { Probe(records: results) }

  /// Submits the bystanders without any requests, and records how soon they begin.
  func recordBystandersAlone(_ trial: Trial) throws {
    try prepare(threads: 0)
    let bystanders = TaskBystanders()
    try bystanders.come(standstill, patience: .zero)
    record(trial, bystanders)
  }

  /// The metrics of every trial.
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

/// An answer that many requests wait for, and that comes late.
final class LateAnswer: Sendable {
  private let group = DispatchGroup()
  private let handlers = DispatchQueue(label: "answers")
  private let isHeldBack = Mutex(true)
  private let begins: RunCounts

  /// Creates an answer to this many requests, which is withheld.
  init(requests count: Int) {
    begins = RunCounts(count: count)
    group.enter()
  }

  /// The requests that wait for the answer.
  var requests: [Request] { (0..<begins.count).map { Request(answer: self, index: $0) } }

  /// A request that waits for the answer.
  struct Request: Sendable {
    fileprivate let answer: LateAnswer
    fileprivate let index: Int

    /// Notes that the request has a thread and begins.
    func begins() { answer.begins.ran(index) }
    /// Blocks the thread until the answer arrives, as every blocking call does.
    func blockUntilAnswered() { answer.group.wait() }
    /// Calls `handler` when the answer arrives.
    func whenAnswered(_ handler: @escaping @Sendable () -> Void) {
      answer.group.notify(queue: answer.handlers, execute: handler)
    }
  }

  /// The number of requests that have begun.
  var begun: Int { begins.count - begins.notRun }

  /// Releases the answer. Call it once.
  func comes() {
    let isFirst = isHeldBack.withLock { isHeldBack in
      defer { isHeldBack = false }
      return isHeldBack
    }
    if isFirst { group.leave() }
  }
}

/// Tasks and blocks that do not need the answer.
private final class TaskBystanders: Sendable {
  /// A task of the same priority.
  let task = Bystander(asTaskOf: .medium)
  /// A task of another priority.
  let otherPriority = Bystander(asTaskOf: .utility)
  /// A block on the global queue of the same class.
  let global = Bystander(on: .global())
  /// A block on a serial queue of its own.
  let ownQueue = Bystander(on: DispatchQueue(label: "bystander"))

  /// Submits the bystanders one after the other. If the task is delayed, waits up to `patience`: for the block on the
  /// global queue if that block is delayed as well, and otherwise for the task.
  func come(_ standstill: Standstill, patience: Duration) throws {
    for bystander in [ownQueue, otherPriority, global, task] { try bystander.come(standstill) }
    if task.isHeldUp { (global.isHeldUp ? global : task).awaitStart(for: patience) }
  }
}
