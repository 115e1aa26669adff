/// The threads of this process at one instant, as the kernel sees them: which of them belong to the dispatch pool, and
/// which of these sleep because of a block.
///
/// `ThreadCensus+Linux.swift` reads the threads. Darwin does not report why a thread sleeps.
public struct ThreadCensus: Sendable, Equatable {
  /// One thread.
  public struct Thread: Sendable, Equatable {
    /// The number of the thread, as ``ThreadCensus/currentThread`` returns it.
    public let id: Int
    /// The name of the thread, cut to the 15 characters that the kernel keeps.
    public let name: String
    /// The event for which the thread waits; nil if it runs or could run. The thread that takes the census is in a
    /// system call of its own.
    public let sleep: Sleep?
    /// Whether the thread belongs to the dispatch pool.
    public internal(set) var isPoolThread: Bool

    /// Creates a thread from its facts. It belongs to the pool if its name says so.
    public init(id: Int, name: String, sleep: Sleep?) {
      self.id = id
      self.name = name
      self.sleep = sleep
      isPoolThread = ThreadCensus.isPoolThread(name)
    }
  }

  /// The reason why a thread sleeps.
  public enum Sleep: Sendable, Equatable {
    /// A wait on memory that the code of a block asked for: a group, a semaphore, a lock.
    case wait
    /// The wait of a pool thread that has no work: a semaphore wait of a few seconds, after which the thread ends.
    case idle
    /// Another system call: reading, sleeping, polling.
    case other
  }

  /// The threads, in no particular order.
  public let threads: [Thread]

  /// Creates a census of these threads.
  public init(threads: [Thread]) { self.threads = threads }

  /// Returns a lower bound of the peak number of threads of this process; nil if the system does not report threads.
  ///
  /// No system records the peak. The threads of Dispatch and of Swift exist for seconds without work, so the present
  /// threads show their peak. The lab's own threads (``SystemThread``) may have ended, so they are counted when they
  /// start and end.
  public static func peakCount() -> Int? { count().map { max($0, OwnThreads.most + 1) } }

  /// Returns whether a thread of this name belongs to the dispatch pool, if Dispatch names its threads (since Swift
  /// 6.3; before, ``OwnThreads`` identifies them). Such a thread carries the end of its root queue's name
  /// (`com.apple.root.default-qos`, `….overcommit`). A thread inherits the name of the thread that starts it, so
  /// ``SystemThread`` clears the name, and no other thread has such a name.
  static func isPoolThread(_ name: String?) -> Bool { name?.contains("-qos") ?? false }

  /// The numbers of the pool threads that sleep because of a block. Each of them holds a stack and a place in the pool,
  /// and does nothing.
  public var parkedPoolThreads: [Int] {
    threads.filter { $0.isPoolThread && $0.sleep == .wait }.map(\.id).sorted()
  }
}
