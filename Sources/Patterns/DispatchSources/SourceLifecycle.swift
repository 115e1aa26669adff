import CDispatchSupport
import Dispatch
import Laboratory

/// From the making of a source to its end: what is told when, where, and who frees what?
///
/// The document has a source begin suspended, cancels it and releases it, and frees what belongs to it in the cancel handler:
///
/// ```c
/// void RemoveDispatchSource(dispatch_source_t mySource) {
///   dispatch_source_cancel(mySource);
///   dispatch_release(mySource);
/// }
/// ```
///
/// The sources here are custom ones, so that the trial decides when there is news. What must come late is held: the handler
/// in its run while the source is cancelled, the queue while the source gets another one.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating Dispatch Sources", "Changing the Target Queue",
/// "Associating Custom Data with a Dispatch Source", "Canceling a Dispatch Source", "Suspending and Resuming Dispatch Sources".
struct SourceLifecycle: Pattern {
  static let name = "source-lifecycle"

  let repeats = Setting.count("repeats", 1...1000, default: 30, "sources in a trial, one after the other")
  let news = Setting.count("news", 1...10_000, default: 100, "pieces of news while a source is held back")

  let toldEarly = Metric.count("told-early", "handler runs before the source was let go")
  let deliveries = Metric.count("deliveries", "handler runs that the news came to then; the most of any source")
  let inexact = Metric.count("inexact", "sources that did not tell the exact sum of the news")
  let resumeToRun = Metric.latency(
    "resume-to-run", unless: "it began before", "from letting the source go until its handler begins")
  let newAfterCancel = Metric.count("new-after-cancel", "handler runs that began when cancel had returned")
  let stopped = Metric.count(
    "stopped", "handlers that ran when their source was cancelled, and did not go on to their end")
  let endNotOnce = Metric.count("end-not-once", "sources whose cancel handler did not run just once")
  let endNotLast = Metric.count("end-not-last", "sources of which something else ran when the cancel handler had begun")
  let toEnd = Metric.latency("to-end", "from the end of the last handler until the cancel handler begins")
  let moved = Metric.count("moved", "handlers that waited in the old queue and ran on another")
  let stray = Metric.count("stray", "handler runs neither on the old queue nor on the new")
  let usedFreed = Metric.count("used-freed", "handlers that used the context after it was freed")
  let notFreed = Metric.count("not-freed", "contexts that were not freed just once")
  let queueGone = Metric.count(
    "queue-gone", "queues that were freed before their source was, or did not run its handler")
  let queueLeft = Metric.count("queue-left", "queues that were not freed when their source was gone")
  let ran = Metric.count(
    "ran", "sources whose waiting handler ran though the program had no reference to them any more")

  var variants: [Variant] {
    Variant("starts-suspended", .documented, "news comes before the source is activated", own: held) { trial in
      holdBack(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.told(source.data) }
        for _ in 0..<life.news { source.add(data: 1) }
        life.look()
        life.lettingGo { source.activate() }
        return { source.cancel() }
      }
    }
    Variant("suspend-merges", .documented, "a handler suspends its source, then news comes", own: held) { trial in
      holdBack(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler {
          life.told(source.data) { source.suspend() }
        }
        source.activate()
        source.add(data: 1)
        life.awaitSuspension()
        for _ in 0..<life.news { source.add(data: 1) }
        life.look()
        life.lettingGo { source.resume() }
        return { source.cancel() }
      }
    }
    Variant("cancel", .documented, "a source is cancelled while its handler runs and more news waits", own: ending) {
      trial in
      cancelRunning(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.told(source.data) }
        source.setCancelHandler { life.cancelHandler() }
        source.activate()
        return HeldSource(add: { source.add(data: 1) }, cancel: { source.cancel() })
      }
    }
    Variant(
      "retarget", .documented, "a source gets another queue while its handler waits in the old one",
      own: [repeats, moved, stray]
    ) { trial in
      retargetWaiting(trial) { life in
        let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
        source.setEventHandler { life.told(source.data) }
        source.activate()
        return HeldSource(
          add: { source.add(data: 1) }, cancel: { source.cancel() },
          retarget: { queue in (source as? DispatchSource)?.setTarget(queue: queue) })
      }
    }
    Variant(
      "context", .documented, "what the context points to is freed in the cancel handler",
      own: [repeats, usedFreed, notFreed]
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
      "context-freed", .broken, "it is freed as soon as the source is cancelled", own: [repeats, usedFreed, notFreed]
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
      "queue-kept", .documented, "nobody but the source has its queue", own: [repeats, queueGone, queueLeft]
    ) { trial in
      keepQueue(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue")
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { life.told(source.data) }
        source.activate()
        return HeldSource(add: { source.add(data: 1) }, cancel: { source.cancel() })
      }
    }
    Variant(
      "dropped", .broken, "the last reference to an active source goes while its handler waits",
      own: [repeats, ran, queueLeft]
    ) { trial in
      dropWaiting(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler { life.told(1) }
        source.activate()
        source.add(data: 1)
      }
    }
    Variant(
      "captured", .documented, "the same, but the handler has the source, and cancels it",
      own: [repeats, ran, queueLeft]
    ) { trial in
      dropWaiting(trial) { life in
        let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
        queue.setSpecific(key: life.key, value: Owned { life.queueWent() })
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setEventHandler {
          life.told(source.data)
          source.cancel()
        }
        source.activate()
        source.add(data: 1)
      }
    }
    Variant(
      "release-inactive", .broken, "the last reference to a source goes that was never activated", ends: traps
    ) { trial in
      trial.hazard()
      _ = DispatchSource.makeUserDataAddSource(queue: .global())
    }
  }

  private var held: [any Declaration] { [repeats, news, toldEarly, deliveries, inexact, resumeToRun] }
  private var ending: [any Declaration] { [repeats, news, newAfterCancel, stopped, endNotOnce, endNotLast, toEnd] }
  private var traps: Ending { .traps(within: .milliseconds(500)) }
}
