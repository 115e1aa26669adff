/// A model of the threads that run Swift's tasks and the blocks of the global queues: a fixed number for each priority.
///
/// Unchecked: everything happens on the thread that explores.
final class ModelPool: @unchecked Sendable {
  private let width: Int
  private var busy: [UInt8: Int] = [:]

  init(width: Int) { self.width = width }

  /// Whether a thread of the priority is free.
  func hasRoom(for priority: TaskPriority) -> Bool { busy[priority.rawValue, default: 0] < width }
  /// Takes a thread.
  func enter(_ priority: TaskPriority) { busy[priority.rawValue, default: 0] += 1 }
  /// Gives a thread back.
  func leave(_ priority: TaskPriority) { busy[priority.rawValue, default: 0] -= 1 }
}
