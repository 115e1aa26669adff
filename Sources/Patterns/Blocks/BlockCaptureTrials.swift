import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// The measuring code. A trial holds back the queue while it creates and submits all blocks, and then lets the queue
/// run them. The queue of blocks that `sync` runs is not held back.
extension BlockCapture {
  /// Creates a block and submits it.
  typealias Maker = @Sendable (CapturingBlock) -> Void
  /// Has a C function make a block and submit it.
  typealias FunctionMaker = @Sendable (FunctionQueue, StackBlock) -> Void

  /// Creates blocks that capture a variable, changes the variable, runs the blocks, and counts those that saw another
  /// value.
  var measureValues: Probe<Maker> {
    Probe(reads: [blocks], records: [ran, changed]) { trial, make in
      let blocks = try run(trial, expectsRun: true, make)
      blocks.waitForRuns()
      trial.record(ran, blocks.all.sum { $0.runs.count })
      trial.record(changed, blocks.all.count(where: \.isChanged))
    }
  }

  /// Creates blocks that capture an object, runs them, and notes when each object is released.
  ///
  /// - Parameter patience: how long the trial waits for the release of the objects.
  func measureObjects(patience: Duration = .seconds(10)) -> Probe<Maker> {
    Probe(reads: [blocks], records: [ran, releasedEarly, notReleasedOnce, release]) { trial, make in
      let blocks = try run(trial, expectsRun: true, make)
      blocks.waitForRuns()
      blocks.waitForReleases(patience)
      record(trial, blocks)
      trial.record(release, blocks.all.map(\.releasedAfter))
    }
  }

  /// Creates work items that capture an object, cancels them before they run, and notes when each object is released.
  func measureCancelled(patience: Duration = .seconds(10)) -> Probe<Maker> {
    Probe(reads: [blocks], records: [ran, releasedEarly, notReleasedOnce]) { trial, make in
      let blocks = try run(trial, expectsRun: false, make)
      blocks.waitForReleases(patience)
      record(trial, blocks)
    }
  }

  /// Has a C function make blocks that capture its variable, which changes before they run, and counts those that saw
  /// another value.
  var measureCompiledBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed]) { trial, make in recordValues(trial, try submit(trial, make)) }
  }

  /// Has a C function submit blocks from its stack, which no longer exists when they run, and counts the copies of the
  /// blocks.
  var measureStackBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed, inPlace, notReleasedOnce]) { trial, make in
      let blocks = try submit(trial, make)
      trial.record(notReleasedOnce, record(trial, blocks).count { $0.copies != 1 || $0.frees != 1 })
    }
  }

  /// Has a C function submit blocks from its stack by sync, so that the stack exists until they have run, and counts
  /// the copies of the blocks.
  var measureSyncedStackBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed, inPlace, uncopied]) { trial, make in
      let queue = FunctionQueue(label: "com.example.MyQueue")
      let blocks = stackBlocks(trial)
      for block in blocks { make(queue, block) }
      queue.sync()
      trial.record(uncopied, record(trial, blocks).count { $0.runs > 0 && $0.copies == 0 && $0.frees == 0 })
    }
  }

  /// Makes blocks while their queue is held back, and waits until they have run.
  private func submit(_ trial: Trial, _ make: FunctionMaker) throws -> [StackBlock] {
    // If the pool cannot start its threads, Dispatch waits for them forever.
    try SystemThread.requireCapacity(for: trial.cores + 1)
    let queue = FunctionQueue(label: "com.example.MyQueue")
    let blocks = stackBlocks(trial)
    gcdlab_dispatch_suspend(queue.object)
    for block in blocks { make(queue, block) }
    gcdlab_dispatch_resume(queue.object)
    queue.sync()
    return blocks
  }

  private func stackBlocks(_ trial: Trial) -> [StackBlock] {
    (0..<trial[blocks]).map { StackBlock(number: 1000 + $0) }
  }

  private func record(_ trial: Trial, _ blocks: [StackBlock]) -> [StackBlock.Seen] {
    let seen = blocks.map(\.seen)
    recordValues(trial, blocks)
    trial.record(inPlace, seen.count(where: \.isInPlace))
    return seen
  }

  private func recordValues(_ trial: Trial, _ blocks: [StackBlock]) {
    trial.record(ran, blocks.sum { $0.seen.runs })
    trial.record(changed, blocks.count { $0.seen.value != $0.number })
  }

  private func run(_ trial: Trial, expectsRun: Bool, _ make: Maker) throws -> CapturingBlocks {
    let count = trial[blocks]
    // If the pool cannot start its threads, Dispatch waits for them forever.
    try SystemThread.requireCapacity(for: trial.cores + 1)
    let blocks = CapturingBlocks(count: count, expectsRun: expectsRun)
    for block in blocks.all { make(block) }
    blocks.letGo()
    return blocks
  }

  private func record(_ trial: Trial, _ blocks: CapturingBlocks) {
    trial.record(ran, blocks.all.sum { $0.runs.count })
    trial.record(releasedEarly, blocks.all.count(where: \.isReleasedEarly))
    trial.record(notReleasedOnce, blocks.all.count { $0.releases.count != 1 })
  }
}

