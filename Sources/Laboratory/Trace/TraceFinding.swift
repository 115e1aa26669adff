/// A fact that a trace shows, with its evidence: indices of lanes, queues and blocks, and times in nanoseconds.
///
/// A finding is reported only if the record proves it or, for a user's program, makes it likely (``isCertain``). A gap
/// in the record is never interpreted as an idle thread.
public enum TraceFinding: Sendable, Equatable {
  /// A signal ended the trial or the program inside this block. The block is nil if the thread that caused the signal
  /// ran no block, or if that thread is unknown.
  case trap(signal: Int, block: Int?)
  /// The trial failed for this reason.
  case failure(String)
  /// Each lane runs a block of a queue that the previous lane waits for, and the first lane runs a block of a queue
  /// that the last lane waits for. A single lane waits in `sync` for the queue that it runs on.
  case deadlock([Owner])
  /// These lanes were waiting when the trial hung, or for a long time before the end of a program's record. The lanes
  /// are not in a deadlock of queues.
  case standstill(lanes: [Int])
  /// Every pool thread with a block was blocked, at least one thread for each core, while other blocks waited for a
  /// thread. The values are the maximum number of blocked threads, the maximum number of waiting blocks, and the total
  /// duration of the starvation.
  case starvation(workers: Int, backlog: Int, time: UInt64)
  /// Jobs of Swift concurrency blocked their threads in waits of at least 1 ms. The values are the number of these
  /// waits and the longest wait.
  case blockedJobs(count: Int, longest: WorkWait)
  /// Many threads of the pool ran blocks, and many of these blocks were in progress at once. The values are the number
  /// of these threads and the maximum number of blocks at once. Each value is at least four times the number of cores.
  case manyThreads(threads: Int, blocks: Int)
  /// The shares of the lanes in the parallel loop that took the longest time, in descending order.
  case loopShares([LoopShare])
  /// The submitted blocks of this queue, whose number is `blocks`, are small: `run`, the median running time, is
  /// shorter than `apart`, the median time between two submissions. For a user's program, `apart` is the time for
  /// submitting and starting a block, and `run` is less than half of `apart`.
  case smallBlocks(queue: Int, blocks: Int, run: UInt64, apart: UInt64)
  /// The longest wait of the caller or inside a block since the first submission. The finding is reported if the wait
  /// takes more than half of the time since the first submission.
  case wait(WorkWait)
  /// Several blocks were in progress at once. The value is their maximum number.
  case overlap(blocks: Int)
  /// A block on the main queue delayed other blocks. The values are the longest such block, its duration, the
  /// number of blocks that it delayed, and the number of other such blocks.
  case hang(block: Int, time: UInt64, waiting: Int, others: Int)
  /// Each lane waits for a lock at the end of the record. The next lane held the lock when the wait began, and the last
  /// lane waits for a lock that the first lane held.
  case lockCycle([Int])
  /// The threads of a program waited in `sync` many times and for a large share of the time. The values are the number
  /// of these waits, their total time, the queue with the longest total time, and the time for this queue. The queue is
  /// nil if it is unknown.
  case syncWaits(waits: Int, time: UInt64, queue: Int?, share: UInt64)
  /// Waits of a program for dispatch semaphores and groups ended because their time limits passed. The values are the
  /// number of these waits and the longest wait.
  case timeouts(count: Int, longest: WorkWait)

  /// A lane in a deadlock. The lane runs a block of a queue, and waits for a queue.
  public struct Owner: Sendable, Equatable {
    /// The index of the lane.
    public var lane: Int
    /// The index of the block that the lane runs.
    public var block: Int
    /// The index of the queue that the lane waits for.
    public var waitsFor: Int
  }

  /// A wait of a thread that had work to do.
  public struct WorkWait: Sendable, Equatable {
    /// The index of the lane.
    public var lane: Int
    /// The index of the innermost block that contains the wait; nil for the caller outside of any block.
    public var block: Int?
    /// The wait of the lane.
    public var wait: Trace.Wait
    /// The duration of the wait within the record, in nanoseconds. In ``TraceFinding/wait(_:)``, the duration counts
    /// from the first submission.
    public var time: UInt64
  }

  /// The share of a parallel loop that a lane ran.
  public struct LoopShare: Sendable, Equatable {
    /// The index of the lane.
    public var lane: Int
    /// The number of iterations that the lane ran.
    public var iterations: Int
  }
}

extension TraceFinding {
  /// Whether the record proves the finding. If false, the finding is likely, but the record also permits other
  /// explanations.
  public var isCertain: Bool {
    switch self {
    case .manyThreads, .lockCycle, .standstill: false
    case .trap, .failure, .deadlock, .starvation, .blockedJobs, .loopShares, .smallBlocks, .wait, .overlap, .hang,
      .syncWaits,
      .timeouts:
      true
    }
  }

  /// Whether threads wait for each other in a cycle, so that none of them can continue.
  public var isCycle: Bool {
    switch self {
    case .deadlock, .lockCycle: true
    default: false
    }
  }

  /// The name of the scenario that shows the finding and its remedy; nil if no scenario shows the finding.
  public var scenario: String? {
    switch self {
    case .deadlock: "queue-deadlock"
    case .starvation: "pool-starvation"
    case .blockedJobs: "blocking-bridge"
    case .hang: "main-queue"
    case .smallBlocks: "task-granularity"
    case .manyThreads: "thread-explosion"
    case .syncWaits: "queue-vs-lock"
    case .trap, .failure, .standstill, .loopShares, .wait, .overlap, .lockCycle, .timeouts: nil
    }
  }
}
