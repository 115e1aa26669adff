import CDispatchSupport
import Dispatch
import Instruments

/// A program releases a source without cancelling it: does the pending handler still run, and what is freed?
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Canceling a Dispatch Source".
extension SourceLifecycle {
  @VariantList var releasing: [Variant] {
    Variant(
      "released-while-pending", .broken,
      "the last reference to an active source is released while its handler is pending", releaseWhilePending()
    ) { life in
      let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
      queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
      let source = DispatchSource.makeUserDataAddSource(queue: queue)
      source.setEventHandler { life.received(1) }
      source.activate()
      source.add(data: 1)
    }
    Variant(
      "retain-cycle", .documented, "as released-while-pending, but the handler captures the source, and cancels it",
      releaseWhilePending()
    ) { life in
      let queue = DispatchQueue(label: "com.example.MyQueue", target: life.queue)
      queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
      let source = DispatchSource.makeUserDataAddSource(queue: queue)
      source.setEventHandler {
        life.received(source.data)
        source.cancel()
      }
      source.activate()
      source.add(data: 1)
    }
    Variant(
      "release-inactive", .broken, "the last reference to a source that was never activated is released",
      ends: .trapsAtOnce
    ) { trial in
      trial.hazard()
      _ = DispatchSource.makeUserDataAddSource(queue: .global())
    }
    Variant(
      "release-cancelled-suspended", .broken, "a suspended source is cancelled, and released right after that",
      ends: .trapsAtOnce
    ) { trial in
      let queue = FunctionQueue(label: "events")
      let source = gcdlab_dispatch_source_create(gcdlab_data_add(), 0, 0, queue.object)
      gcdlab_dispatch_source_set_event_handler_f(source) { _ in }
      gcdlab_dispatch_source_set_cancel_handler_f(source) { _ in }
      gcdlab_dispatch_resume(source)
      trial.hazard()
      gcdlab_dispatch_suspend(source)
      gcdlab_dispatch_source_cancel(source)
      gcdlab_dispatch_release(source)
    }
  }
}
