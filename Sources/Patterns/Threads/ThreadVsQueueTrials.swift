import Dispatch
import Instruments
import Synchronization

extension ThreadVsQueue {
  /// Times from just before `submit` to the first instruction of what it submits, one behind the other.
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
    trial.record(notOnce, tasks.count { $0.beginnings != 1 })
  }

  /// Makes many of something that lasts as long as the object that stands for it, and records by how much the process
  /// grew for each.
  func weigh<Object>(_ trial: Trial, _ make: () throws -> Object) throws {
    let count = trial[objects]
    var waiting: [Object] = []
    waiting.reserveCapacity(count)
    // The first brings with it what all share.
    let first = try make()
    let before = Host.residentMemory
    for _ in 0..<count { waiting.append(try make()) }
    let after = Host.residentMemory
    withExtendedLifetime((first, waiting)) {}
    if let before, let after { trial.record(memory, max(0, after - before) / count) }
  }
}

/// A task that is about to begin.
final class StartingTask: Sendable {
  /// Which it is, from 0.
  let number: Int
  fileprivate let submitted = Moment()
  private let began = Moment()
  private let count = Atomic(0)
  private let hasBegun = DispatchSemaphore(value: 0)

  fileprivate var beginnings: Int { count.load(ordering: .relaxed) }

  fileprivate init(number: Int) { self.number = number }

  /// Its first instruction.
  func begins() {
    began.set()
    count.add(1, ordering: .relaxed)
    hasBegun.signal()
  }

  /// Waits for that; returns how long after the submission it was, in nanoseconds.
  fileprivate func waitForBeginning() -> UInt64 {
    hasBegun.wait()
    return began.since(submitted) ?? 0
  }
}

/// Something that waits until it is let go, as its last act: then it ends.
final class Parked {
  private let letGo: () -> Void

  /// Starts it by `start`, which is told how it says that it waits, and gives back how it is let go; returns when it
  /// waits.
  init(_ start: (_ arrived: @escaping @Sendable () -> Void) throws -> () -> Void) rethrows {
    let hasArrived = DispatchSemaphore(value: 0)
    letGo = try start { hasArrived.signal() }
    hasArrived.wait()
  }

  deinit { letGo() }
}

/// A suspended task, to be resumed by another.
final class Waiting: Sendable {
  private let task = Mutex<CheckedContinuation<Void, Never>?>(nil)

  /// The task is suspended.
  func set(_ suspended: CheckedContinuation<Void, Never>) { task.withLock { $0 = suspended } }

  /// The task goes on.
  func resume() { task.withLock { $0.take() }?.resume() }
}
