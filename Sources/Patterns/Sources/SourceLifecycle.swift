import CDispatchSupport
import Dispatch
import Instruments

/// From the creation of a source to its cancellation: when and where do its handlers run, and who frees what?
///
/// In the document a source begins suspended, is cancelled and released, and frees its resources in the cancel handler:
///
/// ```c
/// void RemoveDispatchSource(dispatch_source_t mySource) {
///   dispatch_source_cancel(mySource);
///   dispatch_release(mySource);
/// }
/// ```
///
/// The sources here are custom ones, so that the trial decides when an event comes. What must come late is held: the running
/// handler while the source is cancelled, the queue while the source gets another one.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating Dispatch Sources", "Changing the Target Queue",
/// "Associating Custom Data with a Dispatch Source", "Canceling a Dispatch Source", "Suspending and Resuming Dispatch Sources".
struct SourceLifecycle: Pattern {
  static let name = "source-lifecycle"

  let repeats = Setting.count("repeats", 1...1000, default: 30, "sources per trial, one after the other")
  let events = Setting.count("events", 1...10_000, default: 100, "events sent while a source is held back")

  let callsWhileSuspended = Metric.count(
    "calls-while-suspended", "handler calls while the source was inactive or suspended")
  let handlerCalls = Metric.count(
    "handler-calls", "handler calls that the pending events took after activate or resume; the most of any source")
  let wrongSums = Metric.count("wrong-sums", "sources whose data did not add up to the number of events sent")
  let resumeToRun = Metric.latency(
    "resume-to-run", unless: "it began before", "from activate or resume until the handler begins")
  let beganAfterCancel = Metric.count("began-after-cancel", "handler calls that began after cancel had returned")
  let cutShort = Metric.count(
    "cut-short", "handlers that were running when their source was cancelled and did not finish")
  let cancelHandlerNotOnce = Metric.count(
    "cancel-handler-not-once", "sources whose cancel handler did not run exactly once")
  let ranAfterCancelHandler = Metric.count(
    "ran-after-cancel-handler", "sources whose event handler ran after the cancel handler had begun")
  let toCancelHandler = Metric.latency(
    "to-cancel-handler", "from the end of the last handler call until the cancel handler begins")
  let ranOnNewQueue = Metric.count(
    "ran-on-new-queue", "handlers that were pending on the old target queue and ran on the new one")
  let ranElsewhere = Metric.count("ran-elsewhere", "handler calls on neither the old nor the new target queue")
  let useAfterFree = Metric.count("use-after-free", "handlers that used the context after it was freed")
  let notFreedOnce = Metric.count("not-freed-once", "contexts that were leaked or freed more than once")
  let queueFreedEarly = Metric.count(
    "queue-freed-early", "queues that were freed before their source, or did not run its handler")
  let queueLeaked = Metric.count("queue-leaked", "queues that were not freed after their source had gone")
  let handlerRan = Metric.count(
    "handler-ran", "sources whose pending handler ran although the program held no reference to the source")

  var variants: [Variant] {
    Variant("starts-suspended", .documented, "events are sent before the source is activated", own: held) { trial in
      holdBack(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.received(source.data) }
        for _ in 0..<life.events { source.add(data: 1) }
        life.look()
        life.lettingGo { source.activate() }
        return { source.cancel() }
      }
    }
    Variant("suspend-coalesces", .documented, "a handler suspends its source, then events are sent", own: held) {
      trial in
      holdBack(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler {
          life.received(source.data) { source.suspend() }
        }
        source.activate()
        source.add(data: 1)
        life.awaitSuspension()
        for _ in 0..<life.events { source.add(data: 1) }
        life.look()
        life.lettingGo { source.resume() }
        return { source.cancel() }
      }
    }
    Variant(
      "cancel", .documented, "a source is cancelled while its handler runs and further events are pending", own: ending
    ) {
      trial in
      cancelRunning(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.received(source.data) }
        source.setCancelHandler { life.cancelHandler() }
        source.activate()
        return HeldSource(add: { source.add(data: 1) }, cancel: { source.cancel() })
      }
    }
    Variant(
      "retarget", .documented, "a source gets another target queue while its handler is pending on the old one",
      own: [repeats, ranOnNewQueue, ranElsewhere]
    ) { trial in
      retargetWaiting(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.received(source.data) }
        source.activate()
        return HeldSource(
          add: { source.add(data: 1) }, cancel: { source.cancel() },
          retarget: { queue in (source as? DispatchSource)?.setTarget(queue: queue) })
      }
    }
    Variant(
      "free-in-cancel-handler", .documented, "the context is freed in the cancel handler",
      own: [repeats, useAfterFree, notFreedOnce]
    ) { trial in
      cancelInUse(trial) { context, queue in
        let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue)
        gcdlab_dispatch_set_context(source, context.pointer)
        gcdlab_dispatch_source_set_event_handler_f(source) { SourceContext.at($0).use() }
        gcdlab_dispatch_source_set_cancel_handler_f(source) { SourceContext.at($0).free() }
        gcdlab_dispatch_resume(source)
        return source
      } remove: { source, _ in
        gcdlab_dispatch_source_cancel(source)
        gcdlab_dispatch_release(source)
      }
    }
    Variant(
      "free-after-cancel", .broken, "the context is freed as soon as cancel has returned",
      own: [repeats, useAfterFree, notFreedOnce]
    ) { trial in
      cancelInUse(trial) { context, queue in
        let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue)
        gcdlab_dispatch_set_context(source, context.pointer)
        gcdlab_dispatch_source_set_event_handler_f(source) { SourceContext.at($0).use() }
        gcdlab_dispatch_resume(source)
        return source
      } remove: { source, context in
        gcdlab_dispatch_source_cancel(source)
        gcdlab_dispatch_release(source)
        context.free()
      }
    }
    Variant(
      "queue-retained", .documented, "only the source holds a reference to its queue",
      own: [repeats, queueFreedEarly, queueLeaked]
    ) { trial in
      keepQueue(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { life.received(source.data) }
        source.activate()
        return HeldSource(add: { source.add(data: 1) }, cancel: { source.cancel() })
      }
    }
    Variant(
      "released-while-pending", .broken,
      "the last reference to an active source is released while its handler is pending",
      own: [repeats, handlerRan, queueLeaked]
    ) { trial in
      dropWaiting(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { life.received(1) }
        source.activate()
        source.add(data: 1)
      }
    }
    Variant(
      "retain-cycle", .documented, "the same, but the handler captures the source, and cancels it",
      own: [repeats, handlerRan, queueLeaked]
    ) { trial in
      dropWaiting(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler {
          life.received(source.data)
          source.cancel()
        }
        source.activate()
        source.add(data: 1)
      }
    }
    Variant(
      "release-inactive", .broken, "the last reference to a source that was never activated is released", ends: traps
    ) { trial in
      trial.hazard()
      _ = DispatchSource.makeUserDataAddSource(queue: .global())
    }
  }

  private var held: [any Declaration] { [repeats, events, callsWhileSuspended, handlerCalls, wrongSums, resumeToRun] }
  private var ending: [any Declaration] {
    [repeats, events, beganAfterCancel, cutShort, cancelHandlerNotOnce, ranAfterCancelHandler, toCancelHandler]
  }
  private var traps: Ending { .traps(within: .milliseconds(500)) }
}
