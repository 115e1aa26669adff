import Dispatch
import Instruments
import Synchronization

extension ThreadVsQueue {
  /// Measures the time from just before `submit` until the first instruction of the task that it submits, for one task
  /// after the other.
  func measure(_ trial: Trial, _ submit: (StartingTask) throws -> Void) throws {
    var tasks: [StartingTask] = []
    for repeated in 0...trial[repeats] {
      let task = StartingTask(number: repeated)
      task.submitted.set()
      try submit(task)
      let time = task.waitForBeginning()
      if repeated > 0 { trial.record(start, time) }
      tasks.append(task)
    }
    trial.record(notOnce, tasks.count { $0.beginnings.count != 1 })
  }

  /// Creates many objects by `make`, and records how much each of them adds to the memory of the process.
  func weigh<Object>(_ trial: Trial, _ make: () throws -> Object) throws {
    let count = trial[objects]
    var waiting: [Object] = []
    waiting.reserveCapacity(count)
    // The first object also creates what all objects share.
    let first = try make()
    let before = Host.residentMemory
    for _ in 0..<count { waiting.append(try make()) }
    let after = Host.residentMemory
    withExtendedLifetime((first, waiting)) {}
    if let before, let after { trial.record(memory, max(0, after - before) / count) }
  }
}

/// A task that is about to start.
final class StartingTask: Sendable {
  /// The index of the task.
  let number: Int
  fileprivate let submitted = Moment()
  private let began = Moment()
  private let hasBegun = DispatchSemaphore(value: 0)

  fileprivate let beginnings = Tally()

  fileprivate init(number: Int) { self.number = number }

  /// Notes the first instruction of the task.
  func begins() {
    began.set()
    beginnings.add()
    hasBegun.signal()
  }

  /// Waits for that first instruction. Returns how long after the submission it was, in nanoseconds.
  fileprivate func waitForBeginning() -> UInt64 {
    hasBegun.wait()
    return began.since(submitted) ?? 0
  }
}

/// A thread or task whose body waits until it is released, and then ends.
final class Parked {
  private let letGo: () -> Void

  /// Starts the thread or task by `start`, and returns when it waits. `start` receives a closure to report the wait,
  /// and returns a closure to release it.
  init(_ start: (_ arrived: @escaping @Sendable () -> Void) throws -> () -> Void) rethrows {
    let hasArrived = DispatchSemaphore(value: 0)
    letGo = try start { hasArrived.signal() }
    hasArrived.wait()
  }

  deinit { letGo() }
}

/// A suspended task, to be resumed by another thread.
final class SuspendedTask: Sendable {
  private let task = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// Keeps the continuation of the task that is suspended now.
  func set(_ suspended: CheckedContinuation<Void, Never>) { task.withLock { $0 = suspended } }

  /// Resumes the suspended task.
  func resume() { task.withLock { $0.take() }?.resume() }
}
