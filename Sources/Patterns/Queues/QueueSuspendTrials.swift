import Dispatch
import Instruments
import Synchronization

/// The measuring code.
extension QueueSuspend {
  /// Returns the longest time of a trial: a block may have to wait for a thread if the machine has none to spare.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// Repeatedly suspends and resumes a queue, and counts the blocks that began while the queue was suspended. There
  /// should be no such blocks.
  ///
  /// During the first suspension, which is also the warm-up, the queue is observed for a while. After that the queue is
  /// resumed as soon as all blocks are added.
  var hold: Probe<@Sendable (Suspension) -> Void> {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost, resumeToRun]) { trial, body in
      _ = suspend(trial, body)
    }
  }

  /// Does the same as ``hold`` with a queue that is suspended while one of its blocks runs. Also counts the blocks that
  /// did not continue.
  var holdWhileRunning: Probe<@Sendable (Suspension) -> Void> {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost, resumeToRun, stopped]) { trial, body in
      trial.record(stopped, suspend(trial, body))
    }
  }

  /// Repeatedly suspends and resumes a queue whose blocks continue to begin, and counts the blocks that began while the
  /// queue was suspended.
  ///
  /// - Parameter patience: how long the trial waits for a block that begins during the suspension. At first there may
  ///   be no thread for the block.
  func continueWhileSuspended(patience: Duration = .seconds(20)) -> Probe<
    @Sendable (Suspension) -> Void
  > {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost]) { trial, body in
      _ = suspend(trial, times: trial[repeats], looks: { _ in patience }, body)
    }
  }

  /// Repeatedly suspends and resumes a queue, and times how soon the blocks begin. Returns the number of blocks that
  /// were running when their queue was suspended, and did not continue.
  private func suspend(_ trial: Trial, _ body: (Suspension) -> Void) -> Int {
    let all = suspend(trial, times: trial[repeats] + 1, looks: { $0 == 0 ? .milliseconds(10) : .zero }, body)
    trial.record(resumeToRun, all.dropFirst().map(\.resumeToRun))
    return all.sum { $0.stopped }
  }

  /// Repeatedly suspends and resumes a queue, and counts the blocks that began during a suspension and the blocks that
  /// were lost.
  private func suspend(
    _ trial: Trial, times: Int, looks: (_ repeated: Int) -> Duration, _ body: (Suspension) -> Void
  ) -> [Suspension] {
    let count = trial[blocks]
    let all = (0..<times).map { repeated in
      let waiting = Suspension(blocks: count, cores: trial.cores, looks: looks(repeated))
      body(waiting)
      waiting.awaitAll()
      return waiting
    }
    trial.record(beganWhileSuspended, all.map(\.beganSuspended).max() ?? 0)
    trial.record(lost, all.sum { $0.lost })
    return all
  }
}

/// A suspension of a queue, and the blocks that wait for its end.
final class Suspension: Sendable {
  /// The group of all blocks.
  let all = DispatchGroup()
  /// The number of cores, which is the number of blocks of a concurrent queue that begin at once.
  let cores: Int
  private let count: Int
  private let runs: RunCounts
  private let began = Atomic<Int>(0)
  private let beganMeanwhile = Atomic<Int>(0)
  private let suspendHasReturned = Atomic<Bool>(false)
  private let anyBegins: BoundedGate
  private let isSuspended = DispatchSemaphore(value: 0)
  private let isRunning = DispatchSemaphore(value: 0)
  private let mayRunOn = DispatchSemaphore(value: 0)
  private let runnerHasEnded = DispatchSemaphore(value: 0)
  private let counts = Mutex((beganSuspended: 0, stopped: 0))
  private let resumed = Moment()
  private let firstBegan = Moment()

  /// Creates a suspension of a queue in which this many blocks wait.
  init(blocks count: Int, cores: Int, looks bound: Duration) {
    self.count = count
    self.cores = cores
    runs = RunCounts(count: count)
    anyBegins = BoundedGate(bound: bound)
  }

  /// A block that is queued.
  struct Block: Sendable {
    fileprivate let suspension: Suspension
    fileprivate let index: Int

    /// Notes that the block begins and that it ends.
    func run() {
      // A block that began before the suspension does not count.
      let isMeanwhile = suspension.suspendHasReturned.load(ordering: .acquiring)
      if isMeanwhile { suspension.beganMeanwhile.add(1, ordering: .acquiringAndReleasing) }
      let began = suspension.began.add(1, ordering: .acquiringAndReleasing).newValue
      if began == 1 { suspension.firstBegan.set() }
      suspension.runs.ran(index)
      if isMeanwhile || began == suspension.count { suspension.anyBegins.open() }
    }
  }

  /// The blocks that are queued.
  var blocks: [Block] { (0..<count).map { Block(suspension: self, index: $0) } }

  /// Suspends the queue by `suspend`, and notes when that call has returned.
  func suspending(_ suspend: () -> Void) {
    suspend()
    suspendHasReturned.store(true, ordering: .releasing)
    isSuspended.signal()
    mayRunOn.signal()
  }

  /// The work of a block that begins before the queue is suspended and ends after that.
  func runUntilSuspended() {
    isRunning.signal()
    mayRunOn.wait()
    mayRunOn.signal()
    runnerHasEnded.signal()
  }

  /// Waits until one more block runs. The block continues when the queue is suspended.
  func awaitRunningBlock() { isRunning.wait() }

  /// Waits until the queue is suspended.
  func awaitSuspension() {
    isSuspended.wait()
    isSuspended.signal()
  }

  /// Watches the suspended queue for a block that begins, for a short time.
  func watch() {
    awaitSuspension()
    anyBegins.restHasFinished()
    anyBegins.pass()
    counts.withLock { $0.beganSuspended = beganMeanwhile.load(ordering: .acquiring) }
  }

  /// Waits for the end of the block that was running when the queue was suspended.
  func awaitEndOfRunningBlock(within patience: Duration = .seconds(20)) {
    let hasEnded = runnerHasEnded.wait(within: patience)
    counts.withLock { $0.stopped = hasEnded ? 0 : 1 }
  }

  /// Resumes the queue by `resume`, and notes the time.
  func resuming(_ resume: () -> Void) {
    resumed.set()
    resume()
  }

  /// Waits for all blocks.
  func awaitAll(within patience: Duration = .seconds(20)) {
    all.wait(within: patience)
  }

  /// The number of blocks that had begun since the suspension when the queue was observed.
  var beganSuspended: Int { counts.withLock { $0.beganSuspended } }
  /// The number of blocks that were running when the queue was suspended and had not ended when it was observed.
  var stopped: Int { counts.withLock { $0.stopped } }
  /// The number of blocks that have not run exactly once.
  var lost: Int { runs.notOnce }
  /// The nanoseconds from the resume to the first block; nil if no block began after it.
  var resumeToRun: UInt64? {
    guard beganSuspended == 0 else { return nil }
    return firstBegan.since(resumed)
  }
}
