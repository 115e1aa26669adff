import Dispatch
import Instruments

/// A program releases a source without cancelling it: does the pending handler still run, and what is freed?
///
/// Source: Concurrency Programming Guide, Dispatch Sources, "Canceling a Dispatch Source".
extension SourceLifecycle {
  @VariantList var releasing: [Variant] {
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
      "retain-cycle", .documented, "as released-while-pending, but the handler captures the source, and cancels it",
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
      "release-inactive", .broken, "the last reference to a source that was never activated is released",
      ends: .traps(within: .milliseconds(500))
    ) { trial in
      trial.hazard()
      _ = DispatchSource.makeUserDataAddSource(queue: .global())
    }
  }
}
