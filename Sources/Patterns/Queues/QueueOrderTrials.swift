import Dispatch
import Instruments
import Synchronization

extension QueueOrder {
  /// Returns one second as an upper bound for the duration of a trial, since the successor of a waiting task may have
  /// to wait for a thread.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// Calls `submit` from several threads at the same time, and waits until all tasks have run. Records how many tasks
  /// were out of order, how many overlapped, and how many were lost.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first task waits, after all tasks are submitted, for the end of its
  ///     successor.
  ///   - submit: a closure that submits the tasks of one thread in order.
  func log(
    _ trial: Trial, patience: Duration, _ submit: @escaping @Sendable ([TaskLog.Task]) -> Void
  ) throws {
    let (submitters, count) = (trial[submitters], trial[tasks])
    let log = TaskLog(submitters: submitters, tasks: count, patience: patience)
    // The pool needs two threads: one for a task and one for the task's successor.
    try Team.run(submitters, besides: 2) { submitter in submit(log.tasks(of: submitter)) }
    log.allIsSubmitted()
    log.all.wait()
    let order = log.read()
    trial.record(beginInversions, order.beginInversions)
    trial.record(endInversions, order.endInversions)
    trial.record(overlaps, order.overlaps)
    trial.record(lost, order.lost)
  }

  /// Repeatedly adds two tasks, one after the other, while spinning tasks occupy the pool. The number of spinning tasks
  /// is the number of tasks that the pool may run at the same time. Records the number of pairs whose second task began
  /// first.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the spinning tasks wait for the second task to begin. If the second task
  ///     can begin only after the first task, the spinning tasks wait for all of this time.
  ///   - add: a closure that adds the two tasks of a pair.
  func addPairs(_ trial: Trial, patience: Duration, _ add: (TaskPair) -> Void) throws {
    let (cores, width) = (trial.cores, trial.poolWidth)
    try SystemThread.requireCapacity(for: width + 2)
    var count = 0
    for _ in 0..<trial[pairs] {
      let pair = TaskPair()
      let busy = SpinBarrier(parties: cores + 1)
      for index in 0..<width {
        DispatchQueue.global().async(group: pair.all) {
          // If the pool runs only one task for each core, the remaining spinning tasks begin later, but before the
          // pair.
          if index < cores { busy.wait() }
          let end = MonotonicClock.now() + patience.nanoseconds
          while !pair.secondHasBegun, MonotonicClock.now() < end { yieldProcessor() }
        }
      }
      busy.wait()
      add(pair)
      pair.all.wait()
      if pair.isInverted { count += 1 }
    }
    trial.record(beginInversions, count)
  }

  /// Returns a probe that runs the listing of the Concurrency Programming Guide. The first block waits for the call of
  /// `dispatch_async` to return. If this call returns within `asyncPatience`, the block then waits for the call of
  /// `dispatch_sync` to return.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first block waits for the call of `dispatch_sync` to return.
  ///   - asyncPatience: the maximum time for which the first block waits for the call of `dispatch_async` to return.
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

