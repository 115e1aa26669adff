import CDispatchSupport
import Instruments
import Synchronization

/// A loop over an array, which may be run in parts, by any threads, in any order.
///
/// It is no more than a pointer: to hand it to a block costs nothing, and a C function gets it as its context.
///
/// Unchecked: an element of the array is written by the one part that covers it, and the rest changes only between two
/// runs. Its owner deallocates it once every part has ended.
struct StridedLoop: @unchecked Sendable {
  private let state: UnsafeMutablePointer<State>

  private struct State {
    let count: Int
    let stride: Int
    let steps: Int
    let balance: ApplyStride.Balance
    let results: UnsafeMutablePointer<UInt64>
    /// Another one for each run: a processor that meets the same random work again has learned it by heart.
    var salt: UInt64 = 0
    var watch: (any BlockWatch)?
    var isWatched = false
  }

  /// A loop of `count` iterations.
  ///
  /// - Parameters:
  ///   - stride: how many belong in a block.
  ///   - steps: the calibrated work of each, on average.
  init(count: Int, stride: Int, steps: Int = 0, balance: ApplyStride.Balance = .uniform) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(count: count, stride: stride, steps: steps, balance: balance, results: .allocate(capacity: count)))
    clear()
  }

  /// The loop that was handed to a C function as its ``context``.
  @inline(__always)
  init(_ context: UnsafeMutableRawPointer?) {
    guard let context else { preconditionFailure("no context") }
    state = context.assumingMemoryBound(to: State.self)
  }

  /// A pointer to the loop, for a C function.
  var context: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state) }

  /// How many iterations it has.
  var count: Int { state.pointee.count }
  /// The number of iterations in a block.
  @inline(__always) var stride: Int { state.pointee.stride }

  /// Frees it. No part may run any more.
  func deallocate() {
    state.pointee.results.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Runs `body` while every part is run through `watch`.
  func watched(by watch: any BlockWatch, _ body: (StridedLoop) throws -> Void) rethrows {
    (state.pointee.watch, state.pointee.isWatched) = (watch, true)
    try body(self)
    (state.pointee.watch, state.pointee.isWatched) = (nil, false)
  }

  /// Runs the iterations of `part`, one after the other. The same machine code for every way of calling it.
  @inline(never)
  func run(_ part: Range<Int>) {
    // Not `watch` itself, which would be retained in every block.
    if state.pointee.isWatched { runWatched(part) } else { iterate(part) }
  }

  @inline(never)
  private func runWatched(_ part: Range<Int>) {
    if !part.isEmpty { state.pointee.watch?.block(of: part.count) { iterate(part) } }
  }

  /// Works from where the thread's iteration before ended, be it in another part: a core runs independent iterations,
  /// and short parts, several at a time, and a loop in such parts would seem faster than a plain one.
  @inline(__always)
  private func iterate(_ part: Range<Int>) {
    guard let chain = gcdlab_chain() else { return }
    let (count, steps, results) = (state.pointee.count, state.pointee.steps, state.pointee.results)
    var value = chain.pointee
    gcdlab_loop_begins()
    // One loop for each balance: what an iteration does must not depend on a branch that another balance needs.
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
    // The low byte counts the visits; the rest makes the work count.
    result &+= value << 8 | 1
  }

  @inline(__always)
  private static func scatter(_ i: UInt64) -> UInt64 {
    var z = i &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return z ^ (z >> 31)
  }

  /// Empties the array for the next run, whose random work is another.
  func clear() {
    state.pointee.results.update(repeating: 0, count: count)
    state.pointee.salt &+= UInt64(truncatingIfNeeded: count)
  }

  /// How many elements were left out so far, and how many were visited more than once (up to 255 times).
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

/// What is told of every part of a loop that is run, however it is called.
protocol BlockWatch: Sendable {
  /// Some thread is about to run a part of so many iterations by `run`.
  func block(of iterations: Int, _ run: () -> Void)
}

/// Counts the parts, and which thread ran how much.
final class BlockCount: BlockWatch {
  private let counted = Atomic<Int>(0)
  /// Which thread ran how many iterations.
  let shares = ThreadShares()

  /// How many parts ran.
  var blocks: Int { counted.load(ordering: .relaxed) }

  func block(of iterations: Int, _ run: () -> Void) {
    counted.add(1, ordering: .relaxed)
    shares.add(iterations)
    run()
  }
}

/// Holds back the block that begins last, until the loop is said to be over: so one that does not wait for all its
/// blocks is found out, however fast they are.
final class LateBlock: BlockWatch {
  private let expected: Int
  private let begun = Atomic<Int>(0)
  private let ended = Atomic<Int>(0)
  // The right loops pay for it in every trial.
  private let isOver = BoundedGate(bound: .milliseconds(1))

  /// Watches a loop of so many blocks.
  init(of blocks: Int) { expected = blocks }

  /// How many blocks were begun.
  var blocks: Int { begun.load(ordering: .acquiring) }

  /// The loop is said to be over.
  func loopIsOver() { isOver.open() }

  func block(of iterations: Int, _ run: () -> Void) {
    if begun.add(1, ordering: .acquiringAndReleasing).newValue == expected { isOver.pass() }
    run()
    if ended.add(1, ordering: .acquiringAndReleasing).newValue == expected - 1 { isOver.restHasFinished() }
  }
}

extension ApplyStride {
  /// Some loops that are not timed, and timed ones that are ended when they took 12 ms or 30 plain loops: 40 plain
  /// loops, with what scheduling adds to an iteration that is a block of its own; and the pauses of the short ones.
  func longest(_ trial: Trial) -> Duration? {
    (trial[work] + .microseconds(1)) * max(trial[iterations], trial[short]) * 40 + trial[idle] * (trial[repeats] + 3)
  }

  /// Times `body`, which runs all iterations of a loop, and checks that each ran once.
  func measure(_ trial: Trial, _ body: (StridedLoop, _ count: Int) throws -> Void) throws {
    try measure(trial, stride: trial[iterations]) { loop in try body(loop, loop.count) }
  }

  /// Times `body`, which runs a loop in blocks of `stride` iterations, and checks that each ran once.
  ///
  /// - Parameter stride: how many; ``stride`` where nothing else is said.
  /// - Throws: ``Unavailable`` when there would be more than `atMost` blocks.
  func measureBlocks(
    _ trial: Trial, stride: Int? = nil, atMost most: Int = .max,
    _ body: (StridedLoop, _ count: Int, _ stride: Int) throws -> Void
  ) throws {
    let stride = stride ?? trial[self.stride]
    guard (trial[iterations] + stride - 1) / stride <= most else {
      throw Unavailable("more than \(most.grouped) blocks; raise \(groupBlocks.name) to run it")
    }
    let body = { (loop: StridedLoop) in try body(loop, loop.count, loop.stride) }
    try runHundredByFour(trial, body)
    try measure(trial, stride: stride, before: meetings(trial), body)
  }

  /// Times `body`, which runs a short loop in blocks: at once, with a pool thread awake, or after a pause, in which
  /// threads and cores went to sleep. So the plain loop is, that it is compared with.
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

  /// Meets a thread of the pool, where there is a second core for it, and says so when it does not come. Where others
  /// keep the core busy, each wait would be in vain: once some trials have said so, none waits for long any more.
  private func meetings(_ trial: Trial) -> () -> Void {
    guard trial.cores > 1 else { return {} }
    let core = "a second core"
    var meeting = PoolMeeting()
    if trial.isKnownToLack(core) { meeting.patience = .milliseconds(1) }
    return {
      meeting.take()
      if meeting.isGivenUp { trial.lacks(core) }
    }
  }

  /// The document's figures, and whether the end of the loop is its end.
  private func runHundredByFour(_ trial: Trial, _ body: (StridedLoop) throws -> Void) throws {
    let loop = StridedLoop(count: 100, stride: 4)
    let late = LateBlock(of: 25)
    try loop.watched(by: late, body)
    let missed = loop.irregularVisits.missed
    late.loopIsOver()
    trial.record(hundredByFour, late.blocks)
    trial.record(unfinished, missed)
    // Else a block may still need it.
    if missed == 0 { loop.deallocate() }
  }

  /// - Parameter prepare: what is done before each timed loop, and not timed.
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

  /// Records by how much the loop gained on the plain one, and which of its iterations went wrong. Returns what it
  /// gained.
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

  /// Times the plain loop, and then `body`, and frees the loop.
  ///
  /// - Parameters:
  ///   - watch: what the parts are run through in a loop that is not timed.
  ///   - beforePlain: what is done before each plain loop, and not timed.
  ///   - prepare: the same before each loop of `body`.
  private func compare(
    _ trial: Trial, _ loop: StridedLoop, watchedBy watch: (any BlockWatch)? = nil, beforePlain: () -> Void = {},
    before prepare: () -> Void, _ body: (StridedLoop) throws -> Void
  ) throws -> (alone: [UInt64], times: [UInt64], wrong: (missed: Int, repeated: Int)) {
    let enough: UInt64 = 12_000_000
    // Steadier than any loop on several cores, and so known from fewer.
    let alone = times(of: loop, min(trial[repeats], 2), within: enough, before: beforePlain) { $0.run(0..<$0.count) }
    let typical = Summary(alone.map { Double(max($0, 1)) })?.p50 ?? 1
    // This one also warms up.
    if let watch { try loop.watched(by: watch, body) } else { try body(loop) }
    loop.clear()

    var wrong = (missed: 0, repeated: 0)
    let times = try times(
      of: loop, trial[repeats], within: min(enough, UInt64(30 * typical)), before: prepare, body
    ) { visits in
      wrong = (wrong.missed + visits.missed, wrong.repeated + visits.repeated)
    }
    // Else, and after an error, a part may still run.
    if wrong.missed == 0 { loop.deallocate() }
    return (alone, times, wrong)
  }

  /// Times `body` up to `repeats` times, and shows `check` what each time left in the array. Once `enough` nanoseconds
  /// are spent, no more are begun.
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
