import Dispatch
import Instruments
import Synchronization

/// How a method is tried.
///
/// A held call has three parts. While all blocks of the method are held back, it must return. Then the blocks run, but
/// not what they add: the main queue is held until the group says that all has ended, the other queue until the
/// completion has run, or both until nothing else is left to do and the time is up. Whether something was missing when
/// the group said so cannot hang on speed, then.
///
/// The completion runs on the main queue, whose order may hide that the group has ended too early. So the group is
/// asked on a queue of its own as well.
extension GroupNesting {
  /// All blocks one after the other, in each call.
  func longest(_ trial: Trial) -> Duration? {
    trial[work] * trial[tasks] * (trial[heldCalls] + trial[repeats] + 1) + .seconds(10)
  }

  /// Runs a method whose group should wait for nested work, with that work held for a while, and counts completions
  /// that came too early.
  @discardableResult
  func measure(
    _ trial: Trial, patience: Duration = .seconds(10), _ method: @escaping @Sendable (NestedWork) -> DispatchGroup
  ) throws -> NestedCalls {
    try measure(trial, hold: trial[hold], patience: patience, watching(method))
  }

  /// Runs a method whose group does not wait for nested work, with that work held until the group has ended.
  @discardableResult
  func measureEarly(
    _ trial: Trial, patience: Duration = .seconds(10), _ method: @escaping @Sendable (NestedWork) -> DispatchGroup
  ) throws -> NestedCalls {
    try measure(trial, hold: patience, patience: patience, watching(method))
  }

  /// Runs a method without a dispatch group, which itself reports the end of its work.
  func measureTask(_ trial: Trial, _ method: @escaping @Sendable (NestedWork) -> Void) throws {
    try measure(trial, hold: trial[hold], patience: .seconds(10), method)
  }

  /// Calls a method on the main queue that is not meant to return.
  func hang(_ trial: Trial, _ method: @escaping @Sendable (NestedWork) -> Void) throws {
    try SystemThread.requireRoom(for: 4)
    let work = NestedWork(count: trial[tasks], steps: 0, mainQueue: mainQueue, held: nil)
    trial.hazard()
    work.call { work in
      method(work)
      work.groupHasEnded()
    }
    work.waitForEnd()
  }

  /// The method, whose group is asked for its end where no other block can be in the way.
  private func watching(
    _ method: @escaping @Sendable (NestedWork) -> DispatchGroup
  ) -> @Sendable (NestedWork) -> Void {
    { work in
      let group = method(work)
      group.notify(queue: work.ownQueue) { work.groupHasEnded() }
    }
  }

  @discardableResult
  private func measure(
    _ trial: Trial, hold: Duration, patience: Duration, _ method: @escaping @Sendable (NestedWork) -> Void
  ) throws -> NestedCalls {
    let (tasks, steps, repeats) = (trial[tasks], trial.steps(work), trial[repeats])
    // Where the pool cannot have its threads, Dispatch waits for them for ever.
    try SystemThread.requireRoom(for: 4)
    mainQueue.setSpecific(key: NestedWork.isMainQueue, value: true)
    var calls: [NestedWork] = []
    var kept = 0
    for _ in 0..<trial[heldCalls] {
      let work = NestedWork(count: tasks, steps: steps, mainQueue: mainQueue, held: HeldBack(hold))
      if !work.callHeld(patience: patience, method) { kept += 1 }
      calls.append(work)
    }
    // The held ones have warmed up.
    for _ in 0..<repeats {
      let work = NestedWork(count: tasks, steps: steps, mainQueue: mainQueue, held: nil)
      work.call(method)
      work.waitForEnd()
      calls.append(work)
      if let time = work.completedAfter { trial.record(total, time) }
    }
    // A completion that runs twice was submitted by now, and has run after this.
    mainQueue.sync {}
    trial.record(self.blockedCallers, kept)
    trial.record(missingAtGroupEnd, calls.reduce(0) { $0 + $1.early })
    trial.record(missing, calls.reduce(0) { $0 + $1.missing })
    trial.record(notOnce, calls.count { $0.completions != 1 })
    return NestedCalls(calls: calls)
  }
}

/// The calls of a trial.
struct NestedCalls {
  fileprivate let calls: [NestedWork]

  /// Records how many results were set on another queue than the main queue.
  func recordWrongQueue(_ trial: Trial, _ wrongQueue: Measure<Int>) {
    trial.record(wrongQueue, calls.reduce(0) { $0 + $1.setElsewhere })
  }
}

/// What holds the blocks of a call back.
struct HeldBack {
  /// Before the blocks of the group.
  let first = Gate()
  /// Before what they add, where that goes to the other queue.
  let added = Gate()
  /// Before the main queue, and what is added in a task: open when the group has ended.
  let end: BoundedGate
  /// Before the other queue: open when the completion has run.
  let completion: BoundedGate

  /// What is added is held back for so long once nothing else is left to do.
  init(_ time: Duration) {
    end = BoundedGate(bound: time)
    completion = BoundedGate(bound: time)
  }

