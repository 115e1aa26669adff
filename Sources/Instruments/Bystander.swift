import Dispatch
import Laboratory
import Synchronization

/// A block, or a task, of somebody else, who needs nothing of what others wait for: it begins, or it is held up.
public final class Bystander: Sendable {
  private let submit: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  private let submitted = Moment()
  private let begun = Moment()
  private let hasBegun = DispatchSemaphore(value: 0)
  private let heldUp = Atomic<Bool>(false)

  /// A block on `queue`.
  public init(on queue: DispatchQueue) { submit = { body in queue.async(execute: body) } }

  /// A task of Swift concurrency.
  public init(asTaskOf priority: TaskPriority) { submit = { body in Task(priority: priority) { body() } } }

  /// Whether it had not begun when all threads slept.
  public var isHeldUp: Bool { heldUp.load(ordering: .relaxed) }

  /// Whether it has begun by now.
  public var hasComeToBegin: Bool { begun.isSet }

  /// The block or task is submitted, and begins or is held up.
  public func come(_ standstill: Standstill) throws {
    submitted.set()
    submit { [self] in
      begun.set()
      hasBegun.signal()
    }
    let begins = try standstill.wait { begun.isSet }
    heldUp.store(!begins, ordering: .relaxed)
  }

  /// Waits for its beginning, but not longer than `patience`.
  public func awaitStart(for patience: Duration) {
    guard hasBegun.wait(within: patience) else { return }
    hasBegun.signal()
  }

  /// Waits for its beginning; returns how long after its submission it was, in nanoseconds.
  public func awaitStart() -> UInt64 {
    hasBegun.wait()
    hasBegun.signal()
    return begun.since(submitted) ?? 0
  }
}
