import Dispatch
import Instruments

/// A source and its queue: where does a pending handler run if the source's target queue is changed, and what retains
/// the queue?
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating Dispatch Sources", "Changing the Target Queue".
extension SourceLifecycle {
  @VariantList var targeting: [Variant] {
    Variant(
      "retarget", .documented, "a source gets another target queue while its handler is pending on the old one",
      retargetWhilePending
    ) { life in
      let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
      source.setEventHandler { life.received(source.data) }
      source.activate()
      return SourceControls(
        add: { source.add(data: 1) }, cancel: { source.cancel() },
        retarget: { queue in (source as? DispatchSource)?.setTarget(queue: queue) })
    }
    Variant("queue-retained", .documented, "only the source holds a reference to its queue", releaseQueue()) { life in
      let queue = DispatchQueue(label: "com.example.MyQueue")
      queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
      let source = DispatchSource.makeUserDataAddSource(queue: queue)
      source.setEventHandler { life.received(source.data) }
      source.activate()
      return SourceControls(add: { source.add(data: 1) }, cancel: { source.cancel() })
    }
    Variant(
      "queue-retained-timer", .documented, "only a timer holds a reference to its queue, which is concurrent",
      releaseQueue()
    ) { life in
      let queue = DispatchQueue(label: "com.example.MyQueue", attributes: .concurrent)
      queue.setSpecific(key: life.key, value: DeallocationObserver { life.queueWent() })
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { life.received(source.data) }
      source.activate()
      return SourceControls(add: { source.schedule(deadline: .now()) }, cancel: { source.cancel() })
    }
  }
}
