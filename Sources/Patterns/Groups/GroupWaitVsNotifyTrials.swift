import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// Each repetition calls the method once. The next repetition starts when the completion block has run and the method
/// no longer occupies a thread. Each measured wake-up therefore wakes a thread that slept during the downloads,
/// although the repetitions run without a pause.
extension GroupWaitVsNotify {
  /// A function that downloads the photos. If the function has a completion block, the function also submits the
  /// completion block.
  typealias Method = @Sendable (_ download: GroupDownload) throws -> Void

  /// Returns an upper bound for the duration of a trial: the time that the downloads and the other work of all calls
  /// need if they run one after the other.
  func longest(_ trial: Trial) -> Duration? { trial[work] * (trial[tasks] + 1) * (trial[repeats] + 1) }

  /// The settings that every trial with a completion block reads.
  private var settings: [any Declaration] { [tasks, work, lastLeaveOn, repeats] }
  /// The metrics that every trial records.
  private var figures: [any Declaration] {
    [call, wakeLatency, completionLatency, total, blockedThreads, missing]
  }
  /// The metrics of a method that occupies a thread and submits a completion block.
  private var figuresOfThread: [any Declaration] { figures + [threadHeld, notOnce, wrongQueue] }

  /// A probe that repeatedly calls a method whose completion block runs on the main queue, and times each step.
  var measure: Probe<Method> {
    Probe(reads: settings, records: figuresOfThread) { trial, method in _ = try measureCompletion(trial, method) }
  }

  /// A probe that repeatedly calls the variant's body, which starts a task. The completion block runs on the main
  /// queue, and the task suspends instead of occupying a thread.
  var measureTask: Probe<Method> {
    Probe(reads: settings, records: figures + [notOnce, wrongQueue]) { trial, method in
      _ = try measureCompletion(trial, holdsThread: false, method)
    }
  }

  /// A probe that calls a method whose wait times out, because the downloads end only after the timeout.
  var measureWaitThatExpires: Probe<Method> {
    Probe(
      reads: settings + [timeout], records: figuresOfThread + [timeouts, falseSuccesses, earlyTimeouts],
      longest: { trial in (trial[work] * (trial[tasks] + 1) + trial[timeout]) * (trial[repeats] + 1) }
    ) { trial, method in
      let downloads = try measureCompletion(trial, timeout: trial[timeout], holdsBack: true, method)
      trial.record(timeouts, downloads.count { $0.hasTimedOut.isSet })
      trial.record(falseSuccesses, downloads.count { !$0.hasTimedOut.isSet })
      trial.record(earlyTimeouts, downloads.count { $0.wasBeforeTime.isSet })
    }
  }

  /// Returns a probe that calls a method whose timeout is longer than the downloads take. The method's wait therefore
  /// succeeds, unless `holdsBack` is true.
  ///
  /// - Parameter holdsBack: whether the downloads are delayed until the wait has ended. If true, the wait times out.
  func measureWaitWithEnoughTime(holdsBack: Bool = false) -> Probe<Method> {
    Probe(reads: settings + [enoughTime], records: figuresOfThread + [timeouts]) { trial, method in
      let downloads = try measureCompletion(trial, timeout: trial[enoughTime], holdsBack: holdsBack, method)
      trial.record(timeouts, downloads.count { $0.hasTimedOut.isSet })
    }
  }

  /// A probe that calls a method whose group notifies a background queue. The notify block submits the completion block
  /// to the main queue.
  var measureByBackground: Probe<Method> {
    Probe(reads: settings, records: figuresOfThread + [wrongNotifyQueue]) { trial, method in
      let downloads = try measureCompletion(trial, method)
      trial.record(wrongNotifyQueue, downloads.count { !$0.wasNoticedInBackground.isSet })
    }
  }

  /// A probe that repeatedly calls a method without a completion block. The return of the method counts as its
  /// completion.
  var measureInCaller: Probe<Method> {
    Probe(reads: [tasks, work, repeats], records: figures + [threadHeld]) { trial, method in
      _ = try measureCalls(trial, completesInCaller: true, leaver: nil, method)
    }
  }

