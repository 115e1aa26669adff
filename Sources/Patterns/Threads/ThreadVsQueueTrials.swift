import Dispatch
import Instruments
import Synchronization

extension ThreadVsQueue {
  /// Records the time from the call of `submit` to the first instruction of the submitted task, for one task after the
  /// other. The first task is a warm-up. Also records the number of tasks that did not begin exactly once.
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

  /// Creates objects by calling `make` repeatedly, and records the average number of bytes by which an object increases
  /// the resident memory of the process. The first object is not counted. Records nothing if the system does not report
  /// resident memory.
  func weigh<Object>(_ trial: Trial, _ make: () throws -> Object) throws {
    let count = trial[objects]
    var waiting: [Object] = []
    waiting.reserveCapacity(count)
    // The creation of the first object also allocates the memory that all objects share.
    let first = try make()
    let before = Host.residentMemory
    for _ in 0..<count { waiting.append(try make()) }
    let after = Host.residentMemory
    withExtendedLifetime((first, waiting)) {}
    if let before, let after { trial.record(memory, max(0, after - before) / count) }
  }
}

/// A task whose start is timed.
final class StartingTask: Sendable {
  /// The index of the task; the warm-up has the index 0.
  let number: Int
  fileprivate let submitted = Moment()
  private let began = Moment()
  private let hasBegun = DispatchSemaphore(value: 0)

  fileprivate let beginnings = Tally()

  fileprivate init(number: Int) { self.number = number }

  /// Records the start of the task. The task must call this method first.
  func begins() {
    began.set()
    beginnings.add()
    hasBegun.signal()
  }

  /// Waits until the task has started. Returns the nanoseconds from the submission to the start.
  fileprivate func waitForBeginning() -> UInt64 {
    hasBegun.wait()
    return began.since(submitted) ?? 0
  }
}

/// An object that owns a waiting thread or task. The wait ends when the object is deallocated.
final class Parked {
  private let endThread: () -> Void

  /// Calls `start`, which starts a thread or task, and returns when the thread or task is about to wait. The argument
  /// of `start` is a closure that the thread or task must call immediately before it waits. The closure that `start`
  /// returns must end the wait.
  init(_ start: (_ arrived: @escaping @Sendable () -> Void) throws -> () -> Void) rethrows {
    let hasArrived = DispatchSemaphore(value: 0)
    endThread = try start { hasArrived.signal() }
    hasArrived.wait()
  }

  deinit { endThread() }
}

/// A suspended task that another thread can resume.
final class SuspendedTask: Sendable {
  private let task = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// Stores the continuation of a suspended task.
  func set(_ suspended: CheckedContinuation<Void, Never>) { task.withLock { $0 = suspended } }

  /// Resumes the suspended task. Has no effect if no continuation is stored.
  func resume() { task.withLock { $0.take() }?.resume() }
}
