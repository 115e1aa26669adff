import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// How it is tried: all blocks are made and submitted while their queue is held back, then it is let go. Blocks that
/// `sync` runs have an open queue.
extension BlockCapture {
  /// Makes blocks that capture a variable, changes the variable, runs them, and counts those that saw another value.
  func measureValues(_ trial: Trial, _ make: (CapturingBlock) -> Void) throws {
    let blocks = try run(trial, expectsRun: true, make)
    blocks.waitForRuns()
    trial.record(ran, blocks.all.reduce(0) { $0 + $1.runs })
    trial.record(changed, blocks.all.count(where: \.isChanged))
  }

  /// Makes blocks that capture an object, runs them, and notes when each object is released.
  ///
  /// - Parameter patience: how long the release of the objects is awaited.
  func measureObjects(_ trial: Trial, patience: Duration = .seconds(10), _ make: (CapturingBlock) -> Void) throws {
    let blocks = try run(trial, expectsRun: true, make)
    blocks.waitForRuns()
    blocks.waitForReleases(patience)
    record(trial, blocks)
    trial.record(release, blocks.all.map(\.releasedAfter))
  }

  /// Makes work items that capture an object, cancels them before they run, and notes when each object is released.
  func measureCancelled(_ trial: Trial, patience: Duration = .seconds(10), _ make: (CapturingBlock) -> Void) throws {
    let blocks = try run(trial, expectsRun: false, make)
    blocks.waitForReleases(patience)
    record(trial, blocks)
  }

  /// Has a C function submit blocks from its stack, which is gone when they run, and counts the copies made of them.
  func measureStackBlocks(_ trial: Trial, _ make: (FunctionQueue, StackBlock) -> Void) throws {
    // Where the pool cannot have its threads, Dispatch waits for them for ever.
    try SystemThread.requireRoom(for: trial.cores + 1)
    let queue = FunctionQueue(label: "com.example.MyQueue")
    let blocks = stackBlocks(trial)
    gcdlab_dispatch_suspend(queue.object)
    for block in blocks { make(queue, block) }
    gcdlab_dispatch_resume(queue.object)
    queue.sync()
    trial.record(notReleasedOnce, record(trial, blocks).count { $0.copies != 1 || $0.frees != 1 })
  }

  /// Has a C function submit blocks from its stack by sync, which is there until they have run, and counts the copies
  /// made of them.
  func measureSyncedStackBlocks(_ trial: Trial, _ make: (FunctionQueue, StackBlock) -> Void) {
    let queue = FunctionQueue(label: "com.example.MyQueue")
    let blocks = stackBlocks(trial)
    for block in blocks { make(queue, block) }
    queue.sync()
    trial.record(uncopied, record(trial, blocks).count { $0.runs > 0 && $0.copies == 0 && $0.frees == 0 })
  }

  private func stackBlocks(_ trial: Trial) -> [StackBlock] {
    (0..<trial[blocks]).map { StackBlock(number: 1000 + $0) }
  }

  private func record(_ trial: Trial, _ blocks: [StackBlock]) -> [StackBlock.Seen] {
    let seen = blocks.map(\.seen)
    trial.record(ran, seen.reduce(0) { $0 + $1.runs })
    trial.record(changed, zip(seen, blocks).count { $0.value != $1.number })
    trial.record(inPlace, seen.count(where: \.isInPlace))
    return seen
  }

  private func run(_ trial: Trial, expectsRun: Bool, _ make: (CapturingBlock) -> Void) throws -> CapturingBlocks {
    let count = trial[blocks]
    // Where the pool cannot have its threads, Dispatch waits for them for ever.
    try SystemThread.requireRoom(for: trial.cores + 1)
    let blocks = CapturingBlocks(count: count, expectsRun: expectsRun)
    for block in blocks.all { make(block) }
    blocks.letGo()
    return blocks
  }

  private func record(_ trial: Trial, _ blocks: CapturingBlocks) {
    trial.record(ran, blocks.all.reduce(0) { $0 + $1.runs })
    trial.record(releasedEarly, blocks.all.count(where: \.isReleasedEarly))
    trial.record(notReleasedOnce, blocks.all.count { $0.releases != 1 })
  }
}

/// The blocks of a trial.
final class CapturingBlocks: Sendable {
  /// One a block.
  let all: [CapturingBlock]
  private let shared: CapturingBlock.Shared

  fileprivate init(count: Int, expectsRun: Bool) {
    let shared = CapturingBlock.Shared(expectsRun: expectsRun)
    self.shared = shared
    all = (0..<count).map { CapturingBlock(number: 1000 + $0, shared) }
  }

  /// Lets the queue run what is in it.
  fileprivate func letGo() {
    shared.isOpen.store(true, ordering: .releasing)
    shared.gate.open()
  }

  /// Waits until each block has run.
  fileprivate func waitForRuns() { for _ in all { shared.hasRun.wait() } }

