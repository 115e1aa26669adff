import Dispatch
import Instruments
import Synchronization

/// How does code that cannot wait send items to a consumer that receives them one by one: through an `AsyncStream`, or
/// through a source?
///
/// A custom source stores a single number, regardless of how many events arrive while its handler waits or runs. An
/// `AsyncStream` stores the items themselves: all of them, or as many as its buffering policy allows.
///
/// The trial sends the items of a burst while the consumer is held at an earlier item. The trial then sends single
/// items, each after the previous item was received, and finally many items without pauses.
///
/// Source: "AsyncStream" in the documentation of Swift's standard library, and the Concurrency Programming Guide,
/// Dispatch Sources.
struct StreamVsSource: Pattern {
  static let name = "stream-vs-source"

  let burst = Parameter.count("burst", 2...100_000, default: 1000, "items sent while the consumer is busy")
  let buffer = Parameter.count("buffer", 1...100_000, default: 16, "capacity of a bounded stream's buffer")
  let messages = Parameter.count(
    "messages", 1...100_000, default: 200, "single items sent to an idle consumer")
  let stream = Parameter.count(
    "stream", 1...10_000_000, default: 20_000, "items sent back to back to a running consumer")

  let lost = Metric.count("lost", "items of the bursts that the consumer did not receive")
  let policyViolations = Metric.count(
    "policy-violations",
    "items of the bursts that were received or missed contrary to the variant's buffering policy")
  let unreportedDrops = Metric.count(
    "unreported-drops",
    "lost items that yield did not return as dropped, and items returned as dropped that were not lost")
  let sendCost = Metric.latency(
    "send-cost", affectedBy: ["burst", "buffer", Cores.name],
    "sending one item while the consumer is busy, timed one burst at a time")
  let latency = Metric.latency("latency", "from just before an item is sent until an idle consumer has received it")
  let perItem = Metric.latency(
    "per-item", affectedBy: ["stream", "buffer", Cores.name],
    "one of many items sent back to back: from the first send to the last receipt, divided by the items")

  var problem: [any Declaration] { [messages] }

  var variants: [Variant] {
    Variant("stream-unbounded", .modern, "an AsyncStream with an unbounded buffer", pass(keeping: { $0 })) { inbox in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .unbounded)
      Task {
        for await item in stream { await inbox.take(item) }
        inbox.ended()
      }
      return Outbox(
        send: { items in items.each { inbox.note(continuation.yield($0)) } }, end: { continuation.finish() })
    }
    Variant(
      "stream-newest", .modern, "an AsyncStream that buffers the newest items",
      passBounded(keeping: { items, capacity in items.suffix(capacity) })
    ) { inbox, capacity in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(capacity))
      Task {
        for await item in stream { await inbox.take(item) }
        inbox.ended()
      }
      return Outbox(
        send: { items in items.each { inbox.note(continuation.yield($0)) } }, end: { continuation.finish() })
    }
    Variant(
      "stream-oldest", .modern, "an AsyncStream that buffers the oldest items",
      passBounded(keeping: { items, capacity in items.prefix(capacity) })
    ) { inbox, capacity in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(capacity))
      Task {
        for await item in stream { await inbox.take(item) }
        inbox.ended()
      }
      return Outbox(
        send: { items in items.each { inbox.note(continuation.yield($0)) } }, end: { continuation.finish() })
    }
    Variant("source", .documented, "a custom source that adds up the items", pass(keeping: { [$0.reduce(0, +)] })) {
      inbox in
      let source = DispatchSource.makeUserDataAddSource(queue: inbox.queue)
      source.setEventHandler { inbox.take(Int(source.data)) }
      source.setCancelHandler { inbox.ended() }
      source.activate()
      return Outbox(send: { items in items.each { source.add(data: UInt($0)) } }, end: { source.cancel() })
    }
    Variant(
      "source-and-array", .modern, "an array under a Mutex, and a source that signals new items", pass(keeping: { $0 })
    ) { inbox in
      let items = SharedItems()
      let source = DispatchSource.makeUserDataAddSource(queue: inbox.queue)
      source.setEventHandler {
        let taken = items.array.withLock { array in
          defer { array = [] }
          return array
        }
        for item in taken { inbox.take(item) }
      }
      source.setCancelHandler { inbox.ended() }
      source.activate()
      return Outbox(
        send: { sent in
          sent.each { item in
            items.array.withLock { $0.append(item) }
            source.add(data: 1)
          }
        }, end: { source.cancel() })
    }
    Variant("async", .yardstick, "no source: one block per item", pass(keeping: { $0 })) { inbox in
      Outbox(
        send: { items in items.each { item in inbox.queue.async { inbox.take(item) } } },
        end: { inbox.queue.async { inbox.ended() } })
    }
  }
}

/// An array of items that a sender and a handler share.
private final class SharedItems: Sendable {
  let array = Mutex<[Int]>([])
}
