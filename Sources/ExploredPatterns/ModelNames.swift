import Exploration
import Instruments

// A pattern that can be explored has one source file for its trials and its exploration: the file in this folder is a
// link to the file in `Patterns`. The names in the file refer to models here, since a module's own declaration takes
// precedence over an imported declaration:
//
// name in the pattern's file                      | trial                | exploration
// Pattern, Variant                                | Laboratory           | ModelledPattern, ModelledVariant
// DispatchQueue, Dispatch… and their C functions  | Dispatch             | Model… of Exploration, in this file
// the lab's own locks, barriers and threads       | Instruments          | Model… of Exploration, in this file
// Task, actor, async let, task groups             | the runtime's pool   | the same types, run by Execution+Jobs
// the subject of a body, such as FileRequests     | NAMETrials.swift     | NAMEExplored.swift

// MARK: Patterns

typealias Pattern = ModelledPattern
typealias Variant = ModelledVariant

// MARK: Dispatch

typealias DispatchQueue = ModelQueue
typealias DispatchGroup = ModelGroup
typealias DispatchSemaphore = ModelSemaphore
typealias DispatchWorkItem = ModelWorkItem

/// A factory for models of custom sources.
enum DispatchSource {
  static func makeUserDataAddSource(queue: DispatchQueue) -> ModelSource { ModelSource(queue: queue) }
}

/// A model of a serial queue that is used with Dispatch's C functions.
final class FunctionQueue: Sendable {
  let object: ModelQueue
  init(label: String) { object = ModelQueue(label: label) }
}

/// Executes a function on a queue, and waits until the function has returned.
func gcdlab_dispatch_sync_f(
  _ queue: ModelQueue, _ context: UnsafeMutableRawPointer?, _ function: (UnsafeMutableRawPointer?) -> Void
) {
  queue.sync { function(context) }
}

/// Calls `function` with a pointer to a copy of `context`, unless the predicate has already been used.
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
  /// Returns immediately, since an exploration can always create threads.
  static func requireCapacity(for count: Int) throws(SystemError) {}
}

// MARK: Swift concurrency

/// Executes `body` in a task, waits until the task has ended, and returns the result of `body`.
///
/// - Throws: the error that `body` throws, or ``Unavailable`` if the execution is over before the task has ended.
func waitFor<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let box = TaskResult<Result>()
  Execution.task(named: "main task") {
    Task { do { box.result = .success(try await body()) } catch { box.result = .failure(error) } }
  }
  Execution.wait("waits for a task") { box.result != nil }
  guard let result = box.result else { throw Unavailable("the execution is over") }
  return try result.get()
}

/// Storage for the result of a task. The result is nil until the task has ended.
private final class TaskResult<Value>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
