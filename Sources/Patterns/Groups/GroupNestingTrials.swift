import Dispatch
import Instruments
import Synchronization

/// The measuring code.
///
/// A held call has three parts. First all blocks of the method are held back, and the call must return. Then the blocks
/// run, but not the work that they add. That work is held back on the main queue until the group reports its end, on
/// the other queue until the completion has run, or on both until nothing else is left to do and the time is up.
/// Whether results are missing when the group reports its end therefore does not depend on speed.
///
/// The completion runs on the main queue, whose order may hide that the group has ended too early. The trial therefore
/// also has the group notify a queue that has no other blocks.
extension GroupNesting {
  /// Returns the longest time of a trial: all blocks one after the other, in each call.
  func longest(_ trial: Trial) -> Duration? {
    trial[work] * trial[tasks] * (trial[heldCalls] + trial[repeats] + 1) + .seconds(10)
  }

  /// A method that adds work to the blocks of a group.
  typealias Method = @Sendable (NestedWork) -> DispatchGroup

  /// The settings of every trial that completes.
  private var settings: [any Declaration] { [tasks, work, heldCalls, repeats] }
  /// The metrics of every trial that completes.
  private var results: [any Declaration] { [missingAtGroupEnd, missing, notOnce, blockedCallers, total] }

  /// Runs a method whose group should wait for nested work, holds the nested work back for a limited time, and counts
  /// the results that are missing when the group ends and when the completion runs.
  ///
  /// - Parameter addsOnMain: whether the method adds its work on the main queue, which is then verified.
  func measure(addsOnMain: Bool = false, patience: Duration = .seconds(10)) -> Probe<Method> {
    Probe(reads: settings + [hold], records: results + (addsOnMain ? [wrongQueue] : [])) { trial, method in
      try call(trial, hold: trial[hold], patience: patience, addsOnMain: addsOnMain, watching(method))
    }
  }

  /// Runs a method whose group does not wait for nested work, and holds the nested work back until the group has ended.
  ///
  /// - Parameter addsOnMain: whether the method adds its work on the main queue, which is then verified.
  func measureEarly(addsOnMain: Bool = false, patience: Duration = .seconds(10)) -> Probe<Method> {
    Probe(reads: settings, records: results + (addsOnMain ? [wrongQueue] : [])) { trial, method in
      try call(trial, hold: patience, patience: patience, addsOnMain: addsOnMain, watching(method))
    }
  }

  /// Runs a method that has no dispatch group and reports the end of its work itself.
  var measureTask: Probe<@Sendable (NestedWork) -> Void> {
    Probe(reads: settings + [hold], records: results) { trial, method in
      try call(trial, hold: trial[hold], patience: .seconds(10), addsOnMain: false, method)
    }
  }

  /// Calls a method on the main queue that is expected not to return.
  var hang: Probe<@Sendable (NestedWork) -> Void> {
    Probe(reads: [tasks]) { trial, method in
      try SystemThread.requireCapacity(for: 4)
      let work = NestedWork(count: trial[tasks], steps: 0, mainQueue: mainQueue, held: nil)
      trial.hazard()
      work.call { work in
        method(work)
        work.groupHasEnded()
      }
      work.waitForEnd()
    }
  }

  /// Returns a closure that calls the method, and then has the method's group notify a queue without other blocks.
  private func watching(_ method: @escaping Method) -> @Sendable (NestedWork) -> Void {
    { work in
      let group = method(work)
      group.notify(queue: work.ownQueue) { work.groupHasEnded() }
    }
  }

  private func call(
    _ trial: Trial, hold: Duration, patience: Duration, addsOnMain: Bool,
    _ method: @escaping @Sendable (NestedWork) -> Void
  ) throws {
    let (tasks, steps, repeats) = (trial[tasks], trial.steps(work), trial[repeats])
    // If the pool cannot start its threads, Dispatch waits for them forever.
    try SystemThread.requireCapacity(for: 4)
    mainQueue.setSpecific(key: NestedWork.isMainQueue, value: true)
    var calls: [NestedWork] = []
    var kept = 0
    for _ in 0..<trial[heldCalls] {
      let work = NestedWork(count: tasks, steps: steps, mainQueue: mainQueue, held: BlockGates(hold))
      if !work.callHeld(patience: patience, method) { kept += 1 }
      calls.append(work)
    }
    // The held calls were the warm-up.
    for _ in 0..<repeats {
      let work = NestedWork(count: tasks, steps: steps, mainQueue: mainQueue, held: nil)
      work.call(method)
      work.waitForEnd()
      calls.append(work)
      if let time = work.completedAfter { trial.record(total, time) }
    }
    // A completion that runs twice has been submitted twice by now, and has run twice when this call returns.
    mainQueue.sync {}
    trial.record(self.blockedCallers, kept)
    trial.record(missingAtGroupEnd, calls.sum { $0.early.count })
    trial.record(missing, calls.sum { $0.missing.count })
    trial.record(notOnce, calls.count { $0.completions.count != 1 })
    if addsOnMain { trial.record(wrongQueue, calls.sum { $0.setElsewhere.count }) }
  }
}

