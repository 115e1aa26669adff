import Exploration
import Instruments

/// An answer that two requests wait for.
final class LateAnswer: @unchecked Sendable {
  private let group = DispatchGroup()
  private let handlers = DispatchQueue(label: "answers")
  fileprivate var begun = 0

  fileprivate init() { group.enter() }

  /// A request that waits for the answer.
  struct Request: Sendable {
    fileprivate let answer: LateAnswer

    /// Records that the request has begun.
    func begins() {
      answer.begun += 1
      Execution.note("request \(answer.begun) begins")
    }
    /// Blocks the thread until the answer arrives.
    func blockUntilAnswered() {
      Execution.note("blocks its thread until the answer arrives")
      answer.group.wait()
    }
    /// Registers a handler, which is called when the answer arrives.
    func whenAnswered(_ handler: @escaping @Sendable () -> Void) {
      answer.group.notify(queue: answer.handlers, execute: handler)
    }
  }

  /// Delivers the answer.
  fileprivate func releaseAnswer() { group.leave() }
}

/// A task or block that does not need the answer.
private final class Bystander: @unchecked Sendable {
  private(set) var hasBegun = false

  /// Creates a bystander, submits it with `submit`, and waits until no other thread, block or task can continue.
  /// Records a broken promise if the bystander has not begun by then.
  init(_ name: String, _ submit: (_ begin: @escaping @Sendable () -> Void) -> Void) {
    submit {
      Execution.note("begins: \(name)")
      self.hasBegun = true
    }
    Execution.settle()
    if !hasBegun { Execution.breaks("\(name) does not begin, and no thread can continue") }
  }
}

extension PoolStarvation {
  static let exploration = Self.explored(
    ["task-sleep": "Task.sleep waits for a real clock, which an execution does not have"],
    leavesOut:
      "Swift's pool has two threads for each priority, which it shares with the global queue, as on Linux, and never adds one. "
      + "libdispatch adds one for the global queue after a second.")

  /// A probe that starts two requests in a pool of two threads. The probe submits each bystander when nothing else can
  /// run. If all bystanders begin, the probe delivers the answer and waits for the requests.
  var crowd: Probe<@Sendable (LateAnswer.Request) -> Task<Void, Never>> {
    Probe { _, begin in
      Execution.limitPool(to: 2)
      let answer = LateAnswer()
      let tasks = [begin(.init(answer: answer)), begin(.init(answer: answer))]
      Execution.settle()
      guard submitBystanders() else { return }
      answer.releaseAnswer()
      try waitFor { for task in tasks { await task.value } }
      if answer.begun != tasks.count { Execution.breaks("a request does not begin") }
    }
  }

  var runBystandersAlone: TrialProbe { Probe() }

  func recordBystandersAlone(_ trial: Trial) throws {
    Execution.limitPool(to: 2)
    _ = submitBystanders()
  }

  /// Submits the bystanders one after the other. Returns whether all of them have begun.
  private func submitBystanders() -> Bool {
    let queue = DispatchQueue(label: "bystander")
    let bystanders = [
      Bystander("a block on a queue of its own") { begin in queue.async { begin() } },
      Bystander("a task of another priority") { begin in Task(priority: .utility) { begin() } },
      Bystander("an unrelated task") { begin in Task { begin() } },
      Bystander("an unrelated block on the global queue") { begin in DispatchQueue.global().async { begin() } },
    ]
    return bystanders.allSatisfy(\.hasBegun)
  }
}
