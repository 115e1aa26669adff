import CDispatchSupport
import Dispatch
import Instruments
import Synchronization

/// A trial creates and submits all blocks while their queue is inactive or suspended, and then activates or resumes the
/// queue. Blocks that `sync` runs use a queue that is always active.
extension BlockCapture {
  /// A function that creates and submits a block, or that starts a Swift task in place of the block.
  typealias Maker = @Sendable (CapturingBlock) -> Void
  /// A function that calls a C function, which creates a block and then submits or calls the block.
  typealias FunctionMaker = @Sendable (FunctionQueue, StackBlock) -> Void

  /// A probe that counts the blocks that record a changed value. Each block captures a variable. The variable changes
  /// before the block runs, or the block itself changes the variable.
  var measureValues: Probe<Maker> {
    Probe(reads: [blocks], records: [ran, changed]) { trial, make in
      let blocks = try run(trial, expectsRun: true, make)
      blocks.waitForRuns()
      trial.record(ran, blocks.all.sum { $0.runs.count })
      trial.record(changed, blocks.all.count(where: \.isChanged))
    }
  }

  /// Returns a probe that runs blocks, and records when the object that each block captures is released.
  ///
  /// - Parameter patience: the maximum time to wait for the release of the objects.
  func measureObjects(patience: Duration = .seconds(10)) -> Probe<Maker> {
    Probe(reads: [blocks], records: [ran, releasedEarly, notReleasedOnce, release]) { trial, make in
      let blocks = try run(trial, expectsRun: true, make)
      blocks.waitForRuns()
      blocks.waitForReleases(patience)
      record(trial, blocks)
      trial.record(release, blocks.all.map(\.releasedAfter))
    }
  }

  /// Returns a probe that cancels work items before they run, and counts the captured objects that are not released
  /// exactly once or that are released too early.
  ///
  /// - Parameter patience: the maximum time to wait for the release of the objects.
  func measureCancelled(patience: Duration = .seconds(10)) -> Probe<Maker> {
    Probe(reads: [blocks], records: [ran, releasedEarly, notReleasedOnce]) { trial, make in
      let blocks = try run(trial, expectsRun: false, make)
      blocks.waitForReleases(patience)
      record(trial, blocks)
    }
  }

  /// A probe that counts the blocks that read a changed value. A C function creates each block, and then changes the
  /// local variable that the block has captured.
  var measureCompiledBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed]) { trial, make in recordValues(trial, try submit(trial, make)) }
  }

  /// A probe that counts the blocks that were not copied exactly once, or whose copy was not freed exactly once. A C
  /// function creates each block in its stack frame, submits the block, and returns before the block runs.
  var measureStackBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed, inPlace, notReleasedOnce]) { trial, make in
      let blocks = try submit(trial, make)
      trial.record(notReleasedOnce, record(trial, blocks).count { $0.copies != 1 || $0.frees != 1 })
    }
  }

  /// A probe that counts the blocks that ran without being copied. A C function creates each block in its stack frame
  /// and submits the block with `dispatch_sync`. The stack frame exists until the block has run.
  var measureSyncedStackBlocks: Probe<FunctionMaker> {
    Probe(reads: [blocks], records: [ran, changed, inPlace, uncopied]) { trial, make in
      let queue = FunctionQueue(label: "com.example.MyQueue")
      let blocks = stackBlocks(trial)
      for block in blocks { make(queue, block) }
      queue.sync()
      trial.record(uncopied, record(trial, blocks).count { $0.runs > 0 && $0.copies == 0 && $0.frees == 0 })
    }
  }

  /// Creates blocks while their queue is suspended, resumes the queue, and waits until the blocks have run. Returns the
  /// blocks.
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
    blocks.activate()
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
  /// The blocks, ordered by number.
  let all: [CapturingBlock]
  private let shared: CapturingBlock.Signals

  fileprivate init(count: Int, expectsRun: Bool) {
    let shared = CapturingBlock.Signals(expectsRun: expectsRun)
    self.shared = shared
    all = (0..<count).map { CapturingBlock(number: 1000 + $0, shared) }
  }

  /// Activates the queue of the submitted blocks.
  fileprivate func activate() {
    shared.isOpen.store(true, ordering: .releasing)
    shared.gate.open()
  }

  /// Waits until each block has run.
  fileprivate func waitForRuns() { for _ in all { shared.hasRun.wait() } }

  /// Waits until each object is released, but no longer than `patience`, and then until the queue has run all blocks.
  fileprivate func waitForReleases(_ patience: Duration) {
    let end = DispatchTime.after(patience)
    for _ in all where shared.isReleased.wait(timeout: end) == .timedOut { break }
    shared.gate.queue.sync(flags: .barrier) {}
  }
}

