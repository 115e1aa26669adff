import Dispatch
import Laboratory
import Measurement
import Platform
import Synchronization

/// What the variants are put through.
extension SemaphoreCost {
  /// Pairs, and control calls, whose system calls are counted.
  private static let counted = 100

  /// The cost of a pair, free and contended, and who is freed by a signal.
  @inline(__always)
  func measure(_ trial: Trial, take: @escaping @Sendable () -> Void, give: @escaping @Sendable () -> Void) throws {
    try measure(trial) { critical in
      take()
      critical()
      give()
    }
    try signalOneByOne(trial, take: take, give: give)
  }

  /// The cost of a pair, free and contended.
  ///
  /// - Parameter pair: takes it, runs what is guarded, and gives it back.
  @inline(__always)
  func measure(_ trial: Trial, _ pair: @escaping @Sendable (_ critical: () -> Void) -> Void) throws {
    let (batch, counted) = (trial[batch], Self.counted)
    for time in Batches.time(of: batch, { pair {} }) { trial.record(free, time, over: batch) }
    if let calls = SystemCalls.during({ for _ in 0..<counted { pair {} } }) {
      trial.record(callsPerPair, Double(calls) / Double(counted))
    }
    if let calls = SystemCalls.during({ for _ in 0..<counted { getParent() } }) {
      trial.record(control, Double(calls) / Double(counted))
    }
    try contend(trial, pair)
  }

  /// Threads take it at the same time, and update a number while they hold it.
  func contend(_ trial: Trial, _ pair: @escaping @Sendable (_ critical: () -> Void) -> Void) throws {
    let (threads, pairs, steps) = (trial[threads], trial[contendedPairs], trial.steps(hold))
    try SystemThread.requireRoom(for: threads)
    let number = Unguarded()
    let start = SpinBarrier(parties: threads + 1)
    let contenders = try (0..<threads).map { _ in
      try SystemThread {
        start.wait()
        for _ in 0..<pairs { pair { number.update(steps: steps) } }
      }
    }
    var time: UInt64 = 0
    let slept = ContextSwitches.ofProcess {
      time = MonotonicClock.time {
        start.wait()
        for thread in contenders { thread.join() }
      }
    }
    trial.record(contended, time, over: threads * pairs)
    if let slept { trial.record(switches, Double(slept.voluntary) / Double(threads * pairs)) }
    trial.record(lostUpdates, threads * pairs - number.value)
  }

  /// Takes the one permit, lets threads wait for it, and signals once at a time.
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
    var astray = freed.now
    for _ in 0..<count {
      let before = freed.now
      give()
      try standstill.wait()
      if freed.now != before + 1 { astray += 1 }
    }
    trial.record(self.astray, astray)
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
