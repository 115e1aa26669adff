import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension QueueOrder {
  /// Returns the longest time of a trial: a task may have to wait for its successor if the machine has no thread to
  /// spare.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// Calls `submit` from several threads at once, waits until all their tasks have run, and counts the tasks that were
  /// out of order.
  ///
  /// - Parameter patience: how long the very first task waits for the end of its successor, after all tasks are
  ///   submitted.
  func log(
    _ trial: Trial, patience: Duration, _ submit: @escaping @Sendable ([TaskLog.Task]) -> Void
  ) throws {
    let (submitters, count) = (trial[submitters], trial[tasks])
    let log = TaskLog(submitters: submitters, tasks: count, patience: patience)
    // The pool needs two threads, for a task and its successor.
    try Team.run(submitters, besides: 2) { submitter in submit(log.tasks(of: submitter)) }
    log.allIsSubmitted()
    log.all.wait()
    let order = log.read()
    trial.record(beginInversions, order.beginInversions)
    trial.record(endInversions, order.endInversions)
    trial.record(overlaps, order.overlaps)
    trial.record(lost, order.lost)
  }

  /// Adds two tasks one after the other, while spinning tasks keep every thread of the pool busy, and notes which
  /// begins first.
  ///
  /// - Parameter patience: how long the spinning tasks wait, at most, for the second task to begin. If the queue lets
  ///   the second task begin only after the first, for which there is no thread, they wait this long.
  func addPairs(_ trial: Trial, patience: Duration, _ add: (TaskPair) -> Void) throws {
    try SystemThread.requireCapacity(for: trial.cores + 2)
    var count = 0
    for _ in 0..<trial[pairs] {
      let pair = TaskPair()
      let busy = SpinBarrier(parties: trial.cores + 1)
      for _ in 0..<trial.cores {
        DispatchQueue.global().async(group: pair.all) {
          busy.wait()
          let end = MonotonicClock.now() + UInt64(patience.nanoseconds)
          while !pair.secondHasBegun, MonotonicClock.now() < end {}
        }
      }
      busy.wait()
      add(pair)
      pair.all.wait()
      if pair.isInverted { count += 1 }
    }
    trial.record(beginInversions, count)
  }

  /// Runs the code of the document's listing, whose first block ends only after the second one, if the queue allows
  /// that.
  ///
  /// - Parameters:
  ///   - patience: how long the first block waits for the sync to return.
  ///   - asyncPatience: how long the first block waits before that for the async to return.
  func list(
    patience: Duration, asyncPatience: Duration = .seconds(20)
  ) -> Probe<@Sendable (Listing) -> Void> {
    Probe(records: [returnedBeforeEnd, unfinished]) { trial, body in
      let listing = Listing(patience: patience, asyncPatience: asyncPatience)
      body(listing)
      trial.record(returnedBeforeEnd, listing.returnedBefore)
      trial.record(unfinished, listing.unfinished)
    }
  }

  /// Lets threads arrive one after the other, and records the order in which they are admitted. Each thread arrives
  /// once the previous thread is observed to wait. The first thread leaves when it is released, and arrives again as
  /// the last one.
  ///
  /// - Parameter enter: waits for admission, reports it, and leaves.
  /// - Throws: ``Unavailable`` if the system does not report whether a thread waits, or ``SystemError`` if a thread
  ///   cannot be started.
  func arrive(_ trial: Trial, _ enter: @escaping @Sendable (Arrivals.One) -> Void) throws {
    let count = trial[waiters]
    guard ThreadCensus.taken() != nil else {
      throw Unavailable("it must be seen that a thread waits, and this system does not tell")
    }
    try SystemThread.requireCapacity(for: count + 1)
    let arrivals = Arrivals(count: count + 2)
    let first = try SystemThread {
      enter(arrivals[0])
      enter(arrivals[count + 1])
    }
    arrivals.awaitEntry(of: 0)
    var threads = [first]
    for number in 1...count {
      do {
        threads.append(
          try SystemThread {
            arrivals.comes(number)
            enter(arrivals[number])
          })
      } catch {
        arrivals.release()
        for thread in threads { thread.join() }
        throw error
      }
      arrivals.awaitSleepOrEntry(of: number)
    }
    arrivals.release()
    for thread in threads { thread.join() }
    trial.record(overtaken, arrivals.overtaken)
  }
}

