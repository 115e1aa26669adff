import Dispatch

/// Holds tasks back without a thread: a queue that is not active yet.
final class Gate: Sendable {
  /// Where tasks wait for the gate; concurrent once it is open.
  let queue = DispatchQueue(label: "gcdlab.gate", attributes: [.concurrent, .initiallyInactive])

  // Freeing an inactive queue traps, and would hide the error that kept the gate from being opened.
  deinit { queue.activate() }

  /// Lets all tasks run.
  func open() { queue.activate() }

  /// Suspends the calling task until the gate is open.
  func passed() async { await withCheckedContinuation { task in queue.async { task.resume() } } }
}
