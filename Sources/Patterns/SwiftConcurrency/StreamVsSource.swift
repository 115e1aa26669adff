import Dispatch
import Laboratory
import Synchronization

/// Passing items on from code that cannot wait to code that takes them one after the other: by an `AsyncStream`, or by a source.
///
/// A custom source keeps one number, whatever comes while its handler waits or runs. An `AsyncStream` keeps the items
/// themselves: all of them, or as many as its buffering policy says.
///
/// The items of a burst come while the consumer surely works on the one before, held there. Then single items come, each awaited
/// until it is taken, and a run of items with nothing in the way.
///
/// Source: "AsyncStream" in the documentation of Swift's standard library, beside the Concurrency Programming Guide, Dispatch
/// Sources.
struct StreamVsSource: Pattern {
  static let name = "stream-vs-source"

  let burst = Setting.count("burst", 2...100_000, default: 1000, "items while the consumer is held back")
  let buffer = Setting.count("buffer", 1...100_000, default: 16, "items that a bounded stream keeps")
  let messages = Setting.count(
    "messages", 1...100_000, default: 200, "single items to a consumer that has nothing to do")
  let stream = Setting.count("stream", 1...10_000_000, default: 20_000, "items with nothing in the way")

  let lost = Metric.count("lost", "items of the bursts that the consumer was not given")
  let unpromised = Metric.count(
    "unpromised",
    "items of the bursts that the consumer should have been given then and was not, or the other way round")
  let untoldDrops = Metric.count("untold-drops", "items that were lost and the sender was not told so")
  let cost = Metric.latency("cost", "passing on one item while the consumer is busy, timed a burst at a time")
  let latency = Metric.latency("latency", "from just before an item is passed on until an idle consumer has it")
  let perItem = Metric.latency(
    "per-item", "one item of the stream, from the first that is passed on until the last is taken, over all of them")

  var problem: [any Declaration] { [messages] }

  var variants: [Variant] {
    Variant("stream-unbounded", .modern, "an AsyncStream that keeps everything", without: [buffer]) { trial in
      try pass(trial, keeping: { $0 }) { inbox in
        let (stream, news) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .unbounded)
        Task {
          for await item in stream { await inbox.take(item) }
          inbox.ended()
        }
        return Outbox(send: { items in items.each { inbox.note(news.yield($0)) } }, end: { news.finish() })
      }
    }
    Variant("stream-newest", .modern, "one that keeps the newest", own: [buffer, untoldDrops]) { trial in
      let size = trial[buffer]
      try pass(trial, keeping: { $0.suffix(size) }) { inbox in
        let (stream, news) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(size))
        Task {
          for await item in stream { await inbox.take(item) }
          inbox.ended()
        }
        return Outbox(send: { items in items.each { inbox.note(news.yield($0)) } }, end: { news.finish() })
      }
    }
    Variant("stream-oldest", .modern, "one that keeps the oldest", own: [buffer, untoldDrops]) { trial in
      let size = trial[buffer]
      try pass(trial, keeping: { $0.prefix(size) }) { inbox in
        let (stream, news) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(size))
        Task {
          for await item in stream { await inbox.take(item) }
          inbox.ended()
        }
        return Outbox(send: { items in items.each { inbox.note(news.yield($0)) } }, end: { news.finish() })
      }
    }
    Variant("source", .documented, "a source that adds up the items", without: [buffer]) { trial in
      try pass(trial, keeping: { [$0.reduce(0, +)] }) { inbox in
        let source = DispatchSource.makeUserDataAddSource(queue: inbox.queue)
        source.setEventHandler { inbox.take(Int(source.data)) }
        source.setCancelHandler { inbox.ended() }
        source.activate()
        return Outbox(send: { items in items.each { source.add(data: UInt($0)) } }, end: { source.cancel() })
      }
    }
    Variant(
      "source-and-array", .modern, "an array behind a mutex, and a source that says when to look", without: [buffer]
    ) {
      trial in
      try pass(trial, keeping: { $0 }) { inbox in
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
    }
    Variant("async", .yardstick, "no source: a block for each item", without: [buffer]) { trial in
      try pass(trial, keeping: { $0 }) { inbox in
        Outbox(
          send: { items in items.each { item in inbox.queue.async { inbox.take(item) } } },
          end: { inbox.queue.async { inbox.ended() } })
      }
    }
  }
}

/// Items that a sender and a handler share.
private final class SharedItems: Sendable {
  let array = Mutex<[Int]>([])
}
