import CDispatchSupport
import Dispatch
import Foundation
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Finalizers without a context are counted for the whole process, so the tests run one after the other.
@Suite(.serialized) struct QueueContextTests {
  static let pattern = QueueContext()

  /// Behaviour that requires the main thread can be tested only in a worker (`PromiseTests`).
  @Test(
    arguments: pattern.variants.filter { $0.mainQueue != .body && $0.name != "suspended-target" }.map(\.name), [1, 20])
  func `every variant keeps its promises`(_ variant: String, _ repeats: Int) async throws {
    let settings: [String: ParameterValue] = variant.hasPrefix("global") ? [:] : ["repeats": .integer(repeats)]
    let attempt = try await Attempt(variant, of: Self.pattern, files: Catalogue.files, settings)
    #expect(attempt.brokenPromises == [])
    if variant == "busy" { #expect(attempt.total("reused") == 0) }
    if variant == "idle" { #expect(attempt.total("reused") == repeats) }
    if ["thread-local", "thread-local-async"].contains(variant) { #expect(attempt.total("not-found") == repeats) }
    if variant == "thread-local-elsewhere" { #expect(attempt.total("found-elsewhere") == repeats) }
    if ["context-finalizer", "specific-released"].contains(variant) {
      #expect(attempt.trial.observation.samples("cleanup-latency")?.summary?.count == repeats)
    }
  }

  /// The test examines whether all threads of the process sleep, so it runs in a process of its own.
  @Test(arguments: [1, 20])
  func `a finalizer does not run while the target of its queue is suspended`(_ repeats: Int) async {
    await #expect(processExitsWith: .success) { [repeats = repeats as Int] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(
        "suspended-target", of: QueueContext(), files: Catalogue.files, ["repeats": .integer(repeats)])
      #expect(attempt.brokenPromises == [])
      #expect(attempt.total("held-back") == repeats)
    }
  }

  @Test func `data that one block has found was found, even if another block did not find it`() async throws {
    let attempt = try await Attempt(
      "thread-local-elsewhere", of: Self.pattern, files: Catalogue.files, ["repeats": .integer(2)]
    ) { trial in
      try Self.pattern.shareWithAnother(trial) { data in
        data.recordMatch(in: data)
        data.recordMatch(in: nil)
      }
    }
    #expect(attempt.total("found-elsewhere") == 2)
  }

  /// An arena fills a thread's cache with its free pieces, and a full cache accepts no further piece.
  @Test func `many free blocks of a queue's size do not hide that the queue is freed`() async throws {
    let queue = gcdlab_dispatch_queue_create("own", nil)
    let size = gcdlab_allocated_size(queue)
    gcdlab_dispatch_release(queue)
    try await onOwnThread {
      let pieces = (0..<4000).map { _ in malloc(size) }
      for index in pieces.indices where index.isMultiple(of: 2) { free(pieces[index]) }
      var memory = FreedMemory(rounds: 1000)
      for _ in 0..<1000 {
        guard let queue = gcdlab_dispatch_queue_create("own", nil) else { continue }
        #expect(memory.isReused(queue) { gcdlab_dispatch_release($0) })
      }
      for index in pieces.indices where !index.isMultiple(of: 2) { free(pieces[index]) }
    }
  }

  @Test func `memory that another thread freed does not count as reused`() throws {
    var memory = FreedMemory(rounds: 1)
    let address = UInt(bitPattern: malloc(200))
    let piece = try #require(UnsafeMutableRawPointer(bitPattern: address))
    // A thread that ends returns its cache of freed memory to all threads, so this one lives until the check has ended.
    let checked = DispatchSemaphore(value: 0)
    defer { checked.signal() }
    let isOwn = memory.isReused(piece) { _ in
      let freed = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        free(UnsafeMutableRawPointer(bitPattern: address))
        freed.signal()
        checked.wait()
      }
      freed.wait()
    }
    #expect(!isOwn)
  }

  @Test func `a thread-specific value can be set, read and removed`() async throws {
    let key = ThreadKey<MyDataContext>()
    let data = MyDataContext()
    try await onOwnThread {
      key.value = data
      #expect(key.value === data)
      key.value = nil
      #expect(key.value == nil)
    }
  }

  // MARK: Broken bodies

  /// Returns a queue whose data is freed while it is in use.
  private static func cleansUpAtOnce(_ data: MyDataContext) -> RetainedQueue {
    data.cleanUp()
    return RetainedQueue(DispatchQueue(label: "own"))
  }

  /// Returns a queue whose data is freed at once, and again at the end.
  private static func cleansUpTwice(_ data: MyDataContext) -> RetainedQueue {
    let queue = gcdlab_dispatch_queue_create("own", nil)
    gcdlab_dispatch_set_context(queue, data.pointer)
    gcdlab_dispatch_set_finalizer_f(queue) { MyDataContext.at($0).cleanUp() }
    data.cleanUp()
    return RetainedQueue(created: queue)
  }

  /// Stores the data as a queue-specific value.
  @Sendable private static func atTheQueue(_ trial: Trial) throws {
    try pattern.share(trial) { data in
      let key = DispatchSpecificKey<MyDataContext>()
      let queue = DispatchQueue(label: "own")
      queue.async { queue.setSpecific(key: key, value: data) }
      queue.sync { data.recordMatch(in: DispatchQueue.getSpecific(key: key)) }
    }
  }

  /// Calls `body` with a queue on which a function waits until `body` returns.
  private static func heldUp(_ body: (UnsafeMutableRawPointer) -> Void) {
    let own = FunctionQueue(label: "own")
    let turn = DispatchSemaphore(value: 0)
    defer { turn.signal() }
    gcdlab_dispatch_async_f(own.object, Unmanaged.passRetained(turn).toOpaque()) { turn in
      if let turn { Unmanaged<DispatchSemaphore>.fromOpaque(turn).takeRetainedValue().wait() }
    }
    body(own.object)
  }

  static var reds: [Red] {
    let withoutRepeats = ["global", "global-modified", "current-queue"]
    func red(_ check: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      let variant = String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, withoutRepeats.contains(variant) ? [:] : ["repeats": .integer(2)], body)
    }
    let lives = ["context-finalizer", "specific-released"].flatMap { variant in
      [
        red("\(variant).not-once == 0") { trial in
          try pattern.clean(trial) { cleansUpTwice($0) }
          trial.record(pattern.cleanupLatency, 0)
        },
        red("\(variant).early-cleanups == 0") { trial in
          try pattern.clean(trial) { cleansUpAtOnce($0) }
          trial.record(pattern.cleanupLatency, 0)
        },
      ]
    }
    nonisolated(unsafe) let queue = gcdlab_dispatch_get_global_queue(0, 0)
    nonisolated(unsafe) let another = gcdlab_dispatch_get_global_queue(2, 0)
    @Sendable func answered(_ trial: Trial, inside: UnsafeMutableRawPointer?, outside: UnsafeMutableRawPointer?) {
      let answers = QueueAnswers()
      answers.onMainThread(outside)
      answers.onOtherThread(outside)
      for queue in answers.queues + answers.queues { answers.inside(inside, of: queue) }
      answers.record(trial, pattern)
    }
    return lives + [
      red("context-finalizer.in-release == 0") { trial in
        try pattern.clean(trial) { cleansUpAtOnce($0) }
        trial.record(pattern.cleanupLatency, 0)
      },
      // The target is not suspended.
      red("suspended-target.held-back > 0") { trial in
        try pattern.holdBack(trial) { data, _ in
          let queue = gcdlab_dispatch_queue_create("own", nil)
          gcdlab_dispatch_set_context(queue, data.pointer)
          gcdlab_dispatch_set_finalizer_f(queue) { MyDataContext.at($0).cleanUp() }
          return RetainedQueue(created: queue)
        }
      },
      red("suspended-target.not-once == 0") { trial in try pattern.holdBack(trial) { data, _ in cleansUpTwice(data) } },
      // The objects are never released.
      red("idle.reused > 0") { trial in try pattern.reuse()(trial) { _ in } },
      // No block of the queue runs at the release.
      red("busy.reused == 0") { trial in try pattern.reuse()(trial) { gcdlab_dispatch_release($0) } },
      // The block runs in the context of another queue.
      red("context.not-found == 0") { trial in
        let (own, other) = (FunctionQueue(label: "own"), FunctionQueue(label: "other"))
        try pattern.share(trial) { data in
          gcdlab_dispatch_set_context(own.object, data.pointer)
          MyDataContext.found(gcdlab_dispatch_get_context(other.object))
        }
      },
      // The queue is not a global queue and can be modified.
      red("global-modified.modified == 0") { trial in
        let own = gcdlab_dispatch_queue_create("own", nil)
        pattern.modify(trial, own, within: .milliseconds(1)) { queue, change in
          if case .suspension = change { gcdlab_dispatch_suspend(queue) }
        }
      },
      // The value is never set.
      red("global-modified.keyed-values > 0") { trial in pattern.modify(trial, queue) { _, _ in } },
      // Each query returns the queue that the other query should return.
      red("current-queue.wrong-queue == 0") { trial in answered(trial, inside: another, outside: queue) },
      red("current-queue.got-overcommit-queue == 1") { trial in answered(trial, inside: queue, outside: queue) },
      red("current-queue.got-main-queue == 1") { trial in answered(trial, inside: queue, outside: queue) },
      // The data is a queue-specific value, which the block finds.
      red("thread-local.not-found > 0", atTheQueue),
      red("thread-local-async.not-found > 0", atTheQueue),
      red("thread-local-elsewhere.found-elsewhere > 0") { trial in
        try pattern.shareWithAnother(trial) { data in
          let key = DispatchSpecificKey<MyDataContext>()
          let (queue, other) = (DispatchQueue(label: "own"), DispatchQueue(label: "other"))
          queue.setSpecific(key: key, value: data)
          other.sync { data.recordMatch(in: DispatchQueue.getSpecific(key: key)) }
        }
      },
      // The data is a value of another queue.
      red("specific.not-found == 0") { trial in
        try pattern.share(trial) { data in
          let key = DispatchSpecificKey<MyDataContext>()
          DispatchQueue(label: "own").setSpecific(key: key, value: data)
          DispatchQueue(label: "other").sync { data.recordMatch(in: DispatchQueue.getSpecific(key: key)) }
        }
      },
      // A detached task does not inherit the task-local value.
      red("task-local.not-found == 0") { trial in
        try pattern.shareAmongTasks(trial) { data in
          await MyDataContext.$current.withValue(data) {
            await Task.detached { data.recordMatch(in: MyDataContext.current) }.value
          }
        }
      },
      red("no-context.without-context == 0") { trial in
        try pattern.releaseQueue(trial) {
          let queue = gcdlab_dispatch_queue_create("own", nil)
          gcdlab_dispatch_set_context(queue, queue)
          gcdlab_dispatch_set_finalizer_f(queue) { _ in MyDataContext.cleanUpWithout() }
          return RetainedQueue(created: queue)
        }
      },
      red("global.accepted-flags == 0") { trial in
        pattern.askForGlobal(trial) { _ in
          queue
        } release: { _ in
        }
      },
      red("global.overcommit-queues == 1") { trial in
        pattern.askForGlobal(trial) { flags in
          flags == 0 ? queue : nil
        } release: { _ in
        }
      },
      red("global.changed == 0") { trial in
        let released = ExecutionCounts(count: 1)
        pattern.askForGlobal(trial) { _ in
          released.notOnce == 0 ? another : queue
        } release: { _ in
          if released.notOnce > 0 { released.ran(0) }
        }
      },
      red("global.lost == 0") { trial in
        heldUp { own in
          pattern.askForGlobal(trial, within: .milliseconds(1)) { _ in
            own
          } release: { _ in
          }
        }
      },
      red("over-released.lost == 0") { trial in
        heldUp { own in pattern.overRelease(trial, [own], within: .milliseconds(1)) { _ in } }
      },
    ]
  }
}
