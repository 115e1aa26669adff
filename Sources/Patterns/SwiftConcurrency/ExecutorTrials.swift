import Dispatch
import Instruments
import Synchronization

/// The executor on which code runs.
enum CodePlace: Sendable {
  /// The task executor.
  case preferred
  /// The serial executor of an actor.
  case actor
  /// A thread that belongs to neither executor.
  case elsewhere

  private static let key = DispatchSpecificKey<CodePlace>()

  /// The executor of the calling code.
  static var here: CodePlace { DispatchQueue.getSpecific(key: key) ?? .elsewhere }

  /// Creates a serial queue whose blocks are recognized as code of this executor.
  func queue() -> DispatchQueue {
    let queue = DispatchQueue(label: "\(self)")
    queue.setSpecific(key: Self.key, value: self)
    return queue
  }
}

/// A task executor that runs its jobs on a queue.
final class PreferredExecutor: TaskExecutor {
  private let queue = CodePlace.preferred.queue()

  /// Submits a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A serial executor that runs its jobs on a queue, counts them, and recognizes code on that queue.
final class ActorExecutor: SerialExecutor {
  /// The queue on which all instances run their jobs.
  static let queue = CodePlace.actor.queue()
  private let counts = Mutex((jobs: 0, checks: 0))

  /// Submits a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    counts.withLock { $0.jobs += 1 }
    let job = UnownedJob(job)
    Self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Counts the call. Traps if the caller is not on the queue.
  func checkIsolated() {
    counts.withLock { $0.checks += 1 }
    dispatchPrecondition(condition: .onQueue(Self.queue))
  }

  /// The number of jobs that have been enqueued.
  var jobs: Int { counts.withLock { $0.jobs } }
  /// Whether the runtime has called ``checkIsolated()``.
  var wasAsked: Bool { counts.withLock { $0.checks > 0 } }
}

/// A serial executor that incorrectly starts a thread for each job. The jobs can therefore run at the same time.
final class ThreadPerJob: SerialExecutor {
  /// Starts a thread that runs the job. If no thread can be started, the job runs on the calling thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run: @Sendable () -> Void = { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    do { try SystemThread(run).detach() } catch { run() }
  }
}

/// An actor with a custom executor.
actor OwnActor {
  /// The executor on which the actor runs.
  nonisolated let executor: any SerialExecutor
  /// The executor that the runtime uses for the actor.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates an actor that runs on `executor`.
  init(on executor: any SerialExecutor) { self.executor = executor }

  /// Records where the actor runs.
  func look(_ code: PlacedCode) { code.look() }
  /// Calls a nonsending function that records where it runs, before and after a suspension.
  func lookTwice(_ code: PlacedCode) async { await code.lookTwiceOnCaller() }
  /// Runs `body` on the actor.
  func run(_ body: @Sendable () -> Void) { body() }
}

/// An actor on the default executor of the runtime.
actor DefaultActor {
  private var calls = 0

  /// Records where the actor runs.
  func look(_ code: PlacedCode) { code.look() }
  /// Blocks the actor until ``PlacedCode/unblock()`` is called.
  func look(whileKept code: PlacedCode) { code.keep() }
  /// Changes the actor's state, since the optimizer may remove a call that does nothing.
  func count() { calls += 1 }
  /// Runs `body` on the actor.
  func run(_ body: @Sendable () -> Void) { body() }
}
