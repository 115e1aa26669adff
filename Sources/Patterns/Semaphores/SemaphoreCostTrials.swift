import Dispatch
import Instruments
import Synchronization

/// What the variants are put through.
extension SemaphoreCost {
  /// Pairs, and control calls, whose system calls are counted.
  private static let counted = 100

  /// Times pairs of wait and signal, uncontended by one thread and contended by several.
  ///
  /// - Parameter run: runs pairs: takes it, runs what is guarded, and gives it back, each time.
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

  /// Threads take it at the same time, and update a number while they hold it.
  private func contend(_ trial: Trial, _ run: @escaping @Sendable (Pairs) -> Void) throws {
    let (threads, pairs, steps) = (trial[threads], trial[contendedPairs], trial.steps(hold))
    let number = Unguarded()
    let effort = try Team.run(threads) { _ in run(Pairs(pairs, updating: number, steps: steps)) }
    trial.record(contended, effort.nanoseconds, over: threads * pairs)
    if let slept = effort.switches { trial.record(contextSwitches, Double(slept.voluntary) / Double(threads * pairs)) }
    trial.record(lostUpdates, threads * pairs - number.value)
  }

  /// Lets threads wait for a permit, signals once at a time, and counts the threads that each signal lets go.
  func signalOneByOne(
    _ trial: Trial, take: @escaping @Sendable () -> Void, give: @escaping @Sendable () -> Void
  ) throws {
    let count = trial[threads]
    try SystemThread.requireRoom(for: count)
    let freed = Gauge()
    take()
    let waiters = try (0..<count).map { _ in
      try SystemThread {
        take()
        freed.up()
      }
    }
    // Who still waits must come through, whatever was seen.
    defer {
      while freed.now < count {
        give()
        yieldProcessor()
      }
      for thread in waiters { thread.join() }
      give()
    }
    try standstill.wait()
    // A permit too many.
    var wrong = freed.now
    for _ in 0..<count {
      let before = freed.now
      give()
      try standstill.wait()
      if freed.now != before + 1 { wrong += 1 }
    }
    trial.record(wrongWakeups, wrong)
  }
}

/// Pairs of take and give, one behind the other, around nothing or around an update.
struct Pairs: Sendable {
  /// How many.
  let count: Int
  private let number: Unguarded?
  private let steps: Int

  /// A number of pairs around nothing.
  init(_ count: Int) { (self.count, number, steps) = (count, nil, 0) }

  /// A number of pairs, each around an update of `number` with some steps of work.
  init(_ count: Int, updating number: Unguarded, steps: Int) {
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

/// A number that is read and written as if there were no other thread.
final class Unguarded: Sendable {
  private let number = Atomic<Int>(0)

  /// Adds one, with so many steps of work between reading and writing.
  @inline(__always)
  func update(steps: Int) {
    let before = number.load(ordering: .relaxed)
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
    number.store(before + 1, ordering: .relaxed)
  }

  /// What it came to.
  var value: Int { number.load(ordering: .relaxed) }
}