  /// Measures a method whose completion block runs on the main queue, and returns its calls, without the warm-up.
  ///
  /// - Parameters:
  ///   - timeout: the timeout of a method that waits for a limited time.
  ///   - holdsBack: whether the downloads are delayed until the wait has ended.
  ///   - holdsThread: whether the method occupies a thread. If true, the time on the thread is recorded.
  private func measureCompletion(
    _ trial: Trial, timeout: Duration = .zero, holdsBack: Bool = false, holdsThread: Bool = true,
    _ method: @escaping Method
  ) throws -> [GroupDownload] {
    let leaver = trial[lastLeaveOn] == .thread ? try WorkerThread() : nil
    defer { leaver?.stop() }
    mainQueue.setSpecific(key: GroupDownload.isMainQueue, value: true)
    let downloads = try measureCalls(
      trial, timeout: timeout, holdsBack: holdsBack, holdsThread: holdsThread, leaver: leaver, method)
    // If a completion block was submitted twice, both runs have ended when this call returns.
    mainQueue.sync {}
    trial.record(notOnce, downloads.count { $0.completions.count != 1 })
    trial.record(wrongQueue, downloads.sum { $0.elsewhere })
    return downloads
  }

  /// Calls `method` once while a gate delays the downloads, and then as often as the setting `repeats` requires.
  /// Returns the later calls. The first call is the warm-up, during which the parked threads are counted.
  private func measureCalls(
    _ trial: Trial, timeout: Duration = .zero, holdsBack: Bool = false, holdsThread: Bool = true,
    completesInCaller: Bool = false, leaver: WorkerThread?, _ method: @escaping Method
  ) throws -> [GroupDownload] {
    let (tasks, steps) = (trial[tasks], trial.steps(work))
    func download(_ timeout: Duration, isGated: Bool) -> GroupDownload {
      GroupDownload(
        tasks: tasks, steps: steps, timeout: timeout, mainQueue: mainQueue, gate: isGated ? Gate() : nil,
        leaver: leaver, completesInCaller: completesInCaller)
    }
    // No wait may time out while threads are being counted.
    let first = download(.seconds(3600), isGated: true)
    let caller = try SystemThread { first.call(method) }
    if let count = first.parkedThreads() { trial.record(blockedThreads, count) }
    first.openGate()
    caller.join()
    try first.waitForEnd()

    let downloads = (0..<trial[repeats]).map { _ in download(timeout, isGated: holdsBack) }
    for download in downloads {
      download.call(method)
      try download.waitForEnd()
    }
    func record(_ measure: MetricKey<Duration>, _ duration: (GroupDownload) -> UInt64?) {
      trial.record(measure, downloads.map(duration))
    }
    record(call) { $0.callTook }
    if holdsThread { record(threadHeld) { $0.heldFor } }
    record(wakeLatency) { $0.noticedAfter }
    record(completionLatency) { $0.wokeAfter }
    record(total) { $0.completedAfter }
    trial.record(missing, downloads.sum { $0.missing.count })
    return downloads
  }
}

/// A call of a method that downloads photos, with the photos to download, the completion block, and the recorded times.
final class GroupDownload: Sendable {
  /// The key of a queue-specific value that is set only on the main queue.
  static let isMainQueue = DispatchSpecificKey<Bool>()

  /// The global queue of the background QoS class, as a pointer for the C functions.
  private static var backgroundQueue: UnsafeMutableRawPointer? {
    gcdlab_dispatch_get_global_queue(QueuePriority.QoSClass.background.identifier, 0)
  }

  /// The queue on which the completion block must run.
  let mainQueue: DispatchQueue
  /// The queue of the downloads: a global queue, or the inactive queue of a gate.
  let queue: DispatchQueue
  /// The timeout of a method that waits for a limited time.
  let timeout: DispatchTimeInterval

  private let steps: Int
  private let gate: Gate?
  private let leaver: WorkerThread?
  private let completesInCaller: Bool
  /// The results of the downloads; 0 for a missing result. The atomic accesses are relaxed, so only the synchronization
  /// of the method orders them.
  private let results: Slots<Atomic<UInt64>>
  private let unstarted: Atomic<Int>
  private let unfinished: Atomic<Int>
  private let end = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  private let called = Moment()
  private let returned = Moment()
  private let entered = Moment()
  private let left = Moment()
  private let lastLeave = Moment()
  private let notice = Moment()
  private let completed = Moment()
  private let otherWorkTime = Atomic<UInt64>(0)

  private let callerThread = Atomic<Int>(0)
  private let ranOnMainQueue = Tally()

