import Dispatch
import Instruments
import Synchronization

extension SemaphoreCost {
  /// The number of pairs, and of control calls, for which system calls are counted.
  private static let counted = 100

  /// Times pairs of wait and signal that one thread makes, and then pairs that several threads make at the same time.
  /// Also counts the system calls of the pairs of one thread and, as a control, the system calls of ``getParent``.
  ///
  /// - Parameter run: a closure that runs pairs. Each pair takes the permit, runs the critical section, and releases
  ///   the permit.
  func measure(_ trial: Trial, _ run: @escaping @Sendable (Pairs) -> Void) throws {
    let counted = Self.counted
    let batch = Pairs(trial[batch])
    trial.time(uncontended, over: batch.count, nothing: { batch.each { _ in } }) { run(batch) }
    if let calls = SystemCalls.during({ run(Pairs(counted)) }) {
      trial.record(syscallsPerPair, Double(calls) / Double(counted))
    }
    if let calls = SystemCalls.during({ for _ in 0..<counted { getParent() } }) {
      trial.record(control, Double(calls) / Double(counted))
    }
    try contend(trial, run)
  }

  /// Runs threads that contend for the permit. A thread that holds the permit updates a number. The trial records the
  /// time of a wait with its signal, the context switches and the lost updates.
  private func contend(_ trial: Trial, _ run: @escaping @Sendable (Pairs) -> Void) throws {
    let (threads, pairs, steps) = (trial[threads], trial[contendedPairs], trial.steps(hold))
    let number = UnguardedNumber()
    let effort = try Team.run(threads) { _ in run(Pairs(pairs, updating: number, steps: steps)) }
    trial.record(contended, effort.nanoseconds, over: threads * pairs)
    if let slept = effort.switches { trial.record(contextSwitches, Double(slept.voluntary) / Double(threads * pairs)) }
    trial.record(lostUpdates, threads * pairs - number.value)
  }

  /// Starts threads that wait for a permit, and sends one signal at a time. Records the number of signals that did not
  /// wake exactly one thread, plus the number of threads that took a permit before the first signal.
  ///
  /// - Parameters:
  ///   - take: a closure that waits on the semaphore, which has one permit at first.
  ///   - give: a closure that signals the semaphore.
  func signalOneByOne(
    _ trial: Trial, take: @escaping @Sendable () -> Void, give: @escaping @Sendable () -> Void
  ) throws {
    take()
    defer { give() }
    try withWaiters(trial[threads], take: take, give: give) { freed in
      try standstill.wait()
      // No permit is left, so no thread may be freed before the first signal.
      var wrong = freed.now
      for _ in 0..<trial[threads] {
        let before = freed.now
        give()
        try standstill.wait()
        if freed.now != before + 1 { wrong += 1 }
      }
      trial.record(wrongWakeups, wrong)
    }
  }

  /// Sends one signal for each thread, in two halves. The signals of a half follow each other immediately.
  ///
  /// In a first run, the threads wait before the first half of the signals is sent. In a second run, the first half is
  /// sent before the threads wait. After each half, and in the first run also before the first half, compares the
  /// number of signals with the number of woken threads. Records the sum of the differences.
  ///
  /// - Parameters:
  ///   - take: a closure that waits on the semaphore, which has no permits at first.
  ///   - give: a closure that signals the semaphore.
  func signalAtOnce(
    _ trial: Trial, take: @escaping @Sendable () -> Void, give: @escaping @Sendable () -> Void
  ) throws {
    let (count, half) = (trial[waiters], trial[waiters] / 2)
    var wrong = 0
    for comesFirst in [false, true] {
      if comesFirst { for _ in 0..<half { give() } }
      try withWaiters(count, take: take, give: give) { freed in
        try standstill.wait()
        wrong += abs(freed.now - (comesFirst ? half : 0))
        if !comesFirst {
          for _ in 0..<half { give() }
          try standstill.wait()
          wrong += abs(freed.now - half)
        }
        for _ in half..<count { give() }
        try standstill.wait()
        wrong += abs(freed.now - count)
      }
    }
    trial.record(wrongWakeups, wrong)
  }

  /// Records whether a thread that signals a semaphore and immediately waits can take the permit before another thread
  /// that has waited for longer.
  ///
  /// The order of the two threads is not deterministic, so the trial repeats the attempt with a new semaphore until the
  /// waiting thread is overtaken, but no more than `attempts` times.
  ///
  /// - Parameter make: a closure that creates a semaphore without permits, and returns closures that take and release a
  ///   permit.
  func signalAndWait(
    _ trial: Trial, _ make: () -> (take: @Sendable () -> Void, give: @Sendable () -> Void)
  ) throws {
    var (isOvertaken, attempt) = (false, 0)
    while !isOvertaken, attempt < trial[attempts] {
      attempt += 1
      let (take, give) = make()
      try withWaiters(1, take: take, give: give) { freed in
        try standstill.wait()
        let back = Gauge()
        let signaller = try SystemThread {
          give()
          take()
          back.up()
        }
        defer {
          while back.now == 0 {
            give()
            yieldProcessor()
          }
          signaller.join()
        }
        try standstill.wait()
        isOvertaken = freed.now == 0 && back.now == 1
      }
    }
    trial.record(overtaken, isOvertaken ? 1 : 0)
  }

  /// Starts `count` threads that take one permit each, and calls `body`. Afterwards signals the semaphore until all
  /// threads have a permit, and waits until the threads have ended.
  ///
  /// - Parameter body: a closure that receives a gauge of the threads that have a permit.
  private func withWaiters(
    _ count: Int, take: @escaping @Sendable () -> Void, give: @Sendable () -> Void, _ body: (Gauge) throws -> Void
  ) throws {
    let freed = Gauge()
    let waiters = try SystemThread.start(count) { _ in
      take()
      freed.up()
    }
    // Threads that still wait must be freed, whatever was observed.
    defer {
      while freed.now < count {
        give()
        yieldProcessor()
      }
      for thread in waiters { thread.join() }
    }
    try body(freed)
  }
}

/// Pairs of wait and signal that run one after the other. Each pair encloses no work, or an update of a number.
struct Pairs: Sendable {
  let count: Int
  private let number: UnguardedNumber?
  private let steps: Int

  /// Creates `count` pairs that enclose no work.
  init(_ count: Int) { (self.count, number, steps) = (count, nil, 0) }

  /// Creates pairs that each enclose an update of `number` with `steps` steps of work.
  init(_ count: Int, updating number: UnguardedNumber, steps: Int) {
    (self.count, self.number, self.steps) = (count, number, steps)
  }

  /// Calls `pair` once for each pair, in a timed loop. `pair` must call its argument between wait and signal.
  @inline(__always)
  func each(_ pair: (_ critical: () -> Void) -> Void) {
    if let number {
      timedLoop(count) { _ in pair { number.update(steps: steps) } }
    } else {
      timedLoop(count) { _ in pair {} }
    }
  }
}

/// A number that is updated by a load and a store, without synchronization.
final class UnguardedNumber: Sendable {
  private let number = Atomic<Int>(0)

  /// Increments the number, with `steps` steps of work between the load and the store.
  @inline(__always)
  func update(steps: Int) {
    let before = number.load(ordering: .relaxed)
    CalibratedWork.run(steps: steps)
    number.store(before + 1, ordering: .relaxed)
  }

  var value: Int { number.load(ordering: .relaxed) }
}
