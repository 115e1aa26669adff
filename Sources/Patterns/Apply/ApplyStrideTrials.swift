import CDispatchSupport
import Instruments
import Synchronization

/// A loop over an array. Any thread may run a range of the iterations, and the ranges may run in any order.
///
/// The structure contains only a pointer to the state of the loop. A block therefore captures the loop without a copy
/// of the array, and a C function can receive the loop as its context.
///
/// Conformance to `Sendable` is unchecked: only the block that runs an iteration writes that iteration's element of the
/// array, and all other state changes only between two runs. The owner must not deallocate the loop before all blocks
/// have ended.
struct StridedLoop: @unchecked Sendable {
  private let state: UnsafeMutablePointer<State>

  private struct State {
    let count: Int
    let stride: Int
    let steps: Int
    let balance: ApplyStride.Balance
    let results: UnsafeMutablePointer<UInt64>
    /// The seed of the run's random work. Each run uses a different seed, since a processor learns to predict work that
    /// recurs.
    var salt: UInt64 = 0
    var watch: (any BlockWatch)?
    var isWatched = false
  }

  /// Creates a loop of `count` iterations, with an array of `count` elements.
  ///
  /// - Parameters:
  ///   - stride: the number of iterations in a block.
  ///   - steps: the average number of steps of calibrated work in an iteration.
  init(count: Int, stride: Int, steps: Int = 0, balance: ApplyStride.Balance = .uniform) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(count: count, stride: stride, steps: steps, balance: balance, results: .allocate(capacity: count)))
    clear()
  }

  /// Creates a reference to a loop from the loop's ``context``, which a C function received.
  @inline(__always)
  init(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("no context") }
    state = context.assumingMemoryBound(to: State.self)
  }

  /// A pointer to the state of the loop, for use as the context of a C function.
  var context: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state) }

  var count: Int { state.pointee.count }
  /// The number of iterations in a block.
  @inline(__always) var stride: Int { state.pointee.stride }

  /// Deallocates the loop. No block of the loop may run during or after this call.
  func deallocate() {
    state.pointee.results.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Calls `body` with this loop. During the call, `watch` observes each nonempty range of iterations that the loop
  /// runs.
  func watched(by watch: any BlockWatch, _ body: (StridedLoop) throws -> Void) rethrows {
    (state.pointee.watch, state.pointee.isWatched) = (watch, true)
    try body(self)
    (state.pointee.watch, state.pointee.isWatched) = (nil, false)
  }

  /// Runs the iterations in `part`, one after the other. The method is not inlined, so that all variants execute the
  /// same machine code.
  @inline(never)
  func run(_ part: Range<Int>) {
    // The condition reads the flag instead of `watch`, since a read of `watch` would retain the observer for each
    // block.
    if state.pointee.isWatched { runWatched(part) } else { iterate(part) }
  }

  @inline(never)
  private func runWatched(_ part: Range<Int>) {
    if !part.isEmpty { state.pointee.watch?.block(of: part.count) { iterate(part) } }
  }

  /// Runs the iterations in `part`.
  ///
  /// Each iteration depends on the result of the thread's previous iteration, even across ranges. Without this
  /// dependency a core could run several independent iterations, or several short ranges, at the same time, and a loop
  /// in short ranges would seem faster than a plain loop.
  @inline(__always)
  private func iterate(_ part: Range<Int>) {
    guard let chain = gcdlab_chain() else { return }
    let (count, steps, results) = (state.pointee.count, state.pointee.steps, state.pointee.results)
    var value = chain.pointee
    gcdlab_loop_begins()
    // Each balance has its own loop: an iteration must not contain a branch that only another balance needs.
    switch state.pointee.balance {
    case .uniform: for i in part { Self.visit(&results[i], steps: steps, from: &value) }
    case .ramp: for i in part { Self.visit(&results[i], steps: 2 &* steps &* i / count, from: &value) }
    case .random:
      let salt = state.pointee.salt
      for i in part {
        let mixed = Self.scatter(UInt64(truncatingIfNeeded: i) &+ salt)
        let steps = Int(truncatingIfNeeded: mixed % UInt64(2 &* steps &+ 1))
        Self.visit(&results[i], steps: steps, from: &value)
      }
    }
    gcdlab_loop_ends()
    chain.pointee = value
  }

  @inline(__always)
  private static func visit(_ result: inout UInt64, steps: Int, from value: inout UInt64) {
    value = CalibratedWork.spin(steps: steps, from: value)
    // The low byte counts the visits. The other bits contain the results, so that the compiler cannot remove the work.
    result &+= value << 8 | 1
  }

  @inline(__always)
  private static func scatter(_ i: UInt64) -> UInt64 {
    var z = i &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return z ^ (z >> 31)
  }

  /// Clears the array for the next run, and changes the seed of the random work.
  func clear() {
    state.pointee.results.update(repeating: 0, count: count)
    state.pointee.salt &+= UInt64(truncatingIfNeeded: count)
  }

  /// The number of elements that were not visited since the last call of ``clear()``, and the number of elements that
  /// were visited more than once. An element can count up to 255 visits.
  var irregularVisits: (missed: Int, repeated: Int) {
    var missed = 0
    var repeated = 0
    for i in 0..<count {
      let visits = state.pointee.results[i] & 0xff
      if visits == 0 { missed += 1 } else if visits > 1 { repeated += 1 }
    }
    return (missed, repeated)
  }
}