  /// Starts threads that arrive one after the other at a lock or queue, and records the number of threads that were
  /// overtaken.
  ///
  /// Each thread arrives once the previous thread sleeps or has acquired the lock. The first thread releases the lock
  /// after all other threads have arrived, and then arrives again as the last thread.
  ///
  /// - Parameter enter: a closure that acquires the lock, records the admission, and releases the lock.
  /// - Throws: ``Unavailable`` if the system does not report the states of threads, or ``SystemError`` if a thread
  ///   cannot be started.
  func arrive(_ trial: Trial, _ enter: @escaping @Sendable (Arrivals.One) -> Void) throws {
    let count = trial[waiters]
    guard ThreadCensus.taken() != nil else {
      throw Unavailable("this system does not report whether a thread waits")
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
            arrivals.recordThread(number)
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

/// A log of the order in which tasks begin and end. Each event is stored at the next free index of the log.
final class TaskLog: Sendable {
  /// The group of all tasks.
  let all = DispatchGroup()
  private let submitters: Int
  private let tasks: Int
  private let places = Atomic<Int>(0)
  /// The logged events. An event is stored as twice the number of its task, plus 1 for the end of the task. An unused
  /// index contains -1.
  private let events: Slots<Atomic<Int>>
  private let firstHasBegun: TimedGate
  private let successorHasEnded: TimedGate

  /// Creates an empty log for `tasks` tasks of each submitter.
  init(submitters: Int, tasks: Int, patience: Duration) {
    self.submitters = submitters
    self.tasks = tasks
    events = Slots(count: 2 * submitters * tasks) { _ in Atomic(-1) }
    firstHasBegun = TimedGate(limit: patience)
    successorHasEnded = TimedGate(limit: patience)
  }

  /// A task that logs its beginning and its end.
  struct Task: Sendable {
    fileprivate let log: TaskLog
    fileprivate let number: Int

    /// The group of all tasks.
    var all: DispatchGroup { log.all }

    /// Logs the beginning and the end of the task.
    ///
    /// Between the two events, the first task waits for the end of the second task. The second task first waits until
    /// the beginning of the first task is logged. Without this wait, the second task could log its beginning first,
    /// even if the first task began first and then lost its core. Both waits have a time limit.
    func run() {
      if number == 1 { log.firstHasBegun.wait() }
      log.write(2 * number)
      if number == 0 {
        log.firstHasBegun.open()
        log.successorHasEnded.wait()
      }
      log.write(2 * number + 1)
      if number == 1 { log.successorHasEnded.open() }
    }
  }

  /// Returns the tasks of one submitter, in the order in which the submitter must add them.
  func tasks(of submitter: Int) -> [Task] {
    (submitter * tasks..<(submitter + 1) * tasks).map { Task(log: self, number: $0) }
  }

  /// Records that all tasks have been submitted, and starts the time limits of the first two tasks.
  func allIsSubmitted() {
    firstHasBegun.startTimeLimit()
    successorHasEnded.startTimeLimit()
  }

  private func write(_ event: Int) {
    let place = places.add(1, ordering: .acquiringAndReleasing).oldValue
    if place < events.count { events[place].store(event, ordering: .releasing) }
  }

  /// The numbers of out-of-order beginnings, out-of-order ends, overlaps and lost tasks in a log.
  struct Order: Equatable {
    var beginInversions = 0
    var endInversions = 0
    var overlaps = 0
    var lost = 0
  }

  /// Returns the numbers of inversions, overlaps and lost tasks in the log. Call this method after all tasks have
  /// ended.
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
  /// The group of the first task and of the tasks that occupy the pool.
  let all = DispatchGroup()
  private let begun = Atomic<Int>(0)
  private let second = Atomic<Int>(0)

  /// Records that the first task begins.
  func firstBegins() { begun.add(1, ordering: .acquiringAndReleasing) }

  /// Records that the second task begins.
  func secondBegins() {
    second.store(begun.add(1, ordering: .acquiringAndReleasing).newValue, ordering: .releasing)
  }

  /// Whether the second task has begun.
  var secondHasBegun: Bool { second.load(ordering: .acquiring) > 0 }
  /// Whether both tasks have begun, and the second task began before the first.
  var isInverted: Bool { begun.load(ordering: .acquiring) == 2 && second.load(ordering: .acquiring) == 1 }
}

/// A run of the listing of the Concurrency Programming Guide.
final class Listing: Sendable {
  private let asyncHasReturned: TimedGate
  private let syncHasReturned: TimedGate
  private let state = Mutex(State())
  private let firstHasEnded = DispatchSemaphore(value: 0)

  private struct State {
    var returnedBefore = false
    var (firstHasEnded, secondHasEnded) = (false, false)
    var unfinished = 0
  }

  /// Creates a run whose first block waits up to `asyncPatience` for the call of `dispatch_async` to return, and then
  /// up to `patience` for the call of `dispatch_sync` to return.
  init(patience: Duration, asyncPatience: Duration) {
    asyncHasReturned = TimedGate(limit: asyncPatience)
    syncHasReturned = TimedGate(limit: patience)
    // If `dispatch_async` returned only after the first block, nothing could start the time limit later.
    asyncHasReturned.startTimeLimit()
  }

  /// Runs the first block, which waits for the call of `dispatch_async` to return. If this call returns before a time
  /// limit, the block then waits for the call of `dispatch_sync` to return.
  func someWork() {
    let returnedBefore = asyncHasReturned.wait()
    // If the caller waits for the first block to end, the first block must not wait for the caller.
    if returnedBefore { syncHasReturned.wait() }
    state.withLock { state in
      state.returnedBefore = returnedBefore
      state.firstHasEnded = true
    }
    firstHasEnded.signal()
  }

  /// Records that the call of `dispatch_async` has returned, and starts the time limit for the call of `dispatch_sync`.
  func firstMayOrMayNotHaveRun() {
    asyncHasReturned.open()
    syncHasReturned.startTimeLimit()
  }

  /// Runs the second block.
  func someMoreWork() { state.withLock { $0.secondHasEnded = true } }

  /// Records the number of blocks that have not ended when the call of `dispatch_sync` returns. Then lets the first
  /// block continue, and waits until the first block has ended.
  func bothHaveCompleted() {
    state.withLock { $0.unfinished = ($0.firstHasEnded ? 0 : 1) + ($0.secondHasEnded ? 0 : 1) }
    syncHasReturned.open()
    firstHasEnded.wait()
  }

  /// The number of calls of `dispatch_async` that returned before their block had ended: 0 or 1.
  var returnedBefore: Int { state.withLock { $0.returnedBefore ? 1 : 0 } }
  /// The number of blocks that had not ended when the call of `dispatch_sync` returned: 0 to 2.
  var unfinished: Int { state.withLock { $0.unfinished } }
}

/// Threads that arrive one after the other at a lock, and the order in which they acquire the lock.
final class Arrivals: Sendable {
  private let entered = Mutex<[Int]>([])
  private let threads: Slots<Atomic<Int>>
  private let firstIsIn = DispatchSemaphore(value: 0)
  private let firstMayLeave = DispatchSemaphore(value: 0)

  /// Creates `count` arrivals, which have not happened yet.
  init(count: Int) { threads = Slots(count: count) { _ in Atomic(-1) } }

  /// An arrival of a thread at the lock.
  struct One: Sendable {
    fileprivate let arrivals: Arrivals
    /// The position in the order of arrival, from 0.
    let number: Int

    /// Records that the thread acquired the lock. The thread of the first arrival then blocks until ``release()`` is
    /// called.
    func noteAdmission() {
      arrivals.entered.withLock { $0.append(number) }
      guard number == 0 else { return }
      arrivals.firstIsIn.signal()
      arrivals.firstMayLeave.wait()
    }
  }

  subscript(number: Int) -> One { One(arrivals: self, number: number) }

  /// Records that the calling thread is about to make the arrival `number`.
  func recordThread(_ number: Int) { threads[number].store(ThreadCensus.currentThread, ordering: .releasing) }

  /// Waits until the first arrival has acquired the lock.
  func awaitEntry(of first: Int) { firstIsIn.wait() }

  /// Waits until the thread of the arrival `number` sleeps or has acquired the lock.
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

  /// Unblocks the first thread, which then releases the lock.
  func release() { firstMayLeave.signal() }

  /// The number of arrivals that were admitted after an arrival with a higher number. The value is valid after all
  /// threads have acquired the lock.
  var overtaken: Int {
    let order = entered.withLock { $0 }
    return order.indices.count { index in order[..<index].contains { $0 > order[index] } }
  }
}
