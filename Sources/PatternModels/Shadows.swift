import Exploration
import Instruments

// The files of patterns in this folder are links to the files that the trials run. A module's own declaration takes
// precedence over an imported declaration. The names below therefore refer to the patterns, queues, locks and threads
// of an exploration in this module.

// MARK: Patterns

typealias Pattern = ExploredPattern
typealias Variant = ExploredVariant

// MARK: Dispatch

typealias DispatchQueue = ModelQueue
typealias DispatchGroup = ModelGroup
typealias DispatchSemaphore = ModelSemaphore

/// A model of a serial queue for the C functions.
final class FunctionQueue: Sendable {
  let object: ModelQueue
  init(label: String) { object = ModelQueue(label: label) }
}

/// Executes a function on a queue, and waits until it has returned.
func gcdlab_dispatch_sync_f(
  _ queue: ModelQueue, _ context: UnsafeMutableRawPointer?, _ function: (UnsafeMutableRawPointer?) -> Void
) {
  queue.sync { function(context) }
}

/// Calls `function` once for `predicate`, with a copy of `context`.
func dispatchOnce<Context>(
  _ predicate: ModelOnce, _ context: Context, _ function: (UnsafeMutableRawPointer?) -> Void
) {
  predicate.once {
    withUnsafePointer(to: context) { function(UnsafeMutableRawPointer(mutating: $0)) }
  }
}

// MARK: Locks and threads

typealias SpinBarrier = ModelBarrier
typealias ReadersWriterLock = ModelReadersWriterLock
typealias Variable = Exploration.Shared

/// A model of a mutex that closures can share.
final class Lock: Sendable {
  let mutex = ModelLock()
}

/// A model of threads outside the dispatch pool.
enum SystemThread {
  /// Returns at once, since an exploration can always create threads.
  static func requireCapacity(for count: Int) throws(SystemError) {}
}

// MARK: Swift concurrency

/// Executes asynchronous work as a task, and waits for its result.
func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let box = TaskResult<Result>()
  Task { do { box.result = .success(try await body()) } catch { box.result = .failure(error) } }
  Execution.wait("waits for a task") { box.result != nil }
  guard let result = box.result else { throw Unavailable("the execution is over") }
  return try result.get()
}

/// Storage for the result of a task; nil until the task has ended.
///
/// Unchecked: an execution uses its objects from one thread at a time.
private final class TaskResult<Value>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
