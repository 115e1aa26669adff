import Dispatch
import Instruments
import Synchronization

extension QueueSuspend {
  /// Returns one second as an upper bound for the duration of a trial, since a block may have to wait for a thread.
  func longest(_ trial: Trial) -> Duration? { .seconds(1) }

  /// A probe that repeatedly suspends and resumes a queue, and records the highest number of blocks that began during a
  /// suspension. The expected number is zero.
  ///
  /// During the first suspension, which is also the warm-up, the probe observes the queue for 10 ms. Later suspensions
  /// end as soon as the queue is suspended and all blocks are added.
  var hold: Probe<@Sendable (Suspension) -> Void> {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost, resumeToRun]) { trial, body in
      _ = suspend(trial, body)
    }
  }

  /// A probe that suspends a queue while one of its blocks runs, and otherwise measures as ``hold`` does. The probe
  /// also counts the running blocks that did not end before the queue was resumed.
  var holdWhileRunning: Probe<@Sendable (Suspension) -> Void> {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost, resumeToRun, stopped]) { trial, body in
      trial.record(stopped, suspend(trial, body))
    }
  }

  /// Returns a probe that repeatedly suspends and resumes a queue whose blocks begin in spite of the suspension. The
  /// probe records the highest number of blocks that began during a suspension.
  ///
  /// - Parameter patience: the maximum time to wait during a suspension for a block to begin. The block may have to
  ///   wait for a thread.
  func continueWhileSuspended(patience: Duration = .seconds(20)) -> Probe<
    @Sendable (Suspension) -> Void
  > {
    Probe(reads: [blocks, repeats], records: [beganWhileSuspended, lost]) { trial, body in
      _ = suspend(trial, times: trial[repeats], observedFor: { _ in patience }, body)
    }
  }

  /// Repeatedly suspends and resumes a queue. After the first suspension, which is the warm-up, records the time from
  /// each resume to the beginning of the first block. Returns the number of blocks that were running when their queue
  /// was suspended, and had not ended when the queue was resumed.
  private func suspend(_ trial: Trial, _ body: (Suspension) -> Void) -> Int {
    let all = suspend(trial, times: trial[repeats] + 1, observedFor: { $0 == 0 ? .milliseconds(10) : .zero }, body)
    trial.record(resumeToRun, all.dropFirst().map(\.resumeToRun))
    return all.sum { $0.stopped }
  }

  /// Repeatedly suspends and resumes a queue, and records the highest number of blocks that began during a suspension,
  /// and the number of lost blocks. Returns the suspensions.
  private func suspend(
    _ trial: Trial, times: Int, observedFor time: (_ repeated: Int) -> Duration, _ body: (Suspension) -> Void
  ) -> [Suspension] {
    let count = trial[blocks]
    let all = (0..<times).map { repeated in
      let waiting = Suspension(
        blocks: count, cores: trial.cores, poolWidth: trial.poolWidth, observedFor: time(repeated))
      body(waiting)
      waiting.awaitAll()
      return waiting
    }
    trial.record(beganWhileSuspended, all.map(\.beganSuspended).max() ?? 0)
    trial.record(lost, all.sum { $0.lost })
    return all
  }
}

/// A suspension of a queue, and the blocks that are submitted to the queue before it is resumed.
final class Suspension: Sendable {
  /// The group of all blocks.
  let all = DispatchGroup()
  /// The number of cores of the trial. The pool runs at least this number of blocks at the same time.
  let cores: Int
  /// The number of blocks that the pool may run at the same time. The variant `concurrent` first submits this number of
  /// blocks, which run until the queue is suspended. Then the variant submits the blocks of the trial.
  let poolWidth: Int
  private let count: Int
  private let runs: ExecutionCounts
  private let began = Atomic<Int>(0)
  private let beganMeanwhile = Atomic<Int>(0)
  private let suspendHasReturned = Atomic<Bool>(false)
  private let anyBegins: TimedGate
  private let isSuspended = DispatchSemaphore(value: 0)
  private let isRunning = DispatchSemaphore(value: 0)
  private let mayRunOn = DispatchSemaphore(value: 0)
  private let runnerHasEnded = DispatchSemaphore(value: 0)
  private let counts = Mutex((beganSuspended: 0, stopped: 0))
  private let resumed = Moment()
  private let firstBegan = Moment()