/// The gates that hold back the blocks of a call.
struct BlockGates {
  /// The gate for the blocks of the group.
  let first = Gate()
  /// The gate for the work that the blocks add to the other queue.
  let added = Gate()
  /// The gate for the main queue, and for work that is added in a task. It opens when the group has ended.
  let end: BoundedGate
  /// The gate for the other queue. It opens when the completion has run.
  let completion: BoundedGate

  /// Creates gates that hold the added work for this time once nothing else is left to do.
  init(_ time: Duration) {
    end = BoundedGate(bound: time)
    completion = BoundedGate(bound: time)
  }

  /// Notes that nothing else is left to do.
  func restHasFinished() {
    end.restHasFinished()
    completion.restHasFinished()
  }
}

/// A call of the document's method: its results, which are `foo` and `bar` in the document, and the completion that
/// reads them.
final class NestedWork: Sendable {
  /// The key of a value that only the main queue has.
  static let isMainQueue = DispatchSpecificKey<Bool>()

  /// The main queue.
  let mainQueue: DispatchQueue
  /// A global queue, or a queue in its place that is held back.
  let queue: DispatchQueue
  /// The queue of the nested work: a global queue, or a queue in its place that is held back.
  let otherQueue: DispatchQueue
  /// A queue without any other blocks.
  let ownQueue = DispatchQueue(label: "end")

  private let steps: Int
  private let held: BlockGates?
  /// The results; 0 for a result that is not set yet.
  private let values: Slots<Atomic<Int>>
  private let unmade: Atomic<Int>
  private let unset: Atomic<Int>
  /// A semaphore that is signalled three times: when every result is set, when the end is reported, and when the
  /// completion has run.
  private let done = DispatchSemaphore(value: 0)
  private let called = Moment()
  private let completed = Moment()

  init(count: Int, steps: Int, mainQueue: DispatchQueue, held: BlockGates?) {
    self.steps = steps
    self.mainQueue = mainQueue
    self.held = held
    queue = held?.first.queue ?? .global()
    otherQueue = held?.added.queue ?? .global()
    values = Slots(count: count) { _ in Atomic(0) }
    unmade = Atomic(count)
    unset = Atomic(count)
  }

  // MARK: For the method

  /// The results that the nested work must set.
  var results: some RandomAccessCollection<Result> { (0..<values.count).lazy.map { Result(work: self, index: $0) } }

  /// A result: the document's `foo` or `bar`.
  struct Result: Sendable {
    fileprivate let work: NestedWork
    fileprivate let index: Int

    /// Works for a while, as the document's lengthy method does.
    func doSomething() { work.make() }

    /// Works for a while in a task.
    func doSomething() async {
      await work.held?.first.passed()
      work.make()
    }

    /// Sets the result, as the document's nested block does.
    func set() { work.set(index) }

    /// Sets the result in a task.
    func set() async {
      await work.held?.end.passed()
      work.set(index)
    }
  }

  /// The document's notify block, which prints all results.
  func completionBlock() {
    completed.set()
    missing.add(missingNow)
    held?.completion.open()
    if completions.add() == 1 { done.signal() }
  }

  /// Notes that the group has reported its end.
  func groupHasEnded() {
    early.add(missingNow)
    held?.end.open()
    done.signal()
  }

  private func make() {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    if unmade.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { held?.restHasFinished() }
  }

  private func set(_ index: Int) {
    if DispatchQueue.getSpecific(key: Self.isMainQueue) != true { setElsewhere.add() }
    values[index].store(42, ordering: .relaxed)
    if unset.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  private var missingNow: Int { (0..<values.count).count { values[$0].load(ordering: .relaxed) == 0 } }

  // MARK: Running

  /// Calls the method on the main queue.
  func call(_ method: @escaping @Sendable (NestedWork) -> Void) {
    mainQueue.async {
      self.called.set()
      method(self)
    }
  }

  /// Calls the method on the main queue, holds back first the blocks that the method submits and then the work that
  /// these blocks add, and waits for the end.
  ///
  /// - Returns: whether the call returned within `patience`, while everything was held back.
  func callHeld(patience: Duration, _ method: @escaping @Sendable (NestedWork) -> Void) -> Bool {
    guard let held else { return true }
    let returned = DispatchSemaphore(value: 0)
    mainQueue.async {
      self.called.set()
      method(self)
      returned.signal()
      // The main queue stays busy, which holds back the work that is added to it.
      held.end.pass()
    }
    let hasReturned = returned.wait(within: patience)
    held.first.open()
    held.completion.pass()
    held.added.open()
    waitForEnd()
    return hasReturned
  }

  /// Waits until all results are set, the group has reported its end, and the completion has run.
  func waitForEnd() { for _ in 0..<3 { done.wait() } }

  // MARK: Results

  /// The number of results that were missing when the group reported its end.
  let early = Tally()
  /// The number of results that were missing when the completion ran.
  let missing = Tally()
  /// The number of times that the completion ran.
  let completions = Tally()
  /// The number of results that were set on a queue other than the main queue.
  let setElsewhere = Tally()
  /// The nanoseconds from the call to the completion.
  var completedAfter: UInt64? { completed.since(called) }
}
