/// The threads of this process at one instant, as the kernel sees them: which belong to the dispatch pool, and which
/// of those sleep because a block put them to sleep.
///
/// How threads are read is in `ThreadCensus+Linux.swift`; Darwin does not tell why a thread sleeps.
public struct ThreadCensus: Sendable, Equatable {
  /// One thread.
  public struct Thread: Sendable, Equatable {
    /// Its number, as ``ThreadCensus/currentThread`` gives it.
    public let id: Int
    /// Its name, cut to the 15 characters that the kernel keeps.
    public let name: String
    /// What it waits for; nil when it runs or could run. The thread that takes the census is in a call of its own.
    public let sleep: Sleep?
    /// Whether it is a worker of the dispatch pool.
    public internal(set) var isPoolThread: Bool

    /// A thread with its facts; of the pool, if its name says so.
    public init(id: Int, name: String, sleep: Sleep?) {
      self.id = id
      self.name = name
      self.sleep = sleep
      isPoolThread = ThreadCensus.isPoolThread(name)
    }
  }

  /// Why a thread sleeps.
  public enum Sleep: Sendable, Equatable {
    /// In a wait on memory that code of a block asked for: a group, a semaphore, a lock.
    case wait
    /// Like a pool thread that has no work: in a semaphore wait of a few seconds, after which it would end.
    case idle
    /// In another call of the kernel: reading, sleeping, polling.
    case other
  }

  /// The threads, in no order.
  public let threads: [Thread]

  /// A census of these threads.
  public init(threads: [Thread]) { self.threads = threads }

  /// How many threads this process has had at once, at least; nil where the system does not tell.
  ///
  /// No system keeps a peak. Those of Dispatch and of Swift linger for seconds when they have no work, so that the ones
  /// there are now tell of their peak; ours (``SystemThread``), which may have ended, are counted as they come and go.
  public static func peakCount() -> Int? { count().map { max($0, OwnThreads.most + 1) } }

  /// Whether a thread of this name is a worker of the dispatch pool, where Dispatch gives names (since Swift 6.3;
  /// before, workers are known by what else they are not, see ``OwnThreads``). Workers carry the end of their root
  /// queue's name (`com.apple.root.default-qos`, `….overcommit`). A thread gets its name from the one that starts it,
  /// which is why ``SystemThread`` does not give it on; so no other thread is called so.
  static func isPoolThread(_ name: String?) -> Bool { name?.contains("-qos") ?? false }

  /// The numbers of the pool threads that a block put to sleep: they hold a stack and a place in the pool, and do
  /// nothing.
  public var parkedPoolThreads: [Int] {
    threads.filter { $0.isPoolThread && $0.sleep == .wait }.map(\.id).sorted()
  }
}
