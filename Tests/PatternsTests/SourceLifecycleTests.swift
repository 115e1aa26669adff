import CDispatchSupport
import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Trials that trap run only in workers: `PromiseTests` checks how each variant ends.
@Suite struct SourceLifecycleTests {
  static let pattern = SourceLifecycle()
  static func settings(of variant: String, repeats: Int = 5, news: Int = 20) -> [String: ParameterValue] {
    switch variant {
    case "starts-suspended", "suspend-coalesces", "suspended-read", "waiting-read", "cancel":
      ["repeats": .integer(repeats), "events": .integer(news)]
    case "release-inactive", "release-cancelled-suspended", "cancel-beside": [:]
    default: ["repeats": .integer(repeats)]
    }
  }

  @Test func `a trial without a late handler call is unavailable`() async throws {
    let attempt = try await Attempt("cancel-beside", of: SourceLifecycle(), files: Catalogue.files) { trial in
      try SourceLifecycle().cancelUntilLate(within: .zero)(trial) { _ in SourceControls(add: {}, cancel: {}) }
    }
    guard case .unavailable = attempt.trial.outcome else {
      Issue.record("\(attempt.trial.outcome)")
      return
    }
    #expect(try attempt.verdict("cancel-beside.began-after-cancel > 0") == .unavailable)
  }

  @Test func `the latency of a resumed source ends at its first handler call`() {
    let life = SourceLife(events: 2)
    life.lettingGo {}
    life.received(1)
    let first = life.resumeToRun
    blockThread(for: .milliseconds(1))
    life.received(1)
    #expect(first != nil && life.resumeToRun == first)
  }

  @Test func `a handler that runs on neither target queue does not count as moved to the new one`() async throws {
    let attempt = try await Attempt(
      "retarget", of: Self.pattern, files: Catalogue.files, Self.settings(of: "retarget"), body: Self.onGlobalQueue)
    #expect(attempt.total("ran-on-new-queue") == 0)
    #expect(attempt.total("ran-elsewhere") == 10)
  }

  // MARK: Broken bodies

  /// Returns a source on `queue` with the given handlers.
  private static func source(
    on queue: DispatchQueue, end: @escaping @Sendable () -> Void = {},
    _ told: @escaping @Sendable (UInt) -> Void
  ) -> SourceControls {
    let source = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setEventHandler { told(source.data) }
    source.setCancelHandler(handler: end)
    source.activate()
    return SourceControls(add: { source.add(data: 1) }, cancel: { source.cancel() })
  }

