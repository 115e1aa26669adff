import Dispatch
import Instruments
import Synchronization

/// What the variants are put through.
extension QueueVsLock {
  /// Updates whose system calls are counted.
  private static let counted = 100

  /// How long the first reader waits for a second one that a guard keeps out.
  static let patience = Duration.milliseconds(10)
  /// The same where nothing keeps it out: it ends when the second one comes, which on a busy machine may take its time.
  static let surely = Duration.seconds(10)

  /// Times updates of a number by one thread and by several, and counts updates that were lost.
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

  /// Measures updates that are done later.
  ///
  /// - Parameter untilDone: returns when all updates before it are done; its time is theirs.
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

  /// Measures updates that are awaited.
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
            number.arrives()
            await update(Loop(updates, on: number))
          }
        }
      }
    }
    record(trial, number, MonotonicClock.now() - start, slept?.voluntary)
  }

  /// Threads update at the same time.
  private func contend(
    _ trial: Trial, _ patience: Duration, _ update: @escaping @Sendable (Loop<SharedNumber>) -> Void,
    untilDone: @escaping @Sendable () -> Void
  ) throws {
    let (threads, updates) = (trial[threads], trial[updates])
    let number = SharedNumber(steps: trial.steps(hold), parties: threads, patience: patience)
    let effort = try Team.run(threads) { _ in
      number.arrives()
      update(Loop(updates, on: number))
      untilDone()
    }
    record(trial, number, effort.nanoseconds, effort.switches?.voluntary)
  }

  private func record(_ trial: Trial, _ number: SharedNumber, _ time: UInt64, _ slept: Int?) {
    let all = trial[threads] * trial[updates]
    // Waiting at the gate is no update's time.
    trial.record(contended, time > number.waited ? time - number.waited : 0, over: all)
    if let slept { trial.record(contextSwitches, Double(slept) / Double(all)) }
    trial.record(lostUpdates, all - number.value)
  }
}

/// A number that is updated by a load and a store, so that updates that are not guarded get lost.
final class SharedNumber: Sendable {
  private let number = Atomic<Int>(0)
  private let steps: Int
  private let isHeld: Bool
  private let gate: BoundedGate
  private let toCome: Atomic<Int>
  private let wait = Atomic<UInt64>(0)

  /// A number for one thread, that is updated at once.
  init() {
    (steps, isHeld) = (0, false)
    toCome = Atomic(0)
    gate = BoundedGate(bound: .zero)
  }

  /// A number for so many threads or tasks, with so many steps of work in each update. Once all are about to read, the
  /// first reader waits for a second one, no longer than `patience`.
  init(steps: Int, parties: Int, patience: Duration) {
    (self.steps, isHeld) = (steps, true)
    toCome = Atomic(parties)
    gate = BoundedGate(bound: patience)
  }

  /// One of the parties is about to update for the first time.
  func arrives() { if toCome.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.restHasFinished() } }

  /// Adds one, by a load and a store.
  @inline(__always)
  func update() {
    let before = number.load(ordering: .relaxed)
    if isHeld { holdOn(before) }
    number.store(before + 1, ordering: .relaxed)
  }

  /// What happens between reading and writing when several update. Not inlined, so that the update itself is.
  @inline(never)
  private func holdOn(_ before: Int) {
    if before == 0 { meet() }
    CalibratedWork.consume(CalibratedWork.spin(steps: steps, from: 1))
  }

  private let hasReader = Atomic(false)

  /// The first who read 0 waits for a second one. Who takes turns after it does not read 0 any more.
  private func meet() {
    if hasReader.exchange(true, ordering: .acquiringAndReleasing) { return gate.open() }
    let start = MonotonicClock.now()
    gate.pass()
    wait.store(MonotonicClock.now() - start, ordering: .relaxed)
  }

  /// How long the first reader waited, in nanoseconds.
  var waited: UInt64 { wait.load(ordering: .relaxed) }

  /// What it came to.
  var value: Int { number.load(ordering: .relaxed) }

  /// A pointer to the number, for a C function.
  @inline(__always) var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Updates the number that is a C function's context, without holding on to it.
  @inline(__always)
  static func update(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<SharedNumber>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.update() }
  }
}
