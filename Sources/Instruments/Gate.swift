import Dispatch

/// Holds tasks back without a thread: a queue that is not active yet.
public final class Gate: Sendable {
  /// Where tasks wait for the gate; concurrent once it is open.
  public let queue = DispatchQueue(label: "gcdlab.gate", attributes: [.concurrent, .initiallyInactive])

  /// A gate that is shut.
  public init() {}

  // Freeing an inactive queue traps, and would hide the error that kept the gate from being opened.
  deinit { queue.activate() }

  /// Lets all tasks run.
  public func open() { queue.activate() }

  /// Suspends the calling task until the gate is open.
  public func passed() async { await withCheckedContinuation { task in queue.async { task.resume() } } }
}
