import Dispatch

/// A gate that holds back tasks without blocking a thread. The tasks wait on an inactive queue.
public final class Gate: Sendable {
  /// A concurrent queue that is inactive until the gate opens. Blocks and waiting tasks are submitted to this queue.
  public let queue = DispatchQueue(label: "gcdlab.gate", attributes: [.concurrent, .initiallyInactive])

  /// Creates a closed gate.
  public init() {}

  // Freeing an inactive queue traps, which would hide the error that prevented the gate from being opened.
  deinit { queue.activate() }

  /// Opens the gate. All waiting tasks continue.
  public func open() { queue.activate() }

  /// Suspends the calling task until the gate is open.
  public func wait() async { await withCheckedContinuation { task in queue.async { task.resume() } } }
}