  /// Creates a suspension with `count` blocks.
  ///
  /// - Parameter limit: the maximum time for which the suspended queue is observed. The observation ends early if a
  ///   block begins, or if all blocks began before the suspension.
  init(blocks count: Int, cores: Int, poolWidth: Int, observedFor limit: Duration) {
    self.count = count
    self.cores = cores
    self.poolWidth = poolWidth
    runs = ExecutionCounts(count: count)
    anyBegins = TimedGate(limit: limit)
  }

  /// A block that is submitted before the queue is resumed.
  struct Block: Sendable {
    fileprivate let suspension: Suspension
    fileprivate let index: Int

    /// Records a run of the block, and whether the block began after the queue was suspended.
    func run() {
      // A block that began before the suspension is not counted.
      let isDuringSuspension = suspension.suspendHasReturned.load(ordering: .acquiring)
      if isDuringSuspension { suspension.beganMeanwhile.add(1, ordering: .acquiringAndReleasing) }
      let began = suspension.began.add(1, ordering: .acquiringAndReleasing).newValue
      if began == 1 { suspension.firstBegan.set() }
      suspension.runs.ran(index)
      if isDuringSuspension || began == suspension.count { suspension.anyBegins.open() }
    }
  }

  /// The blocks to submit before the queue is resumed.
  var blocks: [Block] { (0..<count).map { Block(suspension: self, index: $0) } }

  /// Calls `suspend`, which suspends the queue. Then records that the queue is suspended, and unblocks the blocks that
  /// run in ``runUntilSuspended()``.
  func suspending(_ suspend: () -> Void) {
    suspend()
    suspendHasReturned.store(true, ordering: .releasing)
    isSuspended.signal()
    mayRunOn.signal()
  }

  /// Runs a block that begins before the queue is suspended, and ends once the queue is suspended.
  func runUntilSuspended() {
    isRunning.signal()
    mayRunOn.wait()
    mayRunOn.signal()
    runnerHasEnded.signal()
  }

  /// Waits until one more block has begun in ``runUntilSuspended()``.
  func awaitRunningBlock() { isRunning.wait() }

  /// Waits until the queue is suspended.
  func awaitSuspension() {
    isSuspended.wait()
    isSuspended.signal()
  }

  /// Waits until the queue is suspended. Then observes the queue until a block begins or a time limit has passed, and
  /// records the number of blocks that began during the suspension. If all blocks began before the suspension, the
  /// observation ends immediately.
  func watch() {
    awaitSuspension()
    anyBegins.startTimeLimit()
    anyBegins.wait()
    counts.withLock { $0.beganSuspended = beganMeanwhile.load(ordering: .acquiring) }
  }

  /// Waits until the block that was running when the queue was suspended has ended, but no longer than `patience`.
  /// Records whether the block has ended.
  func awaitEndOfRunningBlock(within patience: Duration = .seconds(20)) {
    let hasEnded = runnerHasEnded.wait(within: patience)
    counts.withLock { $0.stopped = hasEnded ? 0 : 1 }
  }

  /// Records the time, and calls `resume`, which resumes the queue.
  func resuming(_ resume: () -> Void) {
    resumed.set()
    resume()
  }

  /// Waits until all blocks have ended, but no longer than `patience`.
  func awaitAll(within patience: Duration = .seconds(20)) {
    all.wait(within: patience)
  }

  /// The number of blocks that began between the suspension of the queue and the end of the observation.
  var beganSuspended: Int { counts.withLock { $0.beganSuspended } }
  /// The number of blocks that were running when the queue was suspended, and had not ended when
  /// ``awaitEndOfRunningBlock(within:)`` returned: 0 or 1.
  var stopped: Int { counts.withLock { $0.stopped } }
  /// The number of blocks that have not run exactly once.
  var lost: Int { runs.notOnce }
  /// The nanoseconds from the call of `resume` to the beginning of the first block; nil if a block began during the
  /// suspension, or if no block began. The value is 0 if a block began before the suspension.
  var resumeToRun: UInt64? {
    guard beganSuspended == 0 else { return nil }
    return firstBegan.since(resumed)
  }
}
