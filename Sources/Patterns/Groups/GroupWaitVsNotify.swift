import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// Two ways to learn that a group of tasks has finished, and what they replaced.
///
/// The document downloads three photos and calls a completion block on the main queue. Its first take blocks:
///
/// ```objc
/// dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_HIGH, 0), ^{
///   // enter the group and start each download, whose own completion leaves it
///   dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
///   dispatch_async(dispatch_get_main_queue(), ^{ completionBlock(error); });
/// });
/// ```
///
/// The whole method is moved to a background queue, where a pool thread then sleeps until the last download leaves. Its
/// second take, "clumsy" no more, subscribes: `dispatch_group_notify(group, dispatch_get_main_queue(), …)`. Another
/// document tells how it replaced semaphores, one wait a task, by that same call.
///
/// Here a download is a task that spins for `work` on a global queue. Each repeat is one call of the method, and the
/// next starts when the completion has run and the method has given its thread back. The repeats thus run back to back,
/// but every wake-up is of a thread that slept while the tasks worked: with `work` well above the idle governor's poll
/// window (some 200 us) the wake-ups are those of an idle system, well below it those of a busy one.
public struct GroupWaitVsNotify: Pattern {
  private enum Way: String {
    case wait
    case waitTimeout = "wait-timeout"
    case notify
    case semaphore
    case taskGroup = "task-group"
  }

  /// `group-wait-vs-notify`.
  public let name = "group-wait-vs-notify"

  /// Where completions run: the main queue, as in the document; a test gives its own.
  let completionQueue: DispatchQueue

  /// The pattern, its completions on the main queue.
  public init() { self.init(completionQueue: .main) }

  init(completionQueue: DispatchQueue) { self.completionQueue = completionQueue }

  /// `tasks`, `work`, `leaver`, `timeout`, `repeats`.
  public let parameters: [Parameter] = [
    .count("tasks", 1...1000, default: 3, "tasks in the group"),
    .duration("work", 0...100_000_000, default: 100_000, "how long each task spins"),
    .choice("leaver", ["pool", "thread"], "who leaves the group last: a pool thread, or one outside the pool"),
    .duration("timeout", 1000...1_000_000_000, default: 500_000, "how long wait-timeout waits"),
    .count("repeats", 1...100_000, default: 200, "calls of the method in a trial"),
  ]

  /// The two takes of the document, what they replaced and what stands beside them today.
  public let variants = [
    Variant("wait", .documented, ignores: ["timeout"], "the method runs on a pool thread, which waits for the group"),
    Variant(
      "wait-timeout", .documented, "the same, but the wait expires before the tasks end; notify sees to the rest"),
    Variant("notify", .documented, ignores: ["timeout"], "the method returns; the group submits the completion block"),
    Variant("semaphore", .documented, ignores: ["timeout"], "a pool thread waits for a semaphore once a task"),
    Variant("task-group", .modern, ignores: ["timeout"], "withTaskGroup in a task, which suspends"),
  ]

  /// How long who is held, how soon the completion runs, and whether it ran as promised.
  public let metrics = [
    Metric("held", .latency, .nanoseconds, "from entering the method until the thread that runs it is given back"),
    Metric("call", .latency, .nanoseconds, "how long the call of the method takes its caller"),
    Metric("notice", .latency, .nanoseconds, "from just before the last leave to the first code that knows of it"),
    Metric("wake", .latency, .nanoseconds, "from just before the last leave to the start of the completion"),
    Metric("total", .latency, .nanoseconds, "from the call of the method to the start of the completion"),
    Metric("parked", .count, .none, "pool threads that sleep for the pattern while no task has finished"),
    Metric("timeouts", .count, .none, "waits that reported that their time was up"),
    Metric("unreported", .count, .none, "waits that reported success while tasks were unfinished"),
    Metric("completions-off", .count, .none, "calls whose completion did not run exactly once"),
    Metric("early", .count, .none, "completions that ran before every task had finished"),
    Metric("late-tasks", .count, .none, "tasks that had not finished when the trial ended"),
  ]

  /// Calls the method `repeats` times.
  ///
  /// - Throws: ``SystemError`` when the system has no thread for the last leave.
  public func run(_ trial: Trial) throws -> Observation {
    guard let way = Way(rawValue: trial.variant) else { preconditionFailure("no variant '\(trial.variant)'") }
    return try measure(trial, gated: way == .waitTimeout) { download in
      switch way {
      case .wait: wait(download)
      case .waitTimeout: waitWithTimeout(download)
      case .notify: notify(download)
      case .semaphore: semaphore(download)
      case .taskGroup: taskGroup(download)
      }
    }
  }

  // MARK: The ways

  private func wait(_ download: Download) {
    DispatchQueue.global(qos: .userInitiated).async {
      download.enterMethod()
      let group = DispatchGroup()
      download.start(in: group)
      group.wait()
      download.noticed()
      download.completionQueue.async { download.complete() }
      download.leaveMethod()
    }
  }

