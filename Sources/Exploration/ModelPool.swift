/// A model of the threads that execute Swift's tasks and the blocks of the global queues. Each priority has a fixed
/// number of threads.
final class ModelPool: @unchecked Sendable {
  private let width: Int
  private var busy: [UInt8: Int] = [:]

  init(width: Int) { self.width = width }

  /// Returns whether a thread for the priority is free.
  func hasRoom(for priority: TaskPriority) -> Bool { busy[priority.rawValue, default: 0] < width }
  /// Occupies a thread for the priority.
  func enter(_ priority: TaskPriority) { busy[priority.rawValue, default: 0] += 1 }
  /// Frees a thread of the priority.
  func leave(_ priority: TaskPriority) { busy[priority.rawValue, default: 0] -= 1 }
}
