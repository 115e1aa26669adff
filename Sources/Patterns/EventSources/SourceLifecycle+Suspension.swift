import Dispatch
import Instruments

/// A source is inactive or suspended, or its handler waits for its queue: what happens to the events that arrive in the
/// meantime?
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Creating Dispatch Sources", "Suspending and Resuming
/// Dispatch Sources".
extension SourceLifecycle {
  @VariantList var suspension: [Variant] {
    Variant("starts-suspended", .documented, "events are sent before the source is activated", holdBack) { life in
      let source = DispatchSource.makeUserDataAddSource(queue: life.queue)
      source.setEventHandler { life.received(source.data) }
      for _ in 0..<life.events { source.add(data: 1) }
      life.look()
      life.lettingGo { source.activate() }
      return { source.cancel() }
    }
    Variant("suspend-coalesces", .documented, "a handler suspends its source, then events are sent", holdBack) { life in
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
    Variant(
      "suspended-read", .documented, "a read source is suspended, then bytes are written to its pipe one by one",
      holdBackReading
    ) { life, pipe in
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reader, queue: life.queue)
      source.setEventHandler {
        pipe.estimates(source.data)
        life.received(pipe.readOnly(source.data))
      }
      source.setCancelHandler { pipe.closeEnds() }
      source.setRegistrationHandler { pipe.recordRegistration() }
      source.activate()
      pipe.awaitWatch()
      life.queue.drainSources()
      source.suspend()
      try pipe.send(life.events)
      life.look()
      life.lettingGo { source.resume() }
      return { source.cancel() }
    }
    Variant(
      "waiting-read", .documented,
      "the handler of a read source waits for its queue while bytes are written to the pipe one by one", holdBackReading
    ) { life, pipe in
      let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reader, queue: life.queue)
      source.setEventHandler {
        pipe.estimates(source.data)
        life.received(pipe.readOnly(source.data))
      }
      source.setCancelHandler { pipe.closeEnds() }
      source.setRegistrationHandler { pipe.recordRegistration() }
      source.activate()
      pipe.awaitWatch()
      life.queue.drainSources()
      let queue = life.queue.hold()
      try pipe.send(life.events)
      life.look()
      life.lettingGo { queue.release() }
      return { source.cancel() }
    }
  }
}