/// An observer that runs each block of a loop, and counts or times the block.
protocol BlockWatch: Sendable {
  /// Calls `run` once on the calling thread. The closure `run` executes a block of `iterations` iterations.
  func block(of iterations: Int, _ run: () -> Void)
}

/// An observer that counts the blocks, and the iterations that each thread ran.
final class BlockCount: BlockWatch {
  private let counted = Atomic<Int>(0)
  /// The number of iterations that each thread ran.
  let shares = ThreadShares()

  /// The number of blocks that ran.
  var blocks: Int { counted.load(ordering: .relaxed) }

  func block(of iterations: Int, _ run: () -> Void) {
    counted.add(1, ordering: .relaxed)
    shares.add(iterations)
    run()
  }
}

/// An observer that delays the block that begins last. The delay ends when the caller reports the end of the loop, or
/// one millisecond after all other blocks have ended. The trial thereby detects a loop that does not wait for all its
/// blocks, even if the blocks are fast.
final class LateBlock: BlockWatch {
  private let expected: Int
  private let begun = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  // The time limit is short, since a correct loop waits for it in every trial.
  private let isOver = TimedGate(limit: .milliseconds(1))

  /// Creates an observer for a loop of `blocks` blocks.
  init(of blocks: Int) { expected = blocks }

  /// The number of blocks that have begun.
  var blocks: Int { begun.load(ordering: .acquiring) }

  /// Records that the loop has returned, which ends the delay of the last block.
  func loopIsOver() { isOver.open() }

  func block(of iterations: Int, _ run: () -> Void) {
    if begun.add(1, ordering: .acquiringAndReleasing).newValue == expected { isOver.wait() }
    run()
    if ended.add(1, ordering: .acquiringAndReleasing).newValue == expected - 1 { isOver.startTimeLimit() }
  }
}