  /// Returns a source of the C functions, with or without a cancellation handler that frees its context.
  ///
  /// - Parameter afterCancel: a closure that is called once the source is cancelled and released.
  @Sendable private static func functionSource(
    _ context: SourceContext, _ queue: UnsafeMutableRawPointer, frees: Bool, afterCancel: @escaping () -> Void = {}
  ) -> SourceControls {
    let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue)
    gcdlab_dispatch_set_context(source, context.pointer)
    gcdlab_dispatch_source_set_event_handler_f(source) { SourceContext.at($0).use() }
    if frees { gcdlab_dispatch_source_set_cancel_handler_f(source) { SourceContext.at($0).free() } }
    gcdlab_dispatch_resume(source)
    return SourceControls(
      add: { gcdlab_dispatch_source_merge_data(source, 1) },
      cancel: {
        gcdlab_dispatch_source_cancel(source)
        gcdlab_dispatch_release(source)
        afterCancel()
      })
  }

  /// Submits the handler's work to a global queue.
  @Sendable private static func onGlobalQueue(_ trial: Trial) throws {
    try pattern.retargetWhilePending(trial) { life in
      source(on: life.queue) { data in DispatchQueue.global().async { life.received(data) } }
    }
  }

  /// Creates the source on another queue.
  @Sendable private static func onAnotherQueue(_ trial: Trial) throws {
    try pattern.releaseQueue()(trial) { life in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
      return source(on: life.queue) { life.received($0) }
    }
  }

  static var reds: [Red] {
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      Red(check, variant, of: pattern, settings(of: variant), body)
    }
    /// Submits a block for each event, without a source.
    @Sendable func blocks(_ trial: Trial) throws {
      try pattern.holdBack(trial) { life in
        life.lettingGo {}
        for _ in 0..<life.events { life.queue.async { life.received(1) } }
        return {}
      }
    }
    /// Activates a read source after all bytes have arrived.
    @Sendable func activatesLate(_ trial: Trial) throws {
      try pattern.holdBackReading(trial) { life, pipe in
        let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reader, queue: life.queue)
        source.setEventHandler {
          pipe.estimates(source.data)
          life.received(pipe.readOnly(source.data))
        }
        source.setCancelHandler { pipe.closeEnds() }
        try pipe.send(life.events)
        life.lettingGo { source.activate() }
        return { source.cancel() }
      }
    }
    /// Submits the cancellation handler as a block, and never cancels the source.
    @Sendable func continues(_ trial: Trial) throws {
      try pattern.cancelWhileRunning(trial) { life in
        let source = source(on: life.queue) { life.received($0) }
        return SourceControls(add: source.add, cancel: { life.queue.async { life.cancelHandler() } })
      }
    }
    return [
      // The source is active from the start.
      red("all.calls-while-suspended == 0", "starts-suspended") { trial in
        try pattern.holdBack(trial) { life in
          let source = source(on: life.queue) { life.received($0) }
          for _ in 0..<life.events { source.add() }
          life.wait(within: .seconds(20)) { $0.runs > 0 }
          life.look()
          life.lettingGo {}
          return source.cancel
        }
      },
      red("starts-suspended.handler-calls == 1", "starts-suspended", blocks),
      red("suspend-coalesces.handler-calls == 1", "suspend-coalesces", blocks),
      red("suspended-read.handler-calls > 1", "suspended-read", activatesLate),
      red("suspended-read.short-estimates > 0", "suspended-read", activatesLate),
      red("waiting-read.short-estimates > 0", "waiting-read", activatesLate),
      red("waiting-read.handler-calls > 1", "waiting-read", activatesLate),
      red("all.wrong-sums == 0", "starts-suspended") { trial in
        try pattern.holdBack(trial) { life in
          let source = source(on: life.queue) { life.received($0 + 1) }
          life.lettingGo { for _ in 0..<life.events { source.add() } }
          return source.cancel
        }
      },
      red("cancel.began-after-cancel == 0", "cancel", continues),
      // The source is cancelled while no handler call can begin.
      red("cancel-beside.began-after-cancel > 0", "cancel-beside") { trial in
        try pattern.cancel(sources: 5)(trial) { busy in
          let source = DispatchSource.makeUserDataAddSource(queue: busy.queue)
          source.setEventHandler {
            busy.handlerBegan()
            source.add(data: 1)
          }
          source.setCancelHandler { busy.ended() }
          source.activate()
          return SourceControls(add: { source.add(data: 1) }, cancel: { busy.queue.sync { source.cancel() } })
        }
      },
      // The first handler call that begins too late cancels the source, and no earlier call does.
      red("cancel-on-queue.began-after-cancel == 0", "cancel-on-queue") { trial in
        try pattern.cancel(sources: 1)(trial) { busy in
          let source = DispatchSource.makeUserDataAddSource(queue: busy.queue)
          source.setEventHandler { if busy.handlerBegan() { source.cancel() } else { source.add(data: 1) } }
          source.setCancelHandler { busy.ended() }
          source.activate()
          return SourceControls(add: { source.add(data: 1) }, cancel: {})
        }
      },
      red("cancel.ran-after-cancel-handler == 0", "cancel", continues),
      // Another handler call is in progress when the cancellation handler runs, and never continues.
      red("cancel.cut-short == 0", "cancel") { trial in
        try pattern.cancelWhileRunning(trial) { life in
          source(
            on: life.queue,
            end: {
              life.handler.holdNext()
              DispatchQueue(label: "another").async { life.received(0) }
              // The source's own call was the first.
              for _ in 0..<2 { try? life.handler.awaitHeld(within: .seconds(20), else: "no call was held") }
              life.cancelHandler()
            }
          ) { life.received($0) }
        }
      },
      red("cancel.cancel-handler-not-once == 0", "cancel") { trial in
        try pattern.cancelWhileRunning(trial) { life in
          source(
            on: life.queue,
            end: {
              life.cancelHandler()
              life.cancelHandler()
            }
          ) { life.received($0) }
        }
      },
      // The source's queue is not changed.
      red("retarget.ran-on-new-queue > 0", "retarget") { trial in
        try pattern.retargetWhilePending(trial) { life in source(on: life.queue) { life.received($0) } }
      },
      // The handler of the first body captures the source, and the handler of the second body does not.
      red("released-while-pending.handler-ran == 0", "released-while-pending") { trial in
        try pattern.releaseWhilePending(leaves: .milliseconds(10))(trial) { life in
          let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
          source.setEventHandler { life.received(source.data) }
          source.activate()
          source.add(data: 1)
        }
      },
      red("retain-cycle.handler-ran > 0", "retain-cycle") { trial in
        try pattern.releaseWhilePending(leaves: .milliseconds(10))(trial) { life in
          let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
          source.setEventHandler { life.received(1) }
          source.activate()
          source.add(data: 1)
        }
      },
      red("retarget.ran-elsewhere == 0", "retarget", onGlobalQueue),
      red("free-in-cancel-handler.use-after-free == 0", "free-in-cancel-handler") { trial in
        try pattern.cancelInUse()(trial) { context, queue in
          functionSource(context, queue, frees: false) { context.free() }
        }
      },
      red("free-in-cancel-handler.not-freed-once == 0", "free-in-cancel-handler") { trial in
        try pattern.cancelInUse(frees: .milliseconds(10))(trial) { functionSource($0, $1, frees: false) }
      },
      red("free-after-cancel.use-after-free > 0", "free-after-cancel") { trial in
        try pattern.cancelInUse()(trial) { functionSource($0, $1, frees: true) }
      },
      red("queue-retained.queue-freed-early == 0", "queue-retained", onAnotherQueue),
      red("queue-retained-timer.queue-freed-early == 0", "queue-retained-timer", onAnotherQueue),
      // The source is never cancelled.
      red("all.queue-leaked == 0", "queue-retained") { trial in
        try pattern.releaseQueue(leaves: .milliseconds(10))(trial) { life in
          let queue = DispatchQueue(label: "com.example.MyQueue")
          queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
          let source = source(on: queue) { life.received($0) }
          return SourceControls(add: source.add, cancel: {})
        }
      },
      // The source is not suspended.
      red("release-cancelled-suspended.trapped == 1", "release-cancelled-suspended") { _ in
        let source = DispatchSource.makeUserDataAddSource(queue: .global())
        source.setEventHandler {}
        source.activate()
        source.cancel()
      },
      red("release-inactive.trapped == 1", "release-inactive") { _ in
        let source = DispatchSource.makeUserDataAddSource(queue: .global())
        source.setEventHandler { _ = source.data }
        source.activate()
        source.cancel()
      },
    ]
  }
}