  init(
    tasks: Int, steps: Int, timeout: Duration, mainQueue: DispatchQueue, gate: Gate?, leaver: WorkerThread?,
    completesInCaller: Bool
  ) {
    self.steps = steps
    self.timeout = DispatchTimeInterval(timeout)
    self.mainQueue = mainQueue
    self.gate = gate
    self.leaver = leaver
    self.completesInCaller = completesInCaller
    queue = gate?.queue ?? .global()
    results = Slots(count: tasks) { _ in Atomic(0) }
    unstarted = Atomic(tasks)
    unfinished = Atomic(tasks)
  }

  // MARK: For the method

  /// The photos to download.
  var photos: some RandomAccessCollection<Photo> { (0..<results.count).lazy.map { Photo(download: self, index: $0) } }

  /// A photo, which can be loaded with a callback, on the calling thread, or in a task.
  struct Photo: Sendable {
    fileprivate let download: GroupDownload
    fileprivate let index: Int

    /// Starts loading the photo on another queue, and returns immediately. Calls `completion` when the photo is loaded.
    func load(completion: @escaping @Sendable () -> Void) {
      download.starts()
      download.queue.async { download.load(index, leave: completion) }
    }

    /// Loads the photo on the calling thread, and returns when the photo is loaded.
    func load() {
      download.gate?.queue.sync {}
      download.load(index)
    }

    /// Loads the photo, and suspends the calling task until the photo is loaded.
    func load() async {
      download.starts()
      await download.gate?.wait()
      await withCheckedContinuation { task in download.load(index) { task.resume() } }
    }
  }

  /// Records the time and the number of missing results. This method stands for the completion block in "GCD in depth",
  /// which must run after all photos are loaded.
  func completionBlock() {
    completed.set()
    if !notice.isSet { notice.copy(completed) }
    completions.add()
    if DispatchQueue.getSpecific(key: Self.isMainQueue) == true { ranOnMainQueue.add() }
    missing.add(missingResults)
    end.signal()
  }

  /// Runs the caller's other work during the downloads. The other work takes as many steps as one download.
  func otherWork() {
    // The measured method submits all downloads before it calls `otherWork`.
    unstarted.store(0, ordering: .releasing)
    let time = MonotonicClock.time { CalibratedWork.run(steps: steps) }
    otherWorkTime.store(time, ordering: .releasing)
  }

  // MARK: Reports of the method

  /// Runs `method`, and records how long `method` occupies a thread other than the caller's.
  func held(_ method: () -> Void) {
    entered.set()
    method()
    left.set()
    end.signal()
  }

  /// Records the time at which the method detects the end of all downloads, and the number of results that are missing
  /// at that time.
  func noticed() {
    notice.set()
    missing.add(missingResults)
  }

  /// Records the time at which the notify block begins after all downloads have ended, and the number of results that
  /// are missing at that time. Also records whether the block runs on the background queue.
  ///
  /// To identify the queue, this method compares the current queue with the background queue. A queue-specific value
  /// would change a global queue for the whole process.
  func noticedInBackground() {
    noticed()
    let queue = gcdlab_dispatch_get_current_queue()
    if queue == Self.backgroundQueue { wasNoticedInBackground.set() }
  }

  /// Calls `wait`, and records whether the wait succeeded, timed out, or timed out too early. Then starts the delayed
  /// downloads. Returns the result of `wait`.
  func timed(_ wait: () -> DispatchTimeoutResult) -> DispatchTimeoutResult {
    let earliest = DispatchTime.now() + timeout
    let result = wait()
    switch result {
    case .success: noticed()
    case .timedOut:
      hasTimedOut.set()
      if DispatchTime.now() < earliest { wasBeforeTime.set() }
    }
    openGate()
    return result
  }

  // MARK: Downloads

  /// Records that a download starts, if a gate delays the downloads. Parked threads are counted once all downloads have
  /// started.
  private func starts() { if gate != nil { unstarted.subtract(1, ordering: .acquiringAndReleasing) } }

