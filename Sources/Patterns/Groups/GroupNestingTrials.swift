import Dispatch
import Instruments
import Synchronization

/// A held call has two phases. In the first phase all blocks of the method are delayed, and the call must return. In
/// the second phase the blocks run, and the nested work that the blocks add is delayed. Nested work on the main queue
/// or in a task is delayed until the group has ended. Nested work on another queue is delayed until the completion has
/// run. Both delays also end at a timeout, which starts when no other work is left. Whether results are missing when
/// the group notifies therefore does not depend on speed.
///
/// The completion runs on the main queue. The order of the main queue may hide a group that has ended too early, so the
/// group also notifies a queue without other blocks.
extension GroupNesting {
  /// Returns an upper bound for the duration of a trial: the time that the blocks of all calls need if they run one
  /// after the other, the delays of the held calls, and ten seconds.
  func longest(_ trial: Trial) -> Duration? {
    trial[work] * trial[tasks] * (trial[heldCalls] + trial[repeats] + 1) + trial[hold] * trial[heldCalls]
      + .seconds(10)
  }

  /// A method that submits blocks to a group and returns the group. The blocks add nested work.
  typealias Method = @Sendable (NestedWork) -> DispatchGroup

  /// The settings of every trial that is expected to complete.
  private var settings: [any Declaration] { [tasks, work, heldCalls, repeats] }
  /// The metrics of every trial that is expected to complete.
  private var results: [any Declaration] { [missingAtGroupEnd, missing, notOnce, blockedCallers, total] }

  /// Returns a probe that runs a method whose group should wait for nested work, and delays the nested work for a
  /// limited time. The probe counts the results that are missing when the group ends and when the completion runs.
  ///
  /// - Parameters:
  ///   - addsOnMain: whether the method adds its nested work on the main queue. If true, the probe counts the results
  ///     that are set on a queue other than the main queue.
  ///   - patience: the maximum time to wait for the call to return.
  func measure(addsOnMain: Bool = false, patience: Duration = .seconds(10)) -> Probe<Method> {
    Probe(reads: settings + [hold], records: results + (addsOnMain ? [wrongQueue] : [])) { trial, method in
      try call(trial, hold: trial[hold], patience: patience, addsOnMain: addsOnMain, watching(method))
    }
  }

  /// Returns a probe that runs a method whose group does not wait for nested work, and delays the nested work until the
  /// group has ended.
  ///
  /// - Parameters:
  ///   - addsOnMain: whether the method adds its nested work on the main queue. If true, the probe counts the results
  ///     that are set on a queue other than the main queue.
  ///   - patience: the maximum time to delay the nested work, and to wait for the call to return.
  func measureEarly(addsOnMain: Bool = false, patience: Duration = .seconds(10)) -> Probe<Method> {
    Probe(reads: settings, records: results + (addsOnMain ? [wrongQueue] : [])) { trial, method in
      try call(trial, hold: patience, patience: patience, addsOnMain: addsOnMain, watching(method))
    }
  }

  /// A probe that runs a method without a dispatch group. The method itself reports the end of its task group.
  var measureTask: Probe<@Sendable (NestedWork) -> Void> {
    Probe(reads: settings + [hold], records: results) { trial, method in
      try call(trial, hold: trial[hold], patience: .seconds(10), addsOnMain: false, method)
    }
  }

  /// A probe that calls a method on the main queue. The method is expected not to return.
  var hang: Probe<@Sendable (NestedWork) -> Void> {
    Probe(reads: [tasks]) { trial, method in
      try SystemThread.requireCapacity(for: 4)
      let work = NestedWork(count: trial[tasks], steps: 0, mainQueue: mainQueue, held: nil)
      work.call { work in
        trial.hazard()
        method(work)
        work.groupHasEnded()
      }
      work.waitForEnd()
    }
  }

  /// Returns a closure that calls the method, and then registers a notify block of the method's group on a queue
  /// without other blocks.
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
    // If a completion was submitted twice, both runs have ended when this call returns.
    mainQueue.sync {}
    trial.record(self.blockedCallers, kept)
    trial.record(missingAtGroupEnd, calls.sum { $0.early.count })
    trial.record(missing, calls.sum { $0.missing.count })
    trial.record(notOnce, calls.count { $0.completions.count != 1 })
    if addsOnMain { trial.record(wrongQueue, calls.sum { $0.setElsewhere.count }) }
  }
}

/// The gates that delay the blocks of a call.
struct BlockGates {
  /// The gate for the blocks of the group.
  let first = Gate()
  /// The gate for nested work on a queue other than the main queue.
  let added = Gate()
  /// The gate for nested work on the main queue or in a task. The gate opens when the group has ended, or at a timeout.
  let end: TimedGate
  /// The gate that determines when ``added`` opens: when the completion has run, or at a timeout.
  let completion: TimedGate

  /// Creates gates that delay the nested work for at most `time` after all other work has finished.
  init(_ time: Duration) {
    end = TimedGate(limit: time)
    completion = TimedGate(limit: time)
  }

