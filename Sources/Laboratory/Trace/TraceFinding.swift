/// One fact that a trace shows, with its evidence: lanes, queues and blocks by their indices, and times in nanoseconds.
///
/// A finding is reported only if the record proves it. A gap in the record (calls that were not seen, events that were
/// lost) is never taken for a thread at rest.
public enum TraceFinding: Sendable, Equatable {
  /// A signal ended the trial, while this block was in progress.
  case trap(signal: Int, block: Int?)
  /// The trial failed for this reason.
  case failure(String)
  /// Each lane is in a block of a queue that the lane before it waits for, and the first lane is in a block of a queue
  /// that the last one waits for. A single lane waits in `sync` for the queue that it is on.
  case deadlock([Owner])
  /// The trial hung, and these lanes wait forever. None of them holds what another one waits for.
  case standstill(lanes: [Int])
  /// Every thread of the pool that had a block was blocked in it, at least one for each core, while blocks waited for a
  /// thread. The backlog is the maximum number of such blocks, and the time is the total for which this state lasted.
  case starvation(workers: Int, backlog: Int, time: UInt64)
  /// The waits of a millisecond or more inside jobs of Swift concurrency, which blocked a thread: their number, and the
  /// longest.
  case blockedJobs(count: Int, longest: WorkWait)
  /// The blocks in progress at once, on as many threads, were several times as many as the cores.
  case crowd(threads: Int, blocks: Int)
  /// The number of iterations of the longest parallel loop that each lane ran, the greatest first.
  case loop([LoopShare])
  /// The blocks of this queue are small: the median running time is shorter than the median time between two
  /// submissions.
  case small(queue: Int, blocks: Int, run: UInt64, apart: UInt64)
  /// The longest wait of the caller or inside a block since the first submission, if it lasts for more than half of
  /// the time since then.
  case wait(WorkWait)
  /// Several blocks were in progress at once.
  case overlap(blocks: Int)
  /// A block on the main queue delayed others: the longest such block, its time, and how many blocks waited for the
  /// program's limit or longer.
  case hang(block: Int, time: UInt64, behind: Int)
  /// Each lane waits at the end of the record for a lock. The next lane held the lock when the wait began, and the last
  /// lane waits for a lock that the first lane held.
  case locks([Int])

  /// A lane that holds a queue and waits for another one.
  public struct Owner: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The block that the lane is in.
    public var block: Int
    /// The queue that the lane waits for.
    public var waitsFor: Int
  }

  /// A wait that interrupted the work of a thread.
  public struct WorkWait: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The innermost block around the wait; nil for the caller outside of any block.
    public var block: Int?
    /// The wait.
    public var wait: Trace.Wait
    /// The time that the wait lasted, at most up to the end of the record.
    public var time: UInt64
  }

  /// The part of a parallel loop that a lane ran.
  public struct LoopShare: Sendable, Equatable {
    /// The lane.
    public var lane: Int
    /// The number of iterations that the lane ran.
    public var iterations: Int
  }
}