  /// Nothing else is left to do.
  func restHasFinished() {
    end.restHasFinished()
    completion.restHasFinished()
  }
}

/// One call of the document's method: its results, which are `foo` and `bar` there, and the completion that looks at
/// them.
final class NestedWork: Sendable {
  /// Known on the main queue alone: whatever runs there finds it.
  static let isMainQueue = DispatchSpecificKey<Bool>()

  /// The main queue.
  let mainQueue: DispatchQueue
  /// A global queue, or one that is held in its place.
  let queue: DispatchQueue
  /// Another queue of that kind, for the nested work.
  let otherQueue: DispatchQueue
  /// Where nothing else is.
  let ownQueue = DispatchQueue(label: "end")

  private let steps: Int
  private let held: HeldBack?
  /// 0 where there is none yet.
  private let values: Slots<Atomic<Int>>
  private let unmade: Atomic<Int>
  private let unset: Atomic<Int>
  private let elsewhere = Atomic<Int>(0)
  private let missedAtEnd = Atomic<Int>(0)
  private let missed = Atomic<Int>(0)
  private let ran = Atomic<Int>(0)
  /// Whether everything was set, the end told and the completion run: one signal each.
  private let done = DispatchSemaphore(value: 0)
  private let called = Moment()
  private let completed = Moment()

  init(count: Int, steps: Int, mainQueue: DispatchQueue, held: HeldBack?) {
    self.steps = steps
    self.mainQueue = mainQueue
    self.held = held
    queue = held?.first.queue ?? .global()
    otherQueue = held?.added.queue ?? .global()
    values = Slots(count: count) { _ in Atomic(0) }
    unmade = Atomic(count)
    unset = Atomic(count)
  }

  // MARK: What a method uses

  /// The results that the nested work is to set.
  var results: some RandomAccessCollection<Result> { (0..<values.count).lazy.map { Result(work: self, index: $0) } }

  /// One result: the document's `foo`, or `bar`.
  struct Result: Sendable {
    fileprivate let work: NestedWork
    fileprivate let index: Int

    /// Works for a while: the document's `doSomeFoo`.
    func doSomething() { work.make() }

    /// The same in a task.
    func doSomething() async {
      await work.held?.first.passed()
      work.make()
    }

    /// Sets the result: the document's `self.foo = 42`.
    func set() { work.set(index) }

    /// The same in a task.
    func set() async {
      await work.held?.end.passed()
      work.set(index)
    }
  }

  /// The document's completion block, which logs all results.
  func completionBlock() {
    completed.set()
    missed.add(missingNow, ordering: .relaxed)
    held?.completion.open()
    if ran.add(1, ordering: .relaxed).newValue == 1 { done.signal() }
  }

  /// Notes that everything in the task group has ended.
  func groupHasEnded() {
    missedAtEnd.add(missingNow, ordering: .relaxed)
    held?.end.open()
    done.signal()
  }

  private func make() {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    if unmade.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { held?.restHasFinished() }
  }

  private func set(_ index: Int) {
    if DispatchQueue.getSpecific(key: Self.isMainQueue) != true { elsewhere.add(1, ordering: .relaxed) }
    values[index].store(42, ordering: .relaxed)
    if unset.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  private var missingNow: Int { (0..<values.count).count { values[$0].load(ordering: .relaxed) == 0 } }

  // MARK: Running it

  /// Calls the method on the main queue.
  func call(_ method: @escaping @Sendable (NestedWork) -> Void) {
    mainQueue.async {
      self.called.set()
      method(self)
    }
  }

  /// The same with all that it submits held back, then with all that is added, and waits for the end.
  ///
  /// - Returns: whether the call returned while everything was held back; `patience` is how long it is given.
  func callHeld(patience: Duration, _ method: @escaping @Sendable (NestedWork) -> Void) -> Bool {
    guard let held else { return true }
    let returned = DispatchSemaphore(value: 0)
    mainQueue.async {
      self.called.set()
      method(self)
      returned.signal()
      // The main queue has other things to do.
      held.end.pass()
    }
    let hasReturned = returned.wait(within: patience)
    held.first.open()
    held.completion.pass()
    held.added.open()
    waitForEnd()
    return hasReturned
  }

  /// Waits until all results are set, the group has said that all has ended, and the completion has run.
  func waitForEnd() { for _ in 0..<3 { done.wait() } }

  // MARK: What came of it

  /// How many results were not there when the group said that all had ended.
  var early: Int { missedAtEnd.load(ordering: .acquiring) }
  /// How many were not there when the completion ran.
  var missing: Int { missed.load(ordering: .acquiring) }
  /// How often it ran.
  var completions: Int { ran.load(ordering: .acquiring) }
  /// How many results were set on another queue than the main queue.
  var setElsewhere: Int { elsewhere.load(ordering: .acquiring) }
  /// Nanoseconds from the call to the completion.
  var completedAfter: UInt64? { completed.since(called) }
}