  /// Starts the timeouts of ``end`` and ``completion``. Call this method when all other work has finished.
  func startTimeLimit() {
    end.startTimeLimit()
    completion.startTimeLimit()
  }
}

/// A call of the method of the document "dispatch_group", with the results (`foo` and `bar` in the document) and the
/// completion that reads them.
final class NestedWork: Sendable {
  /// The key of a queue-specific value that is set only on the main queue.
  static let isMainQueue = DispatchSpecificKey<Bool>()

  /// The main queue, or its replacement in a test.
  let mainQueue: DispatchQueue
  /// The queue of the group's blocks: a global queue, or an inactive queue if the trial delays the blocks.
  let queue: DispatchQueue
  /// The queue of nested work that does not run on the main queue: a global queue, or an inactive queue if the trial
  /// delays the work.
  let otherQueue: DispatchQueue
  /// The queue of the group's notify block. The queue runs no other blocks.
  let ownQueue = DispatchQueue(label: "end")

  private let steps: Int
  private let held: BlockGates?
  /// The results; 0 for a result that is not set yet.
  private let values: Slots<Atomic<Int>>
  private let uncomputed: Atomic<Int>
  private let unset: Atomic<Int>
  /// A semaphore that is signaled three times: when all results are set, when the group has notified, and when the
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
    uncomputed = Atomic(count)
    unset = Atomic(count)
  }

  // MARK: For the method

  /// The results that the nested work must set.
  var results: some RandomAccessCollection<Result> { (0..<values.count).lazy.map { Result(work: self, index: $0) } }

  /// A result of nested work: `foo` or `bar` in the document "dispatch_group".
  struct Result: Sendable {
    fileprivate let work: NestedWork
    fileprivate let index: Int

    /// Runs calibrated work. The method stands for the lengthy method in the document "dispatch_group".
    func doSomething() { work.make() }

    /// Runs calibrated work in a task. In a held call, first waits until the gate for the blocks of the group opens.
    func doSomething() async {
      await work.held?.first.wait()
      work.make()
    }

    /// Sets the result, as the inner block in the document "dispatch_group" does.
    func set() { work.set(index) }

    /// Sets the result in a task. In a held call, first waits until the gate for nested work opens.
    func set() async {
      await work.held?.end.wait()
      work.set(index)
    }
  }

  /// Records the time and the number of missing results. This method stands for the notify block in the document
  /// "dispatch_group", which reads all results.
  func completionBlock() {
    completed.set()
    missing.add(missingNow)
    held?.completion.open()
    if completions.add() == 1 { done.signal() }
  }

  /// Records the number of results that are missing when the group notifies.
  func groupHasEnded() {
    early.add(missingNow)
    held?.end.open()
    done.signal()
  }

  private func make() {
    CalibratedWork.run(steps: steps)
    if uncomputed.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { held?.startTimeLimit() }
  }

  private func set(_ index: Int) {
    if DispatchQueue.getSpecific(key: Self.isMainQueue) != true { setElsewhere.add() }
    values[index].store(42, ordering: .relaxed)
    if unset.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  private var missingNow: Int { (0..<values.count).count { values[$0].load(ordering: .relaxed) == 0 } }

  // MARK: Running

  /// Calls `method` asynchronously on the main queue.
  func call(_ method: @escaping @Sendable (NestedWork) -> Void) {
    mainQueue.async {
      self.called.set()
      method(self)
    }
  }

  /// Calls `method` on the main queue, and waits until all work of the call has ended. Delays first the blocks that the
  /// method submits, and then the nested work that these blocks add.
  ///
  /// - Returns: true if the call returned within `patience`, while all blocks were delayed; otherwise false. If the
  ///   call has no gates, returns true without calling `method`.
  func callHeld(patience: Duration, _ method: @escaping @Sendable (NestedWork) -> Void) -> Bool {
    guard let held else { return true }
    let returned = DispatchSemaphore(value: 0)
    mainQueue.async {
      self.called.set()
      method(self)
      returned.signal()
      // The main queue stays busy, so nested work on the main queue is delayed.
      held.end.wait()
    }
    let hasReturned = returned.wait(within: patience)
    held.first.open()
    held.completion.wait()
    held.added.open()
    waitForEnd()
    return hasReturned
  }

  /// Waits until all results are set, the group has notified, and the completion has run.
  func waitForEnd() { for _ in 0..<3 { done.wait() } }

  // MARK: Results

  /// The number of results that were missing when the group notified.
  let early = Tally()
  /// The number of results that were missing when the completion ran.
  let missing = Tally()
  /// The number of times that the completion ran.
  let completions = Tally()
  /// The number of results that were set on a queue other than the main queue.
  let setElsewhere = Tally()
  /// The nanoseconds from the call to the completion; nil if either event did not occur.
  var completedAfter: UInt64? { completed.since(called) }
}