/// A log of the order in which tasks begin and end. Each event takes the next place in the log.
final class TaskLog: Sendable {
  /// The group of all tasks.
  let all = DispatchGroup()
  private let submitters: Int
  private let tasks: Int
  private let places = Atomic<Int>(0)
  /// The events: twice the number of the task, plus one for its end; -1 for a place that was not written.
  private let events: Slots<Atomic<Int>>
  private let firstHasBegun: BoundedGate
  private let successorHasEnded: BoundedGate

  /// Creates an empty log for this many tasks of each submitter.
  init(submitters: Int, tasks: Int, patience: Duration) {
    self.submitters = submitters
    self.tasks = tasks
    events = Slots(count: 2 * submitters * tasks) { _ in Atomic(-1) }
    firstHasBegun = BoundedGate(bound: patience)
    successorHasEnded = BoundedGate(bound: patience)
  }

  /// A task with its place in the log.
  struct Task: Sendable {
    fileprivate let log: TaskLog
    fileprivate let number: Int

    /// The group of all tasks.
    var all: DispatchGroup { log.all }

    /// Notes that the task begins and that it ends. In between, the first task waits for the end of the second one. The
    /// second task first waits until the first one has written its beginning, since the first may have lost its core
    /// before that.
    func run() {
      if number == 1 { log.firstHasBegun.pass() }
      log.write(2 * number)
      if number == 0 {
        log.firstHasBegun.open()
        log.successorHasEnded.pass()
      }
      log.write(2 * number + 1)
      if number == 1 { log.successorHasEnded.open() }
    }
  }

  /// Returns the tasks of one submitter, in the order in which the submitter adds them.
  func tasks(of submitter: Int) -> [Task] {
    (submitter * tasks..<(submitter + 1) * tasks).map { Task(log: self, number: $0) }
  }

  /// Notes that all tasks have been submitted.
  func allIsSubmitted() {
    firstHasBegun.restHasFinished()
    successorHasEnded.restHasFinished()
  }

  private func write(_ event: Int) {
    let place = places.add(1, ordering: .acquiringAndReleasing).oldValue
    if place < events.count { events[place].store(event, ordering: .releasing) }
  }

  /// The order of the tasks in a log.
  struct Order: Equatable {
    var beginInversions = 0
    var endInversions = 0
    var overlaps = 0
    var lost = 0
  }

  /// Returns the order of the tasks in the log. Call this method once all tasks have ended.
  func read() -> Order {
    var order = Order()
    var latestBegun = Array(repeating: -1, count: submitters)
    var latestEnded = latestBegun
    var begun = Array(repeating: 0, count: submitters * tasks)
    var ended = begun
    var running = 0
    for place in 0..<events.count {
      let event = events[place].load(ordering: .acquiring)
      guard event >= 0 else { continue }
      let (task, submitter) = (event / 2, event / 2 / tasks)
      if event % 2 == 0 {
        begun[task] += 1
        if task < latestBegun[submitter] { order.beginInversions += 1 }
        if running > 0 { order.overlaps += 1 }
        latestBegun[submitter] = max(latestBegun[submitter], task)
        running += 1
      } else {
        ended[task] += 1
        if task < latestEnded[submitter] { order.endInversions += 1 }
        latestEnded[submitter] = max(latestEnded[submitter], task)
        running -= 1
      }
    }
    order.lost = zip(begun, ended).count { $0 != 1 || $1 != 1 }
    return order
  }
}

/// Two tasks that one thread adds to a queue, one after the other.
final class TaskPair: Sendable {
  /// The group of both tasks.
  let all = DispatchGroup()
  private let begun = Atomic<Int>(0)
  private let second = Atomic<Int>(0)

  /// Notes that the task added first begins.
  func firstBegins() { begun.add(1, ordering: .acquiringAndReleasing) }

  /// Notes that the task added second begins.
  func secondBegins() {
    second.store(begun.add(1, ordering: .acquiringAndReleasing).newValue, ordering: .releasing)
  }

  /// Whether the second task has begun.
  var secondHasBegun: Bool { second.load(ordering: .acquiring) > 0 }
  /// Whether both tasks have begun, the second one first.
  var isInverted: Bool { begun.load(ordering: .acquiring) == 2 && second.load(ordering: .acquiring) == 1 }
}

