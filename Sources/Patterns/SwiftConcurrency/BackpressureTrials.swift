import Instruments
import Synchronization

extension Backpressure {
  private var flows: [any Declaration] { [ahead, held, waits, lost, unreported, perElement] }

  /// A probe that sends elements through a stream whose buffer has no limit.
  var produceUnlimited: Probe<@Sendable (Producer) -> AsyncStream<Element>> {
    Probe(reads: [elements, size], records: flows) { trial, connect in
      _ = try flow(trial, until: Self.holdLimit, connect)
    }
  }

  /// A probe that sends elements through a stream whose buffer has a limit. The probe records how many new elements and
  /// how many buffered elements were dropped.
  var produceLimited: Probe<@Sendable (Producer, _ limit: Int) -> AsyncStream<Element>> {
    Probe(
      reads: [elements, size, limit], records: flows + [beyondLimit, droppedNewcomers, droppedOlder]
    ) { trial, connect in
      let limit = trial[limit]
      let flow = try flow(trial, until: Self.holdLimit) { connect($0, limit) }
      recordBeyondLimit(trial, flow)
      recordDrops(trial, flow)
    }
  }

  /// A probe that sends elements through a stream whose buffer holds no element. The probe records how many new
  /// elements and how many buffered elements were dropped.
  var produceUnbuffered: Probe<@Sendable (Producer) -> AsyncStream<Element>> {
    Probe(reads: [elements, size], records: flows + [droppedNewcomers, droppedOlder]) { trial, connect in
      recordDrops(trial, try flow(trial, until: Self.holdLimit, connect))
    }
  }

  /// A probe for a stream that requests each element from the producer. The probe records how many elements the stream
  /// requested ahead of the consumer.
  var produceOnDemand: Probe<@Sendable (Producer) -> AsyncStream<Element>> {
    Probe(reads: [elements, size, patience], records: flows + [readAhead]) { trial, connect in
      recordReadAhead(trial, try flow(trial, until: trial[patience], connect))
    }
  }

  /// A probe that sends elements through a channel, which suspends the producer while the channel is full.
  var produceSuspending: Probe<@Sendable (Producer, _ limit: Int) -> Channel<Element>> {
    Probe(reads: [elements, size, limit, patience], records: flows + [beyondLimit]) { trial, connect in
      let limit = trial[limit]
      recordBeyondLimit(trial, try flow(trial, until: trial[patience]) { connect($0, limit) })
    }
  }

  /// Records how many more elements were in memory than the buffer, the producer and the consumer may have.
  func recordBeyondLimit(_ trial: Trial, _ flow: Flow) {
    trial.record(beyondLimit, max(0, flow.mostAtOnce - trial[limit] - 2))
  }

  /// Records how many elements a stream with a limited buffer dropped: newly sent elements, and older elements of the
  /// buffer.
  func recordDrops(_ trial: Trial, _ flow: Flow) {
    trial.record(droppedNewcomers, flow.droppedNewcomers)
    trial.record(droppedOlder, flow.dropped.count - flow.droppedNewcomers)
  }

  /// Records the maximum number of elements that a stream requested ahead of the consumer.
  func recordReadAhead(_ trial: Trial, _ flow: Flow) { trial.record(readAhead, flow.readAhead) }

  /// Sends elements from a producer to a consumer in two phases, and returns the observations of the first phase. The
  /// consumer is held only in the first phase. If the producer does not end while the consumer is held, the consumer is
  /// held a second time, after the first element.
  ///
  /// - Parameters:
  ///   - patience: the time for which the consumer is held if the producer does not end earlier.
  ///   - connect: a closure that starts the producer, and returns the sequence over which the consumer iterates.
  func flow<Elements: AsyncSequence & Sendable>(
    _ trial: Trial, until patience: Duration, _ connect: @escaping @Sendable (Producer) -> Elements
  ) throws -> Flow where Elements.Element == Element, Elements.Failure == Never {
    let (count, size) = (trial[elements], trial[size])
    let (flow, time) = try waitFor {
      let producer = Producer(count: count, size: size, patience: patience)
      let stream = connect(producer)
      producer.end.startTimeLimit()
      var flow = Flow(hasEnded: await producer.end.wait(), ahead: producer.made)
      for await element in stream {
        flow.received.append(element.number)
        if flow.received.count == 1, !flow.hasEnded { try await Task.sleep(for: patience) }
        flow.readAhead = max(flow.readAhead, producer.made - flow.received.count)
      }
      flow.mostAtOnce = producer.mostAtOnce
      (flow.dropped, flow.droppedNewcomers) = producer.drops

      let second = Producer(count: count, size: size, patience: .zero)
      let begin = MonotonicClock.now()
      for await _ in connect(second) {}
      return (flow, MonotonicClock.now() - begin)
    }
    trial.record(ahead, flow.ahead)
    trial.record(waits, flow.hasEnded ? 0 : 1)
    trial.record(held, flow.mostAtOnce)
    trial.record(lost, flow.lost(of: count).count)
    trial.record(unreported, flow.unreported(of: count))
    trial.record(perElement, time, over: count)
    return flow
  }
}

