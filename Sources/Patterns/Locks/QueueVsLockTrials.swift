import Dispatch
import Instruments
import Synchronization

extension QueueVsLock {
  /// The number of updates for which system calls are counted.
  private static let counted = 100

  /// The maximum time for which the first reader waits for a second reader that a correct guard excludes.
  static let patience = Duration.milliseconds(10)
  /// The maximum time for which the first reader waits for a second reader that no guard excludes. The wait ends when
  /// the second reader arrives, which may take a while on a busy machine.
  static let unguardedPatience = Duration.seconds(10)

  /// Times updates of a number by one thread and by several threads, and records the number of lost updates.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first reader waits for a second reader.
  ///   - update: a closure that updates the number in a loop.
  func measure(
    _ trial: Trial, patience: Duration = patience, _ update: @escaping @Sendable (Loop<SharedNumber>) -> Void
  ) throws {
    let counted = Self.counted
    let batch = Loop(trial[batch], on: SharedNumber())
    trial.time(uncontended, over: batch.count, nothing: { batch.each { _ in } }) { update(batch) }
    if let calls = SystemCalls.during({ update(Loop(counted, on: batch.subject)) }) {
      trial.record(syscallsPerUpdate, Double(calls) / Double(counted))
    }
    try contend(trial, patience, update, untilDone: {})
  }

  /// Times updates that may run asynchronously, and records the number of lost updates.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first reader waits for a second reader.
  ///   - update: a closure that submits the updates in a loop.
  ///   - untilDone: a closure that waits until all earlier updates have ended. This wait is part of the measured time.
  func measure(
    _ trial: Trial, patience: Duration = patience, _ update: @escaping @Sendable (Loop<SharedNumber>) -> Void,
    untilDone: @escaping @Sendable () -> Void
  ) throws {
    let batch = Loop(trial[batch], on: SharedNumber())
    trial.time(uncontended, over: batch.count, nothing: { batch.each { _ in } }) {
      update(batch)
      untilDone()
    }
    try contend(trial, patience, update, untilDone: untilDone)
  }

  /// Times updates of a number by one task and by several tasks, and records the number of lost updates.
  ///
  /// - Parameters:
  ///   - patience: the maximum time for which the first reader waits for a second reader.
  ///   - update: a closure that updates the number in a loop.
  func measure(
    _ trial: Trial, patience: Duration = patience, _ update: @escaping @Sendable (Loop<SharedNumber>) async -> Void
  ) async throws {
    let (tasks, updates) = (trial[threads], trial[updates])
    let batch = Loop(trial[batch], on: SharedNumber())
    await trial.time(uncontended, over: batch.count, nothing: { await batch.each { _ async in } }) {
      await update(batch)
    }
    let number = SharedNumber(steps: trial.steps(hold), parties: tasks, patience: patience)
    let start = MonotonicClock.now()
    let slept = await ContextSwitches.ofProcess {
      await withTaskGroup { group in
        for _ in 0..<tasks {
          group.addTask {
            number.partyBegins()
            await update(Loop(updates, on: number))
          }
        }
      }
    }
    record(trial, number, MonotonicClock.now() - start, slept?.voluntary)
  }

  /// Runs threads that update the number concurrently, and records the time of an update, the context switches and the
  /// number of lost updates.
  private func contend(
    _ trial: Trial, _ patience: Duration, _ update: @escaping @Sendable (Loop<SharedNumber>) -> Void,
    untilDone: @escaping @Sendable () -> Void
  ) throws {
    let (threads, updates) = (trial[threads], trial[updates])
    let number = SharedNumber(steps: trial.steps(hold), parties: threads, patience: patience)
    let effort = try Team.run(threads) { _ in
      number.partyBegins()
      update(Loop(updates, on: number))
      untilDone()
    }
    record(trial, number, effort.nanoseconds, effort.switches?.voluntary)
  }

  private func record(_ trial: Trial, _ number: SharedNumber, _ time: UInt64, _ slept: Int?) {
    let all = trial[threads] * trial[updates]
    if let time = number.timeOfUpdates(in: time) { trial.record(contended, time, over: all) }
    if let slept { trial.record(contextSwitches, Double(slept) / Double(all)) }
    trial.record(lostUpdates, all - number.value)
  }
}

/// A number that is updated by a load and a store. Concurrent updates may be lost if no guard excludes them.
final class SharedNumber: Sendable {
  private let number = Atomic<Int>(0)
  private let steps: Int
  private let isHeld: Bool
  private let gate: TimedGate
  private let unstarted: Atomic<Int>
  private let wait = Atomic<UInt64>(0)

  /// Creates a number for one thread. The updates of this number do not pause.
  init() {
    (steps, isHeld) = (0, false)
    unstarted = Atomic(0)
    gate = TimedGate(limit: .zero)
  }

  /// Creates a number for several threads or tasks, with `steps` steps of work in each update. The first reader waits
  /// for a second reader, but no longer than `patience` after all parties have begun.
  init(steps: Int, parties: Int, patience: Duration) {
    (self.steps, isHeld) = (steps, true)
    unstarted = Atomic(parties)
    gate = TimedGate(limit: patience)
  }

  /// Records that a party is about to update the number for the first time. The last party starts the time limit of the
  /// first reader.
  func partyBegins() {
    if unstarted.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.startTimeLimit() }
  }

  /// Increments the number by a load and a store.
  @inline(__always)
  func update() {
    let before = number.load(ordering: .relaxed)
    if isHeld { holdOn(before) }
    number.store(before + 1, ordering: .relaxed)
  }

  /// Runs the work of an update between the load and the store. The first reader of 0 also waits for a second reader.
  /// This method is not inlined, which keeps the inlined code of `update` short.
  @inline(never)
  private func holdOn(_ before: Int) {
    if before == 0 { meet() }
    CalibratedWork.run(steps: steps)
  }

  private let hasReader = Atomic(false)

  /// Blocks the first reader of 0 until a second reader arrives or the wait times out. If the first reader has already
  /// stored 1, later readers do not call this method.
  private func meet() {
    if hasReader.exchange(true, ordering: .acquiringAndReleasing) { return gate.open() }
    let start = MonotonicClock.now()
    gate.wait()
    wait.store(MonotonicClock.now() - start, ordering: .relaxed)
  }

  /// The nanoseconds for which the first reader waited.
  var waited: UInt64 { wait.load(ordering: .relaxed) }

  /// Returns the nanoseconds of `time` without the wait of the first reader, which is not part of any update; nil if
  /// the first reader waited for all of that time.
  func timeOfUpdates(in time: UInt64) -> UInt64? { time > waited ? time - waited : nil }

  var value: Int { number.load(ordering: .relaxed) }

  /// An unretained pointer to the number, as the context of a C function.
  @inline(__always) var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Updates the number at `context` without retaining the number. Has no effect if `context` is nil.
  @inline(__always)
  static func update(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<SharedNumber>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.update() }
  }
}