/// A block that captures a variable or an object, with the trial's observations of the block.
final class CapturingBlock: Sendable {
  /// The queues and semaphores that all blocks of a trial share.
  fileprivate final class Signals: Sendable {
    let gate = Gate()
    let openQueue = DispatchQueue(label: "open")
    /// Whether the blocks are expected to run. The value is false for cancelled work items.
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

  /// The queue of the block. The queue runs no blocks until all blocks of the trial are created.
  var queue: DispatchQueue { shared.gate.queue }
  /// A queue that is always active.
  var openQueue: DispatchQueue { shared.openQueue }

  /// Suspends the calling task until all tasks of the trial are created.
  func turn() async { await shared.gate.wait() }

  /// Records the value that the block read from its variable or stored in the variable.
  func recordValue(_ value: Int) {
    seen.store(value, ordering: .relaxed)
    recordRun()
  }

  /// Creates an object that records its deallocation.
  func makeObject() -> Captured { Captured(of: self) }

  /// Uses the captured object, and records a run of the block. The block must call this method in its last line.
  func use(_ object: Captured) {
    // The compiler might otherwise release the object before the last line.
    withExtendedLifetime(object) {
      lastLine.set()
      recordRun()
    }
  }

  /// An object that a block captures, and that records its own deallocation.
  final class Captured: Sendable {
    private let block: CapturingBlock

    fileprivate init(of block: CapturingBlock) { self.block = block }

    deinit { block.recordRelease() }
  }

  private func recordRun() {
    runs.add()
    shared.hasRun.signal()
  }

  private func recordRelease() {
    released.set()
    let isTime = shared.isOpen.load(ordering: .acquiring) && (!shared.expectsRun || lastLine.isSet)
    if !isTime { timesEarly.add(1, ordering: .relaxed) }
    releases.add()
    shared.isReleased.signal()
  }

  // MARK: Results

  /// The number of runs of the block.
  fileprivate let runs = Tally()
  /// Whether the value that the block recorded differs from ``number``; true if the block recorded no value.
  fileprivate var isChanged: Bool { seen.load(ordering: .acquiring) != number }
  /// Whether the object was released before the block had run, or, for a cancelled item, before the queue was
  /// activated.
  fileprivate var isReleasedEarly: Bool { timesEarly.load(ordering: .acquiring) > 0 }
  /// The number of releases of the object.
  fileprivate let releases = Tally()
  /// The nanoseconds from the last line of the block to the release of its object; nil if either event did not occur.
  fileprivate var releasedAfter: UInt64? { released.since(lastLine) }
}

/// A block that a C function creates, with the trial's observations of the block.
final class StackBlock: Sendable {
  /// The observations of a block.
  struct Seen: Sendable {
    fileprivate(set) var (runs, copies, frees) = (0, 0, 0)
    /// The value that the block read; nil if the block did not run.
    fileprivate(set) var value: Int?
    /// Whether the block ran at the address at which it was created.
    fileprivate(set) var isInPlace = false
  }

  /// The value that the block captures.
  let number: Int
  private let state = Mutex(Seen())

  /// Creates a record of a block that captures `number`.
  init(number: Int) { self.number = number }

  /// An unretained pointer to this object, for a C function.
  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Returns the object at a pointer; nil for a null pointer.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> StackBlock? {
    pointer.map { Unmanaged<StackBlock>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Records a run of the block, the value that the block captured, and whether the block runs at its original address.
  func recordValue(_ value: Int, inPlace: Bool) {
    state.withLock { state in
      state.runs += 1
      state.value = value
      state.isInPlace = inPlace
    }
  }

  /// Records that a copy of the block was made.
  func recordCopy() { state.withLock { $0.copies += 1 } }

  /// Records that a copy of the block was freed.
  func recordFree() { state.withLock { $0.frees += 1 } }

  /// The observations so far.
  fileprivate var seen: Seen { state.withLock { $0 } }
}
