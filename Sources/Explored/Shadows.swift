import Exploration
import Instruments

// The files of patterns in this folder are links to the files that the trials run. In this module the names below mean
// the patterns, queues, locks and threads of an exploration, since a module's own declaration takes precedence over an
// imported one.

// MARK: Patterns

typealias Pattern = ExploredPattern
typealias Variant = ExploredVariant

// MARK: Dispatch

typealias DispatchQueue = ModelQueue
typealias DispatchGroup = ModelGroup
typealias DispatchSemaphore = ModelSemaphore

/// A serial queue for the C functions.
final class FunctionQueue: Sendable {
  let object: ModelQueue
  init(label: String) { object = ModelQueue(label: label) }
}

/// Runs a function on a queue, and waits for its end.
func gcdlab_dispatch_sync_f(
  _ queue: ModelQueue, _ context: UnsafeMutableRawPointer?, _ function: (UnsafeMutableRawPointer?) -> Void
) {
  queue.sync { function(context) }
}

/// Runs `function` once for `predicate`, on a copy of `context`.
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

/// A mutex that closures can share.
final class Lock: Sendable {
  let mutex = ModelLock()
}

/// A thread outside the dispatch pool.
enum SystemThread {
  /// Returns at once: threads of an exploration always have room.
  static func requireCapacity(for count: Int) throws(SystemError) {}
}

// MARK: Swift concurrency

/// Runs asynchronous work as a task, and waits for its end.
func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let box = TaskResult<Result>()
  Task { do { box.result = .success(try await body()) } catch { box.result = .failure(error) } }
  Execution.wait("waits for a task") { box.result != nil }
  guard let result = box.result else { throw Unavailable("the execution is over") }
  return try result.get()
}

/// The result of a task; nil until the task has ended.
///
/// Unchecked: everything happens on the thread that explores.
private final class TaskResult<Value>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
