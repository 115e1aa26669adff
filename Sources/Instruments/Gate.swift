import Dispatch

/// Holds tasks back without blocking a thread: they wait in a queue that is not active yet.
public final class Gate: Sendable {
  /// The queue on which tasks wait for the gate. It is concurrent once the gate is open.
  public let queue = DispatchQueue(label: "gcdlab.gate", attributes: [.concurrent, .initiallyInactive])

  /// Creates a closed gate.
  public init() {}

  // Freeing an inactive queue traps, which would hide the error that prevented the gate from being opened.
  deinit { queue.activate() }

  /// Lets all tasks run.
  public func open() { queue.activate() }

  /// Suspends the calling task until the gate is open.
  public func passed() async { await withCheckedContinuation { task in queue.async { task.resume() } } }
}