  /// Waits until each object is released and the queue is empty, not longer than `patience`.
  fileprivate func waitForReleases(_ patience: Duration) {
    let end = DispatchTime.after(patience)
    for _ in all where shared.isReleased.wait(timeout: end) == .timedOut { break }
    shared.gate.queue.sync(flags: .barrier) {}
  }
}

/// One block, as it is made, and what is noted of it.
final class CapturingBlock: Sendable {
  /// What the blocks of a trial share.
  fileprivate final class Shared: Sendable {
    let gate = Gate()
    let openQueue = DispatchQueue(label: "open")
    /// Whether blocks are to run, other than cancelled ones.
    let expectsRun: Bool
    let isOpen = Atomic<Bool>(false)
    let hasRun = DispatchSemaphore(value: 0)
    let isReleased = DispatchSemaphore(value: 0)

    init(expectsRun: Bool) { self.expectsRun = expectsRun }
  }

  /// The value that the block's variable has when the block is made.
  let number: Int

  private let shared: Shared
  private let left = Atomic<Int>(0)
  private let timesRun = Atomic<Int>(0)
  private let timesReleased = Atomic<Int>(0)
  private let timesEarly = Atomic<Int>(0)
  private let lastLine = Moment()
  private let released = Moment()

  fileprivate init(number: Int, _ shared: Shared) {
    self.number = number
    self.shared = shared
  }

  /// The queue that a block is submitted to, held until all blocks are made.
  var queue: DispatchQueue { shared.gate.queue }
  /// A queue that is not held, so that a block runs at once.
  var openQueue: DispatchQueue { shared.openQueue }

  /// Suspends a task until all tasks are made.
  func turn() async { await shared.gate.passed() }

  /// Notes the value of the variable that the block has seen or left.
  func leaves(_ value: Int) {
    left.store(value, ordering: .relaxed)
    hasRun()
  }

  /// Makes an object that notes when it is deallocated.
  func makeObject() -> Captured { Captured(of: self) }

  /// Uses the captured object, in the last line of the block.
  func uses(_ object: Captured) {
    // Without it the compiler might let go of what is not used any more.
    withExtendedLifetime(object) {
      lastLine.set()
      hasRun()
    }
  }

  /// An object that a block keeps.
  final class Captured: Sendable {
    private let block: CapturingBlock

    fileprivate init(of block: CapturingBlock) { self.block = block }

    deinit { block.isReleased() }
  }

  private func hasRun() {
    timesRun.add(1, ordering: .acquiringAndReleasing)
    shared.hasRun.signal()
  }

  private func isReleased() {
    released.set()
    let isTime = shared.isOpen.load(ordering: .acquiring) && (!shared.expectsRun || lastLine.isSet)
    if !isTime { timesEarly.add(1, ordering: .relaxed) }
    timesReleased.add(1, ordering: .acquiringAndReleasing)
    shared.isReleased.signal()
  }

  // MARK: What came of it

  /// How often it ran.
  fileprivate var runs: Int { timesRun.load(ordering: .acquiring) }
  /// Whether it left another value than it was made with.
  fileprivate var isChanged: Bool { left.load(ordering: .acquiring) != number }
  /// Whether its object went before it had run, or before the queue had come to it.
  fileprivate var isReleasedEarly: Bool { timesEarly.load(ordering: .acquiring) > 0 }
  /// How often its object went.
  fileprivate var releases: Int { timesReleased.load(ordering: .acquiring) }
  /// Nanoseconds from its last line to the release of its object.
  fileprivate var releasedAfter: UInt64? { released.since(lastLine) }
}

/// A block on the stack of a C function, and what is noted of it.
final class StackBlock: Sendable {
  /// What is noted.
  struct Seen: Sendable {
    fileprivate(set) var (runs, copies, frees) = (0, 0, 0)
    /// What it left; nil where it did not run.
    fileprivate(set) var value: Int?
    /// Whether it ran where it was made.
    fileprivate(set) var isInPlace = false
  }

  /// The value that the block captures.
  let number: Int
  private let state = Mutex(Seen())

  /// One that keeps a value.
  init(number: Int) { self.number = number }

  /// A pointer to the block, for a C function.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The block that such a pointer points to.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> StackBlock? {
    pointer.map { Unmanaged<StackBlock>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Notes that the block runs, and the value that it has captured.
  func leaves(_ value: Int, inPlace: Bool) {
    state.withLock { state in
      state.runs += 1
      state.value = value
      state.isInPlace = inPlace
    }
  }

  /// Notes that a copy of the block was made.
  func isCopied() { state.withLock { $0.copies += 1 } }

  /// Notes that a copy of the block was freed.
  func copyIsFreed() { state.withLock { $0.frees += 1 } }

  /// What was noted so far.
  fileprivate var seen: Seen { state.withLock { $0 } }
}