  /// Runs the work of a download and stores its result. Returns whether this download is the last download to finish.
  private func produce(_ index: Int) -> Bool {
    let result = CalibratedWork.spin(steps: steps, from: UInt64(index) + 1) | 1
    results[index].store(result, ordering: .relaxed)
    return unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  private func load(_ index: Int) { if produce(index) { lastLeave.set() } }

  /// Runs a download, and then calls `leave`. The last download calls `leave` on the kind of thread that the trial
  /// requests.
  private func load(_ index: Int, leave: @escaping @Sendable () -> Void) {
    guard produce(index) else { return leave() }
    guard let leaver else {
      lastLeave.set()
      return leave()
    }
    leaver.run {
      self.lastLeave.set()
      leave()
    }
  }

  private var missingResults: Int { (0..<results.count).count { results[$0].load(ordering: .relaxed) == 0 } }

  // MARK: Running

  /// Calls `method`, and records how long the call blocks its caller. An error of the method is kept for
  /// ``waitForEnd()``.
  func call(_ method: GroupWaitVsNotify.Method) {
    callerThread.store(ThreadCensus.currentThread, ordering: .releasing)
    called.set()
    do { try method(self) } catch { failure.withLock { $0 = error } }
    returned.set()
    if completesInCaller { completionBlock() }
  }

  /// Starts downloads that are delayed.
  func openGate() { gate?.open() }

  /// Waits until the completion block has run and the method no longer occupies a thread. Call this method after
  /// ``call(_:)`` has returned.
  ///
  /// - Throws: the error that the method threw.
  func waitForEnd() throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
    end.wait()
    // A method that runs on another queue sets `entered` before the completion block can run.
    if entered.isSet { end.wait() }
  }

  /// Returns the number of threads that sleep in a wait while the gate delays all downloads; nil if the system does not
  /// report what threads wait for, if the method has thrown an error, or if no two consecutive counts agree within two
  /// seconds.
  ///
  /// The count includes threads of the pool and, until the method has returned, the calling thread of the method.
  /// Threads are counted only if all threads of the pool sleep, and two counts must agree. A thread that waits briefly
  /// for a lock is therefore not counted.
  ///
  func parkedThreads() -> Int? {
    let patience = MonotonicClock.now() + 2_000_000_000
    var previous: [Int]?
    while MonotonicClock.now() < patience, failure.withLock({ $0 == nil }), let census = ThreadCensus.taken() {
      let parked = parkedThreads(at: census)
      if let parked, parked == previous { return parked.count }
      previous = parked
      yieldProcessor()
    }
    return nil
  }

  /// Returns the identifiers of the parked threads; nil if a thread of the pool is running, if a download has not
  /// started, or if the caller neither waits nor has returned.
  private func parkedThreads(at census: ThreadCensus) -> [Int]? {
    // A new pool thread is recognized only once it runs. Once all downloads have started, all threads of the method
    // have run.
    let isAtRest = census.threads.allSatisfy { !$0.isPoolThread || $0.sleep != nil }
    guard isAtRest, unstarted.load(ordering: .acquiring) <= 0 else { return nil }
    if returned.isSet { return census.parkedPoolThreads }
    let caller = callerThread.load(ordering: .acquiring)
    guard census.threads.contains(where: { $0.id == caller && $0.sleep == .wait }) else { return nil }
    return census.parkedPoolThreads + [caller]
  }

  // MARK: Results

  /// The nanoseconds for which the call blocked its caller, without the other work; nil if the call has not returned.
  var callTook: UInt64? {
    returned.since(called).map { $0 - min($0, otherWorkTime.load(ordering: .acquiring)) }
  }
  /// The nanoseconds for which the method occupied its thread; nil if the method has not ended. The thread is the
  /// caller's, unless the method was moved to another thread.
  var heldFor: UInt64? { entered.isSet ? left.since(entered) : callTook }
  /// The nanoseconds from the last leave to the first code that detected the end of the downloads; nil if either event
  /// did not occur.
  var noticedAfter: UInt64? { notice.since(lastLeave) }
  /// The nanoseconds from the last leave to the completion block; nil if either event did not occur.
  var wokeAfter: UInt64? { completed.since(lastLeave) }
  /// The nanoseconds from the call to the completion block; nil if either event did not occur.
  var completedAfter: UInt64? { completed.since(called) }

  /// The number of results that were missing when the method under test detected the end of the downloads, plus the
  /// number of results that were missing when the completion block ran.
  let missing = Tally()
  /// The number of times that the completion block ran.
  let completions = Tally()
  /// The number of times that the completion block ran on a queue other than the main queue.
  var elsewhere: Int { completions.count - ranOnMainQueue.count }
  /// Whether the notify block ran on the background queue.
  let wasNoticedInBackground = AtomicFlag()
  /// Whether a wait reported that it timed out.
  let hasTimedOut = AtomicFlag()
  /// Whether a wait reported a timeout before the timeout had passed.
  let wasBeforeTime = AtomicFlag()
}