  private func waitWithTimeout(_ download: Download) {
    DispatchQueue.global(qos: .userInitiated).async {
      download.enterMethod()
      let group = DispatchGroup()
      download.start(in: group)
      let result = group.wait(timeout: .now() + download.timeout)
      download.waited(result)
      group.notify(queue: download.completionQueue) { download.complete() }
      download.leaveMethod()
    }
  }

  private func notify(_ download: Download) {
    download.enterMethod()
    let group = DispatchGroup()
    download.start(in: group)
    group.notify(queue: download.completionQueue) { download.complete() }
    download.leaveMethod()
  }

  private func semaphore(_ download: Download) {
    DispatchQueue.global(qos: .userInitiated).async {
      download.enterMethod()
      let finished = DispatchSemaphore(value: 0)
      for _ in 0..<download.tasks { download.queue.async { download.runTask { finished.signal() } } }
      for _ in 0..<download.tasks { finished.wait() }
      download.noticed()
      download.completionQueue.async { download.complete() }
      download.leaveMethod()
    }
  }

  private func taskGroup(_ download: Download) {
    Task {
      download.enterMethod()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<download.tasks {
          group.addTask {
            await download.gate?.passed()
            await withCheckedContinuation { finished in download.runTask { finished.resume() } }
          }
        }
        // The next statement suspends the method, which gives its thread back.
        download.leaveMethod()
        await group.waitForAll()
      }
      download.noticed()
      download.completionQueue.async { download.complete() }
    }
  }

  // MARK: Measuring

  /// Calls `method` for one gated download, which warms up and is where sleeping threads are counted, then for
  /// `repeats` downloads that are timed; `gated` ones have tasks that cannot end before the method opens the gate.
  func measure(_ trial: Trial, gated: Bool = false, _ method: (Download) -> Void) throws -> Observation {
    let leaver = trial.choice("leaver") == "thread" ? try LastLeaver() : nil
    defer { leaver?.stop() }
    func download(timeout: Int, gated: Bool) -> Download {
      Download(
        tasks: trial.integer("tasks"), steps: trial.work.steps(nanoseconds: trial.integer("work")),
        timeout: .nanoseconds(timeout), completionQueue: completionQueue, gate: gated ? Gate() : nil, leaver: leaver)
    }
    // Nothing finishes before the gate opens, so a wait that must not expire in the meantime is given 10 s.
    let first = download(timeout: 10_000_000_000, gated: true)
    method(first)
    let parked = parkedThreads(first)
    first.gate?.open()
    first.waitForEnd()

    let downloads = (0..<trial.integer("repeats")).map { _ in
      download(timeout: trial.integer("timeout"), gated: gated)
    }
    for download in downloads {
      download.call(method)
      download.waitForEnd()
    }
    // A completion that runs twice was submitted by now, and has run after this.
    completionQueue.sync {}
    return observation(downloads, parked: parked, timed: gated)
  }

  private func observation(_ downloads: [Download], parked: Int?, timed: Bool) -> Observation {
    var observation = Observation()
    func record(_ metric: String, _ duration: (Download) -> UInt64) {
      var histogram = LatencyHistogram()
      for download in downloads { histogram.record(duration(download)) }
      observation.record(metric, histogram)
    }
    record("held") { $0.left.since($0.entered) }
    record("call") { $0.returned.since($0.called) }
    record("notice") { $0.notice.since($0.lastLeave) }
    record("wake") { $0.completed.since($0.lastLeave) }
    record("total") { $0.completed.since($0.called) }
    if let parked { observation.record("parked", parked) }
    if timed {
      observation.record("timeouts", downloads.count { $0.wasTimedOut })
      observation.record("unreported", downloads.count { !$0.wasTimedOut })
    }
    observation.record("completions-off", downloads.count { $0.completions.load(ordering: .acquiring) != 1 })
    observation.record("early", downloads.reduce(0) { $0 + $1.early.load(ordering: .acquiring) })
    observation.record("late-tasks", downloads.reduce(0) { $0 + $1.unfinished.load(ordering: .acquiring) })
    return observation
  }

  /// How many pool threads sleep for the pattern while the gate holds every task back; nil where the system does not
  /// tell, or other threads of this process come and go too fast for two counts to agree.
  ///
  /// Counted once the method has come to rest, which is when it has given its thread back or that thread is among the
  /// sleeping ones, and twice, so that no thread is caught in a lock on its way.
  private func parkedThreads(_ download: Download) -> Int? {
    var previous: [Int]?
    var disagreements = 0
    while disagreements < 100, let parked = ThreadCensus.taken()?.parkedPoolThreads {
      if download.left.isSet || parked.contains(download.methodThread.load(ordering: .acquiring)) {
        if parked == previous { return parked.count }
        if previous != nil { disagreements += 1 }
        previous = parked
      }
      yieldProcessor()
    }
    return nil
  }
}

/// One call of the documented method: its tasks, its completion, and the moments that are measured.
final class Download: Sendable {
  let tasks: Int
  let timeout: DispatchTimeInterval
  let completionQueue: DispatchQueue
  /// Holds the tasks back, when there is one.
  let gate: Gate?
  /// Where the tasks run.
  let queue: DispatchQueue
  private let steps: Int
  private let leaver: LastLeaver?
  private let end = DispatchSemaphore(value: 0)
  private let timedOut = Atomic<Bool>(false)