extension ApplyStride {
  /// Returns an upper bound for the duration of a trial on an idle machine.
  ///
  /// The time limit is the time of 40 plain loops of ``iterations`` or ``short`` iterations, whichever number is
  /// larger, with one microsecond for scheduling each iteration as a block, plus the pauses before the short loops. No
  /// timed loop starts once all timed loops have taken 12 ms, or 30 times as long as the plain loop.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .microseconds(1)) * max(trial[iterations], trial[short]) * 40 + trial[idle] * (trial[repeats] + 3)
  }

  /// Times `body`, which runs all iterations of a loop, and records the metrics of the loop.
  func measure(_ trial: Trial, _ body: (StridedLoop, _ count: Int) throws -> Void) throws {
    try measure(trial, stride: trial[iterations]) { loop in try body(loop, loop.count) }
  }

  /// Times `body`, which runs a loop in blocks of `stride` iterations, and records the metrics of the loop. Before
  /// that, the method runs `body` once for the example in the Concurrency Programming Guide: 100 iterations in blocks
  /// of 4.
  ///
  /// - Parameters:
  ///   - stride: the number of iterations in a block; nil for the setting ``stride``.
  ///   - most: the maximum number of blocks.
  /// - Throws: ``Unavailable`` if the loop has more than `most` blocks.
  func measureBlocks(
    _ trial: Trial, stride: Int? = nil, atMost most: Int = .max,
    _ body: (StridedLoop, _ count: Int, _ stride: Int) throws -> Void
  ) throws {
    let stride = stride ?? trial[self.stride]
    guard (trial[iterations] + stride - 1) / stride <= most else {
      throw Unavailable("more than \(most.withCommas) blocks; raise \(groupBlocks.name) to run them")
    }
    let body = { (loop: StridedLoop) in try body(loop, loop.count, loop.stride) }
    try runHundredByFour(trial, body)
    try measure(trial, stride: stride, before: meetings(trial), body)
  }

  /// Times `body`, which runs a short loop in blocks, and records the speed-up over a plain loop.
  ///
  /// - Parameter pause: the time for which the calling thread blocks before each loop, so that the pool's threads and
  ///   the cores sleep; nil to start each loop in blocks while a pool thread is awake, if the pool provides a thread in
  ///   time.
  func measureShort(
    _ trial: Trial, after pause: Duration? = nil, _ body: (StridedLoop, _ count: Int, _ stride: Int) throws -> Void
  ) throws {
    let loop = StridedLoop(
      count: trial[short], stride: trial[shortStride], steps: trial.steps(work), balance: trial[balance])
    let prepare = pause.map { pause in { blockThread(for: pause) } } ?? meetings(trial)
    let beforePlain = pause == nil ? {} : prepare
    let (alone, times, wrong) = try compare(trial, loop, beforePlain: beforePlain, before: prepare) { loop in
      try body(loop, loop.count, loop.stride)
    }
    record(trial, alone, times, wrong)
  }

  /// Returns a closure that waits until a pool thread and the calling thread run at the same time. If the threads do
  /// not run at the same time within a time limit, the closure reports that a second core is missing, and later calls
  /// do not wait.
  ///
  /// The closure does nothing if the trial has a single core. If earlier trials have reported the missing core, the
  /// time limit is 1 ms.
  private func meetings(_ trial: Trial) -> () -> Void {
    guard trial.cores > 1 else { return {} }
    var meeting = PoolMeeting()
    if trial.isKnownShortage(Cores.second) { meeting.patience = .milliseconds(1) }
    return {
      meeting.take()
      if meeting.isGivenUp { trial.recordShortage(of: Cores.second) }
    }
  }

  /// Runs a loop of 100 iterations in blocks of 4, which is the example in the Concurrency Programming Guide. Records
  /// how many blocks began, and how many iterations had not ended when the loop returned.
  private func runHundredByFour(_ trial: Trial, _ body: (StridedLoop) throws -> Void) throws {
    let loop = StridedLoop(count: 100, stride: 4)
    let late = LateBlock(of: 25)
    try loop.watched(by: late, body)
    let missed = loop.irregularVisits.missed
    late.loopIsOver()
    trial.record(hundredByFour, late.blocks)
    trial.record(unfinished, missed)
    // If an iteration is missing, a block may still use the loop.
    if missed == 0 { loop.deallocate() }
  }

  /// Times `body`, and records the metrics of the loop.
  ///
  /// - Parameter prepare: a closure that runs before each timed run of `body`, and is not timed.
  private func measure(
    _ trial: Trial, stride: Int, before prepare: () -> Void = {}, _ body: (StridedLoop) throws -> Void
  ) throws {
    let loop = StridedLoop(
      count: trial[iterations], stride: stride, steps: trial.steps(work), balance: trial[balance])
    let count = BlockCount()
    let (alone, times, wrong) = try compare(trial, loop, watchedBy: count, before: prepare, body)
    trial.record(blocks, count.blocks)
    for percentage in count.shares.percentages(of: trial[iterations]) { trial.record(share, percentage) }
    for time in times {
      trial.record(elapsed, time)
      trial.record(perIteration, time, over: trial[iterations])
    }
    if let gained = record(trial, alone, times, wrong) {
      trial.record(efficiency, 100 * gained / Double(trial.cores))
    }
  }

  /// Records the speed-up over the plain loop, and the numbers of missed and repeated iterations.
  ///
  /// - Returns: the speed-up, which is also recorded; nil if `alone` or `times` is empty.
  @discardableResult
  private func record(
    _ trial: Trial, _ alone: [UInt64], _ times: [UInt64], _ wrong: (missed: Int, repeated: Int)
  ) -> Double? {
    trial.record(missed, wrong.missed)
    trial.record(repeated, wrong.repeated)
    guard let plain = Summary(alone.map { Double(max($0, 1)) })?.p50,
      let time = Summary(times.map { Double(max($0, 1)) })?.p50
    else { return nil }
    trial.record(speedup, plain / time)
    return plain / time
  }

  /// Times the plain loop and then `body`. Deallocates the loop, unless an iteration is missing or `body` throws an
  /// error.
  ///
  /// - Parameters:
  ///   - watch: an observer of the blocks in the first run of `body`, which is not timed; nil for no observer.
  ///   - beforePlain: a closure that runs before each plain loop, and is not timed.
  ///   - prepare: a closure that runs before each timed run of `body`, and is not timed.
  /// - Returns: the times of the plain loop and of `body` in nanoseconds, and the numbers of missed and repeated
  ///   iterations.
  private func compare(
    _ trial: Trial, _ loop: StridedLoop, watchedBy watch: (any BlockWatch)? = nil, beforePlain: () -> Void = {},
    before prepare: () -> Void, _ body: (StridedLoop) throws -> Void
  ) throws -> (alone: [UInt64], times: [UInt64], wrong: (missed: Int, repeated: Int)) {
    let enough: UInt64 = 12_000_000
    // The times of a plain loop vary less than those of a parallel loop, so fewer repetitions suffice.
    let alone = times(of: loop, min(trial[repeats], 2), within: enough, before: beforePlain) { $0.run(0..<$0.count) }
    let typical = Summary(alone.map { Double(max($0, 1)) })?.p50 ?? 1
    // This run is not timed, and serves as the warm-up.
    if let watch { try loop.watched(by: watch, body) } else { try body(loop) }
    loop.clear()

    var wrong = (missed: 0, repeated: 0)
    let times = try times(
      of: loop, trial[repeats], within: min(enough, UInt64(30 * typical)), before: prepare, body
    ) { visits in
      wrong = (wrong.missed + visits.missed, wrong.repeated + visits.repeated)
    }
    // The loop is not deallocated if an iteration is missing or `body` has failed, since a block may still run.
    if wrong.missed == 0 { loop.deallocate() }
    return (alone, times, wrong)
  }

  /// Times `body` up to `repeats` times, and passes the irregular visits of each run to `check`. No further run starts
  /// once the runs have taken `enough` nanoseconds in total. Returns the times in nanoseconds.
  private func times(
    of loop: StridedLoop, _ repeats: Int, within enough: UInt64, before prepare: () -> Void = {},
    _ body: (StridedLoop) throws -> Void, check: ((missed: Int, repeated: Int)) -> Void = { _ in }
  ) rethrows -> [UInt64] {
    var times: [UInt64] = []
    while times.count < repeats, times.reduce(0, +) < enough {
      prepare()
      times.append(try MonotonicClock.time { try body(loop) })
      check(loop.irregularVisits)
      loop.clear()
    }
    return times
  }
}
