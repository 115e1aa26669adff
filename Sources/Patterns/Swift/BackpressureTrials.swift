import Instruments
import Synchronization

/// The measuring code.
extension Backpressure {
  /// Lets elements flow from a producer to a consumer. The consumer is held in the first phase, and free in the second.
  ///
  /// - Parameters:
  ///   - patience: how long the consumer is held, unless the producer ends before.
  ///   - connect: starts the producer, and returns the sequence that the consumer iterates over.
  func flow<Elements: AsyncSequence>(
    _ trial: Trial, until patience: Duration, _ connect: (Producer) -> Elements
  ) async throws where Elements.Element == Element, Elements.Failure == Never {
    let (count, size, limit) = (trial[elements], trial[size], trial[limit])
    let producer = Producer(count: count, size: size, patience: patience)
    let stream = connect(producer)
    producer.end.restHasFinished()
    let hasEnded = await producer.end.passed()
    trial.record(ahead, producer.made)
    trial.record(waits, hasEnded ? 0 : 1)
    var received = 0
    for await _ in stream { received += 1 }
    trial.record(held, producer.mostAtOnce)
    trial.record(beyondLimit, max(0, producer.mostAtOnce - limit - 2))
    trial.record(lost, count - received)
    trial.record(unreported, abs(count - received - producer.dropped))

    let second = Producer(count: count, size: size, patience: .zero)
    let begin = MonotonicClock.now()
    for await _ in connect(second) {}
    trial.record(perElement, MonotonicClock.now() - begin, over: count)
  }
}

/// Makes elements, and counts the elements that exist.
final class Producer: Sendable {
  private let count: Int
  private let size: Int
  private let existing = Gauge()
  private let numberMade = Atomic(0)
  private let numberDropped = Atomic(0)
  /// Opens when the last element has been sent.
  let end: BoundedGate

  fileprivate init(count: Int, size: Int, patience: Duration) {
    (self.count, self.size) = (count, size)
    end = BoundedGate(bound: patience)
  }

  /// Runs `body`, which sends all elements, in a task of its own.
  func start(_ body: @escaping @Sendable () async -> Void) {
    Task {
      await body()
      end.open()
    }
  }

  /// Makes the next element; nil after the last one.
  func next() -> Element? {
    let number = numberMade.add(1, ordering: .relaxed).newValue
    guard number <= count else {
      numberMade.store(count, ordering: .relaxed)
      return nil
    }
    return Element(size: size, of: existing)
  }

  /// The elements, each of which is made when the consumer asks for it.
  var elements: some Sequence<Element> { sequence(state: self) { producer in producer.next() } }

  /// Notes what `yield` returned for an element.
  func notes(_ result: AsyncStream<Element>.Continuation.YieldResult) {
    if case .dropped = result { numberDropped.add(1, ordering: .relaxed) }
  }

  fileprivate var made: Int { min(count, numberMade.load(ordering: .relaxed)) }
  fileprivate var dropped: Int { numberDropped.load(ordering: .relaxed) }
  fileprivate var mostAtOnce: Int { existing.peak }
}

/// An element with memory of its own, which is counted as long as it exists.
final class Element: Sendable {
  private let memory: [UInt8]
  private let existing: Gauge

  fileprivate init(size: Int, of existing: Gauge) {
    memory = [UInt8](repeating: 1, count: size)
    self.existing = existing
    existing.up()
  }

  deinit { existing.down() }
}