  let called = Moment()
  let returned = Moment()
  let entered = Moment()
  let left = Moment()
  let lastLeave = Moment()
  let notice = Moment()
  let completed = Moment()
  let methodThread = Atomic<Int>(0)
  let unfinished: Atomic<Int>
  let completions = Atomic<Int>(0)
  let early = Atomic<Int>(0)

  init(
    tasks: Int, steps: Int, timeout: DispatchTimeInterval, completionQueue: DispatchQueue, gate: Gate?,
    leaver: LastLeaver?
  ) {
    self.tasks = tasks
    self.steps = steps
    self.timeout = timeout
    self.completionQueue = completionQueue
    self.gate = gate
    self.leaver = leaver
    queue = gate?.queue ?? .global()
    unfinished = Atomic(tasks)
  }

  /// Calls the method, timing how long that takes its caller.
  func call(_ method: (Download) -> Void) {
    called.set()
    method(self)
    returned.set()
  }

  /// The method begins, on the thread that runs it.
  func enterMethod() {
    if gate != nil { methodThread.store(ThreadCensus.currentThread, ordering: .releasing) }
    entered.set()
  }

  /// Enters `group` and starts a task, for each task.
  func start(in group: DispatchGroup) {
    for _ in 0..<tasks {
      group.enter()
      queue.async { self.runTask { group.leave() } }
    }
  }

  /// One task: works, then tells that it has finished by calling `leave`, the last one from where `leaver` says.
  func runTask(leave: @escaping @Sendable () -> Void) {
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    guard unfinished.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return leave() }
    guard let leaver else {
      lastLeave.set()
      return leave()
    }
    leaver.run {
      self.lastLeave.set()
      leave()
    }
  }

  /// The wait has ended; tasks that it waited for can go on now.
  func waited(_ result: DispatchTimeoutResult) {
    timedOut.store(result == .timedOut, ordering: .releasing)
    gate?.open()
  }

  /// All tasks have finished, and the method is the first to know: its wait has ended.
  func noticed() { notice.set() }

  /// The method has nothing more to do, and its thread is free.
  func leaveMethod() {
    left.set()
    end.signal()
  }

  /// The completion block.
  func complete() {
    completed.set()
    if !notice.isSet { notice.copy(completed) }
    completions.add(1, ordering: .acquiringAndReleasing)
    if unfinished.load(ordering: .acquiring) > 0 { early.add(1, ordering: .acquiringAndReleasing) }
    end.signal()
  }

  /// Waits until the method has given its thread back and the completion has run.
  func waitForEnd() {
    end.wait()
    end.wait()
  }

  var wasTimedOut: Bool { timedOut.load(ordering: .acquiring) }
}

/// When something happened: stored in the object it belongs to, so that noting it touches no other memory.
struct Moment: ~Copyable, Sendable {
  private let time = Atomic<UInt64>(0)

  /// It happens now.
  @inline(__always) func set() { time.store(MonotonicClock.now(), ordering: .releasing) }
  /// It happened when `other` did.
  func copy(_ other: borrowing Moment) { time.store(other.time.load(ordering: .acquiring), ordering: .releasing) }
  /// Whether it happened.
  var isSet: Bool { time.load(ordering: .acquiring) != 0 }
  /// Nanoseconds from `earlier` to it; 0 when it was not later.
  func since(_ earlier: borrowing Moment) -> UInt64 {
    let (from, to) = (earlier.time.load(ordering: .acquiring), time.load(ordering: .acquiring))
    return to > from ? to - from : 0
  }
}

/// Holds tasks back without a thread: a queue that is not active yet.
final class Gate: Sendable {
  let queue = DispatchQueue(label: "gcdlab.gate", attributes: [.concurrent, .initiallyInactive])

  /// Lets all tasks run. A gate must be opened before it goes: an inactive queue must not be freed.
  func open() { queue.activate() }

  /// Suspends the calling task until the gate is open.
  func passed() async { await withCheckedContinuation { task in queue.async { task.resume() } } }
}

/// A thread outside the dispatch pool, which does the last leave when the experiment wants that.
final class LastLeaver: Sendable {
  private let handed = DispatchSemaphore(value: 0)
  private let work: Mailbox
  private let thread: SystemThread

  private final class Mailbox: Sendable {
    let leave = Mutex<(@Sendable () -> Void)?>(nil)
  }

  init() throws(SystemError) {
    let work = Mailbox()
    self.work = work
    thread = try SystemThread { [handed] in
      while true {
        handed.wait()
        guard let leave = work.leave.withLock({ $0.take() }) else { return }
        leave()
      }
    }
  }

  /// Runs `leave` on the thread.
  func run(_ leave: @escaping @Sendable () -> Void) {
    work.leave.withLock { $0 = leave }
    handed.signal()
  }

  /// Ends the thread once it has nothing left to do.
  func stop() {
    handed.signal()
    thread.join()
  }
}
