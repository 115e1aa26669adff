import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// The tests examine whether all threads of a process sleep, so each test runs in a process of its own.
@Suite struct ThreadExplosionTests {
  private static let few: [String: ParameterValue] = ["tasks": .integer(20), "hold": .integer(0)]

  @Test(arguments: ["semaphore-gated", "serial-queue-instead", "actor", "bystander"])
  func `no unrelated task starves`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let settings = variant == "bystander" ? [:] : Self.few
      let attempt = try await Attempt(variant, of: ThreadExplosion(), files: Catalogue.files, settings)
      #expect(attempt.trial.outcome == .completed)
      #expect(attempt.total("starved") == 0)
      #expect(attempt.isNone(otherThan: .held), "\(attempt.verdicts)")
    }
  }

  @Test func `only the unrelated block on the global queue starves`() async {
    // The pool may add a thread each second. During a long trial on a busy machine, the added threads may be sufficient
    // for all tasks.
    let isSeen = await isSeen(inProcesses: 20) {
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        closeInheritedDescriptors()
        // The number of cores is that of the process: the pool's width depends on the system, and not on the lab.
        let attempt = try await Attempt(
          "lock-in-global-queue", of: ThreadExplosion(), files: Catalogue.files, ["hold": .integer(0)],
          cores: Host.cores)
        #expect(attempt.trial.outcome == .completed)
        #expect(attempt.total("starved") == attempt.total("global-starved"))
        #expect(poolWidths.contains(attempt.total("blocked-threads") ?? 0))
        if attempt.total("global-starved") == 1 { tellSeen() }
      }
    }
    #expect(isSeen)
  }

  @Test(arguments: ["lock-in-private-queues", "sync-instead"])
  func `private queues have one thread each, and starve no task below the pool's limit`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: ThreadExplosion(), files: Catalogue.files, Self.few)
      #expect(attempt.total("blocked-threads") == 20 && attempt.total("starved") == 0)
    }
  }

  @Test func `a trial with too few threads, or without reports of their states, is unavailable`() async throws {
    try await expectUnavailable(
      ThreadExplosion(), Catalogue.files, Self.few, "serial-queue-instead", needing: 20, \.room,
      "lock-in-private-queues", \.standstill)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = ThreadExplosion()
    func red(
      _ check: String, _ variant: String, _ count: Int, waits: Bool = false,
      on queue: @escaping @Sendable () -> DispatchQueue
    ) -> Red {
      Red(check, variant, of: pattern, ["hold": .integer(0)]) { trial in
        let lock = Lock()
        let crowd = try pattern.crowd(trial, of: count, while: lock.held) { task in
          let queue = queue()
          queue.async(group: task.all) {
            if waits { lock.mutex.withLock { _ in task.work() } } else { task.work() }
          }
        }
        if trial.variant == "lock-in-serial-queue" { crowd.recordBehind(trial, pattern.blockedBehind) }
      }
    }
    // There are more tasks than the pool has threads, and all tasks wait. The last task starves even if the pool adds a
    // thread.
    let many = 300
    func serial() -> @Sendable () -> DispatchQueue { { DispatchQueue(label: "serial") } }
    return [
      // Tasks that do not wait do not starve other tasks.
      red("lock-in-global-queue.global-starved > 0", "lock-in-global-queue", 2) { .global() },
      red("lock-in-private-queues.blocked-threads > cores", "lock-in-private-queues", 20, on: serial()),
      red("sync-instead.blocked-threads > cores", "sync-instead", 20, on: serial()),
      red("lock-in-private-queues.own-queue-starved > 0", "lock-in-private-queues", 20, on: serial()),
      red("lock-in-serial-queue.blocked-behind > 0", "lock-in-serial-queue", 20, on: serial()),
      // The tasks wait on the queue of the task that must not starve.
      red("lock-in-global-queue.other-qos-starved == 0", "lock-in-global-queue", many, waits: true) {
        .global(qos: .utility)
      },
      red("lock-in-global-queue.own-queue-starved == 0", "lock-in-global-queue", many, waits: true, on: serial()),
      red("lock-in-private-queues.global-starved == 0", "lock-in-private-queues", many, waits: true) {
        .global()
      },
      red("lock-in-private-queues.other-qos-queue-starved == 0", "lock-in-private-queues", many, waits: true) {
        DispatchQueue(label: "serial", qos: .utility)
      },
      // The first body asserts nothing. In the second body, each task reports the global queue as its own queue.
      Red("swift-task.tasks-on-global == 2", "swift-task", of: pattern) { trial in
        try pattern.assertGlobalQueue(trial) { _, _ in nil }
      },
      Red("swift-task.own-queues == 2", "swift-task", of: pattern) { trial in
        try pattern.assertGlobalQueue(trial) { _, global in global.label }
      },
      // More tasks run than there are cores.
      red("semaphore-gated.starved == 0", "semaphore-gated", many, waits: true) { .global() },
      // The tasks wait for a lock.
      red("serial-queue-instead.starved == 0", "serial-queue-instead", many, waits: true, on: serial()),
      red("serial-queue-instead.blocked-threads == 0", "serial-queue-instead", 2, waits: true, on: serial()),
      red("actor.starved == 0", "actor", many, waits: true) { .global() },
      red("actor.blocked-threads == 0", "actor", 2, waits: true, on: serial()),
    ]
  }
}