/// The blocks of a trial.
final class CapturingBlocks: Sendable {
  /// The blocks, in the order of their numbers.
  let all: [CapturingBlock]
  private let shared: CapturingBlock.Signals

  fileprivate init(count: Int, expectsRun: Bool) {
    let shared = CapturingBlock.Signals(expectsRun: expectsRun)
    self.shared = shared
    all = (0..<count).map { CapturingBlock(number: 1000 + $0, shared) }
  }

  /// Lets the queue run the submitted blocks.
  fileprivate func letGo() {
    shared.isOpen.store(true, ordering: .releasing)
    shared.gate.open()
  }

  /// Waits until each block has run.
  fileprivate func waitForRuns() { for _ in all { shared.hasRun.wait() } }

  /// Waits until each object is released and the queue is empty, but no longer than `patience`.
  fileprivate func waitForReleases(_ patience: Duration) {
    let end = DispatchTime.after(patience)
    for _ in all where shared.isReleased.wait(timeout: end) == .timedOut { break }
    shared.gate.queue.sync(flags: .barrier) {}
  }
}

/// A block that captures a variable or an object, and the observations of the block.
final class CapturingBlock: Sendable {
  /// The queues and signals that the blocks of a trial share.
  fileprivate final class Signals: Sendable {
    let gate = Gate()
    let openQueue = DispatchQueue(label: "open")
    /// Whether the blocks are expected to run, unlike cancelled ones.
    let expectsRun: Bool
    let isOpen = Atomic<Bool>(false)
    let hasRun = DispatchSemaphore(value: 0)
    let isReleased = DispatchSemaphore(value: 0)

    init(expectsRun: Bool) { self.expectsRun = expectsRun }
  }

  /// The value of the block's variable when the block is created.
  let number: Int

  private let shared: Signals
  private let seen = Atomic<Int>(0)
  private let timesEarly = Atomic<Int>(0)
  private let lastLine = Moment()
  private let released = Moment()

  fileprivate init(number: Int, _ shared: Signals) {
    self.number = number
    self.shared = shared
  }

  /// The queue of the block, which is held back until all blocks are created.
  var queue: DispatchQueue { shared.gate.queue }
  /// A queue that is not held back, so that a block runs at once.
  var openQueue: DispatchQueue { shared.openQueue }

  /// Suspends a task until all tasks are created.
  func turn() async { await shared.gate.passed() }

  /// Notes the value that the block saw in its variable, or left there.
  func sees(_ value: Int) {
    seen.store(value, ordering: .relaxed)
    hasRun()
  }

  /// Creates an object that notes its deallocation.
  func makeObject() -> Captured { Captured(of: self) }

  /// Uses the captured object, in the last line of the block.
  func uses(_ object: Captured) {
    // Otherwise the compiler might release the object after its last use.
    withExtendedLifetime(object) {
      lastLine.set()
      hasRun()
    }
  }

  /// An object that a block retains.
  final class Captured: Sendable {
    private let block: CapturingBlock

    fileprivate init(of block: CapturingBlock) { self.block = block }

    deinit { block.isReleased() }
  }

  private func hasRun() {
    runs.add()
    shared.hasRun.signal()
  }

  private func isReleased() {
    released.set()
    let isTime = shared.isOpen.load(ordering: .acquiring) && (!shared.expectsRun || lastLine.isSet)
    if !isTime { timesEarly.add(1, ordering: .relaxed) }
    releases.add()
    shared.isReleased.signal()
  }

  // MARK: Results

  /// The number of times that the block ran.
  fileprivate let runs = Tally()
  /// Whether the block noted a value other than the value of its variable when the block was created.
  fileprivate var isChanged: Bool { seen.load(ordering: .acquiring) != number }
  /// Whether the object was released before the block had run, or before the queue had reached it.
  fileprivate var isReleasedEarly: Bool { timesEarly.load(ordering: .acquiring) > 0 }
  /// The number of times that the object was released.
  fileprivate let releases = Tally()
  /// The nanoseconds from the last line of the block to the release of its object.
  fileprivate var releasedAfter: UInt64? { released.since(lastLine) }
}

/// A block that a C function makes, and the observations of the block.
final class StackBlock: Sendable {
  /// The observations of a block.
  struct Seen: Sendable {
    fileprivate(set) var (runs, copies, frees) = (0, 0, 0)
    /// The value that the block saw; nil if the block did not run.
    fileprivate(set) var value: Int?
    /// Whether the block ran at its original address.
    fileprivate(set) var isInPlace = false
  }

  /// The value that the block captures.
  let number: Int
  private let state = Mutex(Seen())

  /// Creates a block that captures a value.
  init(number: Int) { self.number = number }

  /// A pointer to the block, for a C function.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Returns the block that a pointer refers to.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> StackBlock? {
    pointer.map { Unmanaged<StackBlock>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Notes that the block runs, and the value that it has captured.
  func sees(_ value: Int, inPlace: Bool) {
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

  /// The observations that were noted so far.
  fileprivate var seen: Seen { state.withLock { $0 } }
}
