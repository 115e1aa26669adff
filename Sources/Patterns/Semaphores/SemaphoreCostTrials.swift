import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension SemaphoreCost {
  /// The number of pairs, and of control calls, whose system calls are counted.
  private static let counted = 100

  /// Times pairs of wait and signal, uncontended by one thread and contended by several.
  ///
  /// - Parameter run: runs pairs, each of which takes the permit, runs the guarded work, and returns the permit.
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

  /// Lets threads take the permit at the same time, and update a number while they hold it.
  private func contend(_ trial: Trial, _ run: @escaping @Sendable (Pairs) -> Void) throws {
    let (threads, pairs, steps) = (trial[threads], trial[contendedPairs], trial.steps(hold))
    let number = UnguardedNumber()
    let effort = try Team.run(threads) { _ in run(Pairs(pairs, updating: number, steps: steps)) }
    trial.record(contended, effort.nanoseconds, over: threads * pairs)
    if let slept = effort.switches { trial.record(contextSwitches, Double(slept.voluntary) / Double(threads * pairs)) }
    trial.record(lostUpdates, threads * pairs - number.value)
  }

  /// Lets threads wait for a permit, signals one permit at a time, and counts the threads that each signal frees.
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

  /// Signals once for half of the threads, and then once for each of the other threads. Sends the first burst of
  /// signals once while the threads wait, and once before they wait. Counts the threads by which each burst frees too
  /// many or too few. The semaphore has no permits at first.
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

  /// Lets one thread wait, and another one signal and wait again at once, until the second thread takes its permit back
  /// while the first one sleeps on.
  ///
  /// Which of the two threads comes first is a matter of chance, so the trial tries again, each time with a new
  /// semaphore.
  ///
  /// - Parameter make: creates a semaphore without permits, and returns closures that take and give a permit.
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

  /// Starts threads that take a permit each, and runs `body`. Afterwards frees the threads that still wait.
  ///
  /// - Parameter body: receives the count of the threads that have a permit.
  private func withWaiters(
    _ count: Int, take: @escaping @Sendable () -> Void, give: @Sendable () -> Void, _ body: (Gauge) throws -> Void
  ) throws {
    try SystemThread.requireCapacity(for: count)
    let freed = Gauge()
    let waiters = try (0..<count).map { _ in
      try SystemThread {
        take()
        freed.up()
      }
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

/// Pairs of wait and signal, one after the other, which enclose either no work or an update.
struct Pairs: Sendable {
  /// The number of pairs.
  let count: Int
  private let number: UnguardedNumber?
  private let steps: Int

  /// Creates pairs that enclose no work.
  init(_ count: Int) { (self.count, number, steps) = (count, nil, 0) }

  /// Creates pairs that each enclose an update of `number` with some steps of work.
  init(_ count: Int, updating number: UnguardedNumber, steps: Int) {
    (self.count, self.number, self.steps) = (count, number, steps)
  }

  /// Runs the body for each pair of wait and signal, in a timed loop.
  @inline(__always)
  func each(_ pair: (_ critical: () -> Void) -> Void) {
    if let number {
      timedLoop(count) { _ in pair { number.update(steps: steps) } }
    } else {
      timedLoop(count) { _ in pair {} }
    }
  }
}

/// A number that is updated by a read and a write, without synchronization.
final class UnguardedNumber: Sendable {
  private let number = Atomic<Int>(0)

  /// Adds one, with `steps` steps of work between reading and writing.
  @inline(__always)
  func update(steps: Int) {
    let before = number.load(ordering: .relaxed)
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    number.store(before + 1, ordering: .relaxed)
  }

  /// The value of the number.
  var value: Int { number.load(ordering: .relaxed) }
}
