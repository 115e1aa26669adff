import Dispatch
import Laboratory
import Synchronization

/// A block or task that does not need the event that the tasks of a trial wait for. A bystander is held up if it has
/// not begun when all threads of the process sleep.
public final class Bystander: Sendable {
  private let submit: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  private let submitted = Moment()
  private let begun = Moment()
  private let hasBegun = DispatchSemaphore(value: 0)
  private let heldUp = Atomic<Bool>(false)

  /// Creates a bystander that is a block on `queue`.
  public init(on queue: DispatchQueue) { submit = { body in queue.async(execute: body) } }

  /// Creates a bystander that is a Swift task with `priority`.
  public init(asTaskOf priority: TaskPriority) { submit = { body in Task(priority: priority) { body() } } }

  /// Whether the bystander had not begun when all threads of the process slept.
  public var isHeldUp: Bool { heldUp.load(ordering: .relaxed) }

  /// Whether the bystander has begun.
  public var hasStarted: Bool { begun.isSet }

  /// Returns whether the bystander has begun, and began later than `time` on ``MonotonicClock``.
  public func hasStarted(after time: UInt64) -> Bool { begun.time.map { $0 > time } ?? false }

  /// Submits the bystander, and waits until it has begun or is held up.
  ///
  /// - Throws: ``Unavailable`` if the system does not report the states of threads.
  public func submitAndObserve(_ standstill: Standstill) throws {
    submitted.set()
    submit { [self] in
      begun.set()
      hasBegun.signal()
    }
    let begins = try standstill.wait { begun.isSet }
    heldUp.store(!begins, ordering: .relaxed)
  }

  /// Waits until the bystander has begun, for at most `patience`.
  public func awaitStart(for patience: Duration) {
    guard hasBegun.wait(within: patience) else { return }
    hasBegun.signal()
  }

  /// Waits until the bystander has begun, and returns the nanoseconds from its submission to its beginning.
  public func awaitStart() -> UInt64 {
    hasBegun.wait()
    hasBegun.signal()
    return begun.since(submitted) ?? 0
  }
}
