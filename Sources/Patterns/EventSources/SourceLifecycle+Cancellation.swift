import CDispatchSupport
import Dispatch
import Instruments

/// A source is cancelled while its event handler runs: which handler runs last, and where does the program free its
/// resources?
///
/// The Concurrency Programming Guide cancels a source and releases the source in the next statement, since the
/// cancellation is asynchronous and the cancellation handler frees the resources.
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Associating Custom Data with a Dispatch Source",
/// "Canceling a Dispatch Source".
extension SourceLifecycle {
  @VariantList var cancellation: [Variant] {
    Variant(
      "cancel", .documented, "a source is cancelled while its handler runs and further events are pending",
      cancelWhileRunning
    ) { life in
      let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
      source.setEventHandler { life.received(source.data) }
      source.setCancelHandler { life.cancelHandler() }
      source.activate()
      return SourceControls(add: { source.add(data: 1) }, cancel: { source.cancel() })
    }
    Variant(
      "cancel-beside", .documented,
      "another thread cancels a source whose handler is called again and again, until a call begins late",
      cancelUntilLate()
    ) { busy in
      let source = DispatchSource.makeUserDataAddSource(queue: busy.queue)
      source.setEventHandler {
        busy.handlerBegan()
        source.add(data: 1)
      }
      source.setCancelHandler { busy.ended() }
      source.activate()
      return SourceControls(add: { source.add(data: 1) }, cancel: { source.cancel() })
    }
    Variant(
      "cancel-on-queue", .documented, "as cancel-beside, but a block on the source's serial queue calls cancel",
      cancelManyTimes
    ) { busy in
      let source = DispatchSource.makeUserDataAddSource(queue: busy.queue)
      source.setEventHandler {
        busy.handlerBegan()
        source.add(data: 1)
      }
      source.setCancelHandler { busy.ended() }
      source.activate()
      return SourceControls(
        add: { source.add(data: 1) },
        cancel: {
          busy.queue.sync {
            source.cancel()
            busy.cancelReturned()
          }
        })
    }
    Variant(
      "free-in-cancel-handler", .documented, "the context is freed in the cancel handler", cancelInUse()
    ) { context, queue in
      let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue)
      gcdlab_dispatch_set_context(source, context.pointer)
      gcdlab_dispatch_source_set_event_handler_f(source) { SourceContext.at($0).use() }
      gcdlab_dispatch_source_set_cancel_handler_f(source) { SourceContext.at($0).free() }
      gcdlab_dispatch_resume(source)
      return SourceControls(
        add: { gcdlab_dispatch_source_merge_data(source, 1) },
        cancel: {
          gcdlab_dispatch_source_cancel(source)
          gcdlab_dispatch_release(source)
        })
    }
    Variant(
      "free-after-cancel", .broken, "the context is freed as soon as cancel has returned", cancelInUse()
    ) { context, queue in
      let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue)
      gcdlab_dispatch_set_context(source, context.pointer)
      gcdlab_dispatch_source_set_event_handler_f(source) { SourceContext.at($0).use() }
      gcdlab_dispatch_resume(source)
      return SourceControls(
        add: { gcdlab_dispatch_source_merge_data(source, 1) },
        cancel: {
          gcdlab_dispatch_source_cancel(source)
          gcdlab_dispatch_release(source)
          context.free()
        })
    }
  }
}
