import Instruments
import Synchronization

/// Does a bounded buffer limit memory use, and which elements are lost?
///
/// A producer is faster than its consumer. The buffer between the two grows, drops elements, or makes the producer
/// wait. A buffer that makes the producer wait exerts backpressure. The buffer of an `AsyncStream` grows by default,
/// and drops elements if it has a limit, since `yield` never waits:
///
/// ```swift
/// let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
/// continuation.yield(element)
/// ```
///
/// In a trial, the consumer is held until the producer has sent all elements, or, if the producer has to wait, until
/// the time `patience` has passed. The consumer then receives the elements. Afterwards, the trial repeats and times the
/// flow without holding the consumer.
///
/// Source: SE-0314 (AsyncStream).
struct Backpressure: Pattern {
  static let name = "backpressure"

  let elements = Parameter.count("elements", 10...1_000_000, default: 2000, "elements that the producer sends")
  let size = Parameter.size("size", 1...1_048_576, default: 4096, "memory of one element")
  let limit = Parameter.count("limit", 1...1000, default: 8, "elements that the buffer may have, if it has a limit")
  let patience = Parameter.duration(
    "patience", .zero ... .seconds(1), default: .milliseconds(2),
    "how long the consumer is held if the producer has to wait for it"
  ).ofMeasurement

  let ahead = Metric.count("ahead", "elements that the producer had made while the consumer was held")
  let held = Metric.count("held", "the most elements that existed at once while the consumer was held, and afterwards")
  let beyondLimit = Metric.count(
    "beyond-limit", "held elements beyond the limit of the buffer plus one of the producer and one of the consumer")
  let waits = Metric.count("waits", "1 if the producer had not ended while the consumer was held")
  let lost = Metric.count(
    "lost", better: .lower, "elements that were sent and not received while the consumer was held")
  let unreported = Metric.count(
    "unreported",
    "lost elements that yield did not return as dropped, and elements returned as dropped that were not lost")
  let droppedNewcomers = Metric.count(
    "dropped-newcomers", "elements that yield returned as dropped when they were sent")
  let droppedOlder = Metric.count(
    "dropped-older", "elements that yield returned as dropped when a later element was sent")
  let readAhead = Metric.count(
    "read-ahead", "the most elements that the producer had made beyond those received, counted at each element")
  let perElement = Metric.latency(
    "per-element", "time of all elements with a consumer that is not held, divided by their number")

  var problem: [any Declaration] { [elements, size] }

  var variants: [Variant] {
    Variant("unbounded", .documented, "AsyncStream with its default buffer", produceUnlimited) { producer in
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
      producer.start {
        for element in producer.elements { producer.notes(continuation.yield(element), of: element) }
        continuation.finish()
      }
      return stream
    }
    Variant("newest", .documented, "AsyncStream that buffers the newest elements", produceLimited) { producer, limit in
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(limit))
      producer.start {
        for element in producer.elements { producer.notes(continuation.yield(element), of: element) }
        continuation.finish()
      }
      return stream
    }
    Variant("oldest", .documented, "AsyncStream that buffers the oldest elements", produceLimited) { producer, limit in
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingOldest(limit))
      producer.start {
        for element in producer.elements { producer.notes(continuation.yield(element), of: element) }
        continuation.finish()
      }
      return stream
    }
    Variant("newest-zero", .broken, "AsyncStream of the newest elements with the limit 0", produceUnbuffered) {
      producer in
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(0))
      producer.start {
        for element in producer.elements { producer.notes(continuation.yield(element), of: element) }
        continuation.finish()
      }
      return stream
    }
    Variant("oldest-zero", .broken, "AsyncStream of the oldest elements with the limit 0", produceUnbuffered) {
      producer in
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingOldest(0))
      producer.start {
        for element in producer.elements { producer.notes(continuation.yield(element), of: element) }
        continuation.finish()
      }
      return stream
    }
    Variant("unfolding", .documented, "AsyncStream of a function that makes the next element", produceOnDemand) {
      producer in
      AsyncStream { producer.next() }
    }
    Variant(
      "channel", .modern, "a channel whose send suspends while its buffer is full", produceSuspending,
      shows: ["Channel"]
    ) { producer, limit in
      let channel = Channel<Element>(limit: limit)
      producer.start {
        for element in producer.elements { await channel.send(element) }
        channel.finish()
      }
      return channel
    }
  }

  /// The maximum time for which the consumer is held if the producer never waits. The producer must finish within this
  /// time.
  static let holdLimit = Duration.seconds(30)

  /// Returns an upper bound for the duration of a trial: the time to send each element twice, with a thread switch each
  /// time, plus the maximum time for which the consumer is held.
  func longest(_ trial: Trial) -> Duration? { .microseconds(50) * (2 * trial[elements]) + Self.holdLimit }
}

/// An asynchronous sequence for one consumer, with a bounded buffer. A sender suspends while the buffer is full.
final class Channel<Element: Sendable>: AsyncSequence, Sendable {
  private struct State {
    var buffer: [Element] = []
    var senders: [(element: Element, task: CheckedContinuation<Void, Never>)] = []
    var consumer: CheckedContinuation<Element?, Never>?
    var isFinished = false
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Creates an empty channel that buffers up to `limit` elements. A limit below 1 counts as 1.
  init(limit: Int) { self.limit = Swift.max(1, limit) }

  /// Sends an element, and suspends the caller until the element is buffered or received.
  func send(_ element: Element) async {
    await withCheckedContinuation { task in
      let consumer = state.withLock { state -> CheckedContinuation<Element?, Never>? in
        if let consumer = state.consumer.take() { return consumer }
        guard state.buffer.count < limit else {
          state.senders.append((element, task))
          return nil
        }
        state.buffer.append(element)
        task.resume()
        return nil
      }
      if let consumer {
        consumer.resume(returning: element)
        task.resume()
      }
    }
  }

  /// Ends the channel. The caller must not send further elements.
  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: nil)
  }

  /// Returns the next element; nil after the last element. Suspends the caller until an element is available or the
  /// channel has ended.
  func next() async -> Element? {
    await withCheckedContinuation { consumer in
      let (element, sender) = state.withLock { state -> (Element??, CheckedContinuation<Void, Never>?) in
        guard let first = state.buffer.first else {
          if state.isFinished { return (.some(nil), nil) }
          state.consumer = consumer
          return (nil, nil)
        }
        state.buffer.removeFirst()
        guard let next = state.senders.first else { return (first, nil) }
        state.senders.removeFirst()
        state.buffer.append(next.element)
        return (first, next.task)
      }
      sender?.resume()
      if let element { consumer.resume(returning: element) }
    }
  }

  /// An iterator over the elements in the order in which they were sent.
  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let channel: Channel
    func next() async -> Element? { await channel.next() }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(channel: self) }
}
