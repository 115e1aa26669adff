import CDispatchSupport
import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Trials that trap or hang run only in workers: `PromiseTests` checks how each variant ends.
@Suite struct QueueDeadlockTests {
  /// The pattern with another queue instead of the main queue, which a test process does not serve.
  static var pattern: QueueDeadlock {
    var pattern = QueueDeadlock()
    pattern.mainQueue = DispatchQueue(label: "main")
    return pattern
  }

  @Test(arguments: ["async-instead", "sync-on-own-concurrent", "concurrent-perform-on-own-queue"], [1, 1000])
  func `a task that does not wait for itself completes`(_ variant: String, _ iterations: Int) async throws {
    let attempt = try await Attempt(
      variant, of: Self.pattern, files: Catalogue.files,
      variant.hasPrefix("concurrent") ? ["iterations": .integer(iterations)] : [:])
    #expect(attempt.brokenPromises == [])
  }

  @Test func `only the variants without a deadlock are expected to complete`() {
    let completing = Self.pattern.variants.filter { $0.ending == .completes }.map(\.name)
    #expect(
      completing == ["concurrent-perform-on-own-queue", "sync-on-own-concurrent", "async-instead"])
  }

  // MARK: Broken bodies

  /// Submits a block to `queue` without waiting, so that the task completes.
  private static func sends(to queue: DispatchQueue, through other: DispatchQueue? = nil, from own: DispatchQueue) {
    let tasks = DispatchGroup()
    own.async(group: tasks) {
      if let other {
        other.async(group: tasks) { queue.async(group: tasks) {} }
      } else {
        queue.async(group: tasks) {}
      }
    }
    tasks.wait()
  }

  /// Deadlocks until a timeout: a block waits for a later block of its own queue.
  @Sendable private static func waitsForItsOwnQueue(_ trial: Trial, barrier: Bool = false) {
    let inner = ExecutionCounts(count: 1)
    let queue = DispatchQueue(label: "own", attributes: barrier ? .concurrent : [])
    let tasks = DispatchGroup()
    queue.async(group: tasks) {
      let group = DispatchGroup()
      if barrier { queue.async(flags: .barrier) {} }
      queue.async(group: group) { inner.ran(0) }
      _ = group.wait(timeout: .now() + .milliseconds(20))
      trial.record(pattern.notOnce, inner.notOnce)
    }
    tasks.wait()
  }

  /// Omits the last iteration.
  @Sendable private static func performsOneTooFew(_ trial: Trial) {
    let pattern = pattern
    let inner = ExecutionCounts(count: trial[pattern.iterations])
    DispatchQueue(label: "own").sync {
      DispatchQueue.concurrentPerform(iterations: inner.count - 1) { index in inner.ran(index) }
    }
    trial.record(pattern.notOnce, inner.notOnce)
  }

  static var reds: [Red] {
    let pattern = pattern
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, [:], body)
    }
    return [
      red("sync-on-own-queue.trapped == 1", "sync-on-own-queue") { _ in
        let queue = DispatchQueue(label: "own")
        sends(to: queue, from: queue)
      },
      red("sync-on-target.trapped == 1", "sync-on-target") { _ in
        let target = DispatchQueue(label: "target")
        sends(to: target, from: DispatchQueue(label: "own", target: target))
      },
      red("sync-through-another.trapped == 1", "sync-through-another") { _ in
        let queue = DispatchQueue(label: "own")
        sends(to: queue, through: DispatchQueue(label: "other"), from: queue)
      },
      red("main-sync-on-main.trapped == 1", "main-sync-on-main") { _ in
        sends(to: pattern.mainQueue, from: pattern.mainQueue)
      },
      // The apply is on a serial queue other than the current queue.
      red("apply-on-own-queue.trapped == 1", "apply-on-own-queue") { _ in
        let queue = FunctionQueue(label: "other")
        DispatchQueue(label: "own").sync { gcdlab_dispatch_apply_f(2, queue.object, nil) { _, _ in } }
      },
      red("apply-in-async-block.trapped == 1", "apply-in-async-block") { _ in
        let (queue, own) = (FunctionQueue(label: "other"), DispatchQueue(label: "own"))
        own.async { gcdlab_dispatch_apply_f(2, queue.object, nil) { _, _ in } }
        own.sync {}
      },
      // The apply is on a serial queue other than the main queue.
      red("apply-on-main-queue.trapped == 1", "apply-on-main-queue") { _ in
        let queue = FunctionQueue(label: "other")
        pattern.mainQueue.sync { gcdlab_dispatch_apply_f(2, queue.object, nil) { _, _ in } }
      },
      // The body calls `notify` instead of `wait`.
      red("group-wait-on-own-queue.hung == 1", "group-wait-on-own-queue") { _ in
        let queue = DispatchQueue(label: "own")
        let tasks = DispatchGroup()
        queue.async(group: tasks) {
          let group = DispatchGroup()
          queue.async(group: group) {}
          tasks.enter()
          group.notify(queue: queue) { tasks.leave() }
        }
        tasks.wait()
      },
      red("abba.hung == 1", "abba") { _ in
        let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
        let rendezvous = SpinBarrier(parties: 2)
        let tasks = DispatchGroup()
        for (own, other) in [(first, second), (second, first)] {
          own.async(group: tasks) {
            rendezvous.wait()
            other.async(group: tasks) {}
          }
        }
        tasks.wait()
      },
      // The barrier is submitted within a block, but no block waits for a later block.
      red("sync-on-own-concurrent-barrier.hung == 1", "sync-on-own-concurrent-barrier") { _ in
        let queue = DispatchQueue(label: "own", attributes: .concurrent)
        let tasks = DispatchGroup()
        queue.async(group: tasks) {
          queue.async(group: tasks, flags: .barrier) {}
          queue.async(group: tasks) {}
        }
        tasks.wait()
      },
      // The barrier is submitted without waiting.
      red("barrier-sync-on-own-concurrent.hung == 1", "barrier-sync-on-own-concurrent") { _ in
        let queue = DispatchQueue(label: "own", attributes: .concurrent)
        let tasks = DispatchGroup()
        queue.async(group: tasks) {
          queue.async(group: tasks, flags: .barrier) {}
        }
        tasks.wait()
      },
      red("sync-on-own-concurrent.not-once == 0", "sync-on-own-concurrent") { waitsForItsOwnQueue($0, barrier: true) },
      red("concurrent-perform-on-own-queue.not-once == 0", "concurrent-perform-on-own-queue", performsOneTooFew),
      red("async-instead.not-once == 0", "async-instead") { waitsForItsOwnQueue($0) },
    ]
  }
}