/// The observations of a phase in which the consumer is held and then released.
struct Flow: Sendable {
  /// Whether the producer ended while the consumer was held.
  let hasEnded: Bool
  /// The number of elements that the producer had created when the consumer was released.
  let ahead: Int
  /// The sequence numbers of the elements that the consumer received.
  var received: [Int] = []
  /// The sequence numbers of the elements that `yield` reported as dropped.
  var dropped: [Int] = []
  /// The number of elements that `yield` dropped instead of adding them to the buffer.
  var droppedNewcomers = 0
  /// The maximum number of elements that the producer had created and the consumer had not received, counted at each
  /// receipt.
  var readAhead = 0
  /// The maximum number of elements in memory at the same time.
  var mostAtOnce = 0

  /// Returns those of the numbers from 1 to `count` whose elements were not received. A second receipt of an element
  /// does not stand for another element.
  func lost(of count: Int) -> Set<Int> { Set(1...count).subtracting(received) }

  /// Returns the number of missing and wrong reports for `count` sent elements. A report is missing if an element was
  /// lost and not reported as dropped. A report is wrong if the element was not lost, or was already reported.
  func unreported(of count: Int) -> Int {
    let lost = lost(of: count)
    let reported = lost.intersection(dropped).count
    return lost.count - reported + dropped.count - reported
  }
}

/// A producer that creates elements and counts the elements in memory.
final class Producer: Sendable {
  private let count: Int
  private let size: Int
  private let existing = Gauge()
  private let numberMade = Atomic(0)
  private let dropped = Mutex((numbers: [Int](), newcomers: 0))
  /// A gate that opens when the closure of ``start(_:)`` has returned. The gate never opens if ``start(_:)`` is not
  /// called.
  let end: TimedGate

  fileprivate init(count: Int, size: Int, patience: Duration) {
    (self.count, self.size) = (count, size)
    end = TimedGate(limit: patience)
  }

  /// Starts a task that runs `body`, which sends all elements. ``end`` opens when `body` returns.
  func start(_ body: @escaping @Sendable () async -> Void) {
    Task {
      await body()
      end.open()
    }
  }

  /// Creates and returns the next element; returns nil after the last element.
  func next() -> Element? {
    let number = numberMade.add(1, ordering: .relaxed).newValue
    guard number <= count else {
      numberMade.store(count, ordering: .relaxed)
      return nil
    }
    return Element(number, size: size, of: existing)
  }

  /// A sequence that creates each element when the element is requested.
  var elements: some Sequence<Element> { sequence(state: self) { producer in producer.next() } }

  /// Records the element that `yield` dropped while sending `newcomer`, if an element was dropped.
  func notes(_ result: AsyncStream<Element>.Continuation.YieldResult, of newcomer: Element) {
    guard case .dropped(let element) = result else { return }
    dropped.withLock { dropped in
      dropped.numbers.append(element.number)
      if element === newcomer { dropped.newcomers += 1 }
    }
  }

  fileprivate var made: Int { min(count, numberMade.load(ordering: .relaxed)) }
  fileprivate var drops: (numbers: [Int], newcomers: Int) { dropped.withLock(\.self) }
  fileprivate var mostAtOnce: Int { existing.peak }
}

/// An element that owns memory. The producer counts the existing elements.
final class Element: Sendable {
  /// The sequence number of the element, starting at 1.
  let number: Int
  private let memory: [UInt8]
  private let existing: Gauge

  fileprivate init(_ number: Int, size: Int, of existing: Gauge) {
    self.number = number
    memory = [UInt8](repeating: 1, count: size)
    self.existing = existing
    existing.up()
  }

  deinit { existing.down() }
}