/// A run of the document's listing.
final class Listing: Sendable {
  private let asyncHasReturned: BoundedGate
  private let syncHasReturned: BoundedGate
  private let state = Mutex(State())
  private let firstHasEnded = DispatchSemaphore(value: 0)

  private struct State {
    var returnedBefore = false
    var (firstHasEnded, secondHasEnded) = (false, false)
    var unfinished = 0
  }

  /// Creates a run whose first block waits up to `patience` for the sync to return, and before that up to
  /// `asyncPatience` for the async to return.
  init(patience: Duration, asyncPatience: Duration) {
    asyncHasReturned = BoundedGate(bound: asyncPatience)
    syncHasReturned = BoundedGate(bound: patience)
    // If an async returned only after its block had run, it would wait for this block.
    asyncHasReturned.restHasFinished()
  }

  /// The work of the first block.
  func someWork() {
    let returnedBefore = asyncHasReturned.pass()
    // If the caller waits for this block to end, this block must not wait for the caller.
    if returnedBefore { syncHasReturned.pass() }
    state.withLock { state in
      state.returnedBefore = returnedBefore
      state.firstHasEnded = true
    }
    firstHasEnded.signal()
  }

  /// Notes that the async has returned: the first block may or may not have run.
  func firstMayOrMayNotHaveRun() {
    asyncHasReturned.open()
    syncHasReturned.restHasFinished()
  }

  /// The work of the second block.
  func someMoreWork() { state.withLock { $0.secondHasEnded = true } }

  /// Notes that the sync has returned, and checks whether both blocks have completed.
  func bothHaveCompleted() {
    state.withLock { $0.unfinished = ($0.firstHasEnded ? 0 : 1) + ($0.secondHasEnded ? 0 : 1) }
    syncHasReturned.open()
    firstHasEnded.wait()
  }

  /// The number of asyncs that returned before their block had ended: one or none.
  var returnedBefore: Int { state.withLock { $0.returnedBefore ? 1 : 0 } }
  /// The number of blocks that had not ended when the sync returned.
  var unfinished: Int { state.withLock { $0.unfinished } }
}

/// Threads that arrive one after the other at a place that admits only one, and the order in which they were admitted.
final class Arrivals: Sendable {
  private let entered = Mutex<[Int]>([])
  private let threads: Slots<Atomic<Int>>
  private let firstIsIn = DispatchSemaphore(value: 0)
  private let firstMayLeave = DispatchSemaphore(value: 0)

  /// Creates this many arrivals, none of which has happened yet.
  init(count: Int) { threads = Slots(count: count) { _ in Atomic(-1) } }

  /// An arrival, by its number.
  struct One: Sendable {
    fileprivate let arrivals: Arrivals
    /// The position in the order of arrival.
    let number: Int

    /// Notes that the thread was admitted; the first thread stays until all others wait.
    func noteAdmission() {
      arrivals.entered.withLock { $0.append(number) }
      guard number == 0 else { return }
      arrivals.firstIsIn.signal()
      arrivals.firstMayLeave.wait()
    }
  }

  subscript(number: Int) -> One { One(arrivals: self, number: number) }

  /// Notes that the calling thread is about to arrive.
  func comes(_ number: Int) { threads[number].store(ThreadCensus.currentThread, ordering: .releasing) }

  /// Waits until the first thread is admitted.
  func awaitEntry(of first: Int) { firstIsIn.wait() }

  /// Waits until the thread of `number` sleeps or is admitted.
  func awaitSleepOrEntry(of number: Int) {
    while !entered.withLock({ $0.contains(number) }) {
      let thread = threads[number].load(ordering: .acquiring)
      if thread >= 0, let census = ThreadCensus.taken(),
        census.threads.contains(where: { $0.id == thread && $0.sleep != nil })
      {
        return
      }
      yieldProcessor()
    }
  }

  /// Lets the first thread leave.
  func release() { firstMayLeave.signal() }

  /// The number of threads that were admitted after a thread with a higher number. The number is valid once all threads
  /// have been admitted.
  var overtaken: Int {
    let order = entered.withLock { $0 }
    return order.indices.count { index in order[..<index].contains { $0 > order[index] } }
  }
}
