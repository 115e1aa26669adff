import Exploration
import Instruments

/// Two results that nested work sets.
final class NestedWork: @unchecked Sendable {
  let mainQueue: DispatchQueue
  let queue = DispatchQueue.global()
  let otherQueue = DispatchQueue.global()
  private let values = [Variable("foo", 0), Variable("bar", 0)]
  private var completions = 0

  init(mainQueue: DispatchQueue) { self.mainQueue = mainQueue }

  /// The results that the nested work sets.
  var results: [Result] { values.map { Result(value: $0) } }

  /// A result of nested work: `foo` or `bar` in the document "dispatch_group".
  struct Result: Sendable {
    fileprivate let value: Variable<Int>

    /// Does nothing in place of the lengthy method in the document "dispatch_group", since an exploration executes
    /// every order.
    func doSomething() {}
    /// Does nothing in place of lengthy work in a task.
    func doSomething() async {}
    /// Sets the result, as the inner block in the document "dispatch_group" does.
    func set() { value.value = 42 }
    /// Sets the result from a task.
    func set() async { value.value = 42 }
  }

  /// Executes the notify block of the document "dispatch_group", which reads all results. A missing result is a broken
  /// promise.
  func completionBlock() {
    completions += 1
    Execution.note("runs the completion")
    if values.contains(where: { $0.value == 0 }) { Execution.breaks("completed without a result") }
  }

  /// Records a broken promise if a result is missing when the group has ended.
  func groupHasEnded() {
    if values.contains(where: { $0.value == 0 }) { Execution.breaks("the group ended without a result") }
  }

  fileprivate func judge() {
    if completions != 1 { Execution.breaks("the completion ran \(completions) times") }
  }
}

extension GroupNesting {
  static let exploration = Self.explored(settings: ["tasks": .integer(2)])

  typealias Method = @Sendable (NestedWork) -> DispatchGroup

  func measure(addsOnMain: Bool = false) -> Probe<Method> {
    Probe { trial, method in
      let queue = DispatchQueue(label: "end")
      try measureTask(trial) { work in method(work).notify(queue: queue) { work.groupHasEnded() } }
    }
  }

  func measureEarly(addsOnMain: Bool = false) -> Probe<Method> { measure() }

  var measureTask: Probe<@Sendable (NestedWork) -> Void> {
    Probe { _, method in
      let work = NestedWork(mainQueue: mainQueue)
      mainQueue.async { method(work) }
      Execution.settle()
      work.judge()
    }
  }

  var hang: Probe<@Sendable (NestedWork) -> Void> { measureTask }
}
