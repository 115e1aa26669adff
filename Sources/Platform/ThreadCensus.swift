/// The threads of this process: which threads belong to the dispatch pool, and which pool threads sleep because their
/// blocks wait. The threads are examined one after the other.
///
/// `ThreadCensus+Linux.swift` creates the census. Darwin does not report why a thread sleeps.
public struct ThreadCensus: Sendable, Equatable {
  /// A thread of this process.
  public struct Thread: Sendable, Equatable {
    /// The system's number of the thread, as in ``ThreadCensus/currentThread``.
    public let id: Int
    /// The name of the thread, cut to the 15 characters that the kernel stores.
    public let name: String
    /// The reason why the thread sleeps; nil if the thread runs or could run. The thread that takes the census is
    /// itself in a system call, so its reason is ``ThreadCensus/Sleep/other``.
    public let sleep: Sleep?
    /// Whether the thread belongs to the dispatch pool.
    public internal(set) var isPoolThread: Bool

    /// Creates the census entry of a thread. The thread counts as a pool thread if `name` is the name of a pool thread.
    public init(id: Int, name: String, sleep: Sleep?) {
      self.id = id
      self.name = name
      self.sleep = sleep
      isPoolThread = ThreadCensus.isPoolThread(name)
    }
  }

  /// The reason why a thread sleeps.
  public enum Sleep: Sendable, Equatable {
    /// The wait of a block for a group, a semaphore or a lock.
    case wait
    /// The wait of a pool thread without work: a semaphore wait of a few seconds, after which the thread ends. A block
    /// that waits for a semaphore with a timeout also has this reason.
    case idle
    /// A system call that is not a wait for a group, a semaphore or a lock, such as reading, sleeping or polling.
    case other
  }

  /// The threads, in no particular order.
  public let threads: [Thread]

  /// Creates a census of `threads`.
  public init(threads: [Thread]) { self.threads = threads }

  /// Returns a lower bound of the peak number of threads of this process; nil if the system does not report threads.
  ///
  /// No system records the peak. Idle threads of Dispatch and of Swift exist for seconds, so the current number usually
  /// includes all idle threads. The lab's own threads (``SystemThread``) may have ended. The result is therefore at
  /// least the peak number of these threads, plus 1 for the main thread.
  public static func peakCount() -> Int? { count().map { max($0, OwnThreads.most + 1) } }

  /// Returns whether `name` is the name of a pool thread. Since Swift 6.3, Dispatch names its threads by the end of
  /// their root queue's name (`com.apple.root.default-qos`, `….overcommit`). For earlier versions, ``OwnThreads``
  /// identifies the pool's threads. A thread inherits the name of the thread that starts it, so ``SystemThread`` hides
  /// the name of a pool thread while the pool thread starts a thread of the lab.
  static func isPoolThread(_ name: String?) -> Bool { name?.contains("-qos") ?? false }

  /// The numbers of the pool threads that sleep because their blocks wait for a group, a semaphore or a lock. Each such
  /// thread occupies a stack and a place in the pool, and does no work.
  public var parkedPoolThreads: [Int] {
    threads.filter { $0.isPoolThread && $0.sleep == .wait }.map(\.id).sorted()
  }
}
