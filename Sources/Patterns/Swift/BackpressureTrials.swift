import Instruments
import Synchronization

/// The measuring code.
extension Backpressure {
  private var flows: [any Declaration] { [ahead, held, beyondLimit, waits, lost, unreported, perElement] }

  /// Lets elements flow through a stream that has no limit.
  var produceUnlimited: Probe<@Sendable (Producer) -> AsyncStream<Element>> {
    Probe(reads: [elements, size, limit], records: flows) { trial, connect in
      _ = try flow(trial, until: Self.surely, connect)
    }
  }

  /// Lets elements flow through a stream with a limit, and records which elements were dropped.
  var produceLimited: Probe<@Sendable (Producer, _ limit: Int) -> AsyncStream<Element>> {
    Probe(reads: [elements, size, limit], records: flows + [droppedNewcomers, droppedOlder]) { trial, connect in
      let limit = trial[limit]
      recordDrops(trial, try flow(trial, until: Self.surely) { connect($0, limit) })
    }
  }

  /// Lets elements flow through a stream that asks for each element, and records whether the stream asked too early.
  var produceOnDemand: Probe<@Sendable (Producer) -> AsyncStream<Element>> {
    Probe(reads: [elements, size, limit, patience], records: flows + [readAhead]) { trial, connect in
      recordReadAhead(trial, try flow(trial, until: trial[patience], connect))
    }
  }

  /// Lets elements flow through a channel that makes the producer wait.
  var produceSuspending: Probe<@Sendable (Producer, _ limit: Int) -> Channel<Element>> {
    Probe(reads: [elements, size, limit, patience], records: flows) { trial, connect in
      let limit = trial[limit]
      _ = try flow(trial, until: trial[patience]) { connect($0, limit) }
    }
  }

  /// Records which elements a stream with a limit dropped.
  func recordDrops(_ trial: Trial, _ flow: Flow) {
    trial.record(droppedNewcomers, flow.droppedNewcomers)
    trial.record(droppedOlder, flow.dropped.count - flow.droppedNewcomers)
  }

  /// Records how many elements a stream asked for too early.
  func recordReadAhead(_ trial: Trial, _ flow: Flow) { trial.record(readAhead, flow.readAhead) }

  /// Lets elements flow from a producer to a consumer. The consumer is held in the first phase, and free in the second.
  /// A consumer whose producer has to wait is held at its first element once more.
  ///
  /// - Parameters:
  ///   - patience: how long the consumer is held, unless the producer ends before.
  ///   - connect: starts the producer, and returns the sequence that the consumer iterates over.
  func flow<Elements: AsyncSequence & Sendable>(
    _ trial: Trial, until patience: Duration, _ connect: @escaping @Sendable (Producer) -> Elements
  ) throws -> Flow where Elements.Element == Element, Elements.Failure == Never {
    let (count, size, limit) = (trial[elements], trial[size], trial[limit])
    let (flow, time) = try waitFor {
      let producer = Producer(count: count, size: size, patience: patience)
      let stream = connect(producer)
      producer.end.restHasFinished()
      var flow = Flow(hasEnded: await producer.end.passed(), ahead: producer.made)
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
    trial.record(beyondLimit, max(0, flow.mostAtOnce - limit - 2))
    trial.record(lost, count - flow.received.count)
    trial.record(unreported, flow.unreported(of: count))
    trial.record(perElement, time, over: count)
    return flow
  }
}

/// The observations of elements while the consumer was held, and afterwards.
struct Flow: Sendable {
  /// Whether the producer ended while the consumer was held.
  let hasEnded: Bool
  /// The number of elements that the producer had made by the end of the hold.
  let ahead: Int
  /// The numbers of the elements that the consumer received.
  var received: [Int] = []
  /// The numbers of the elements that `yield` returned as dropped.
  var dropped: [Int] = []
  /// The number of dropped elements that were being sent, and not in the buffer, when they were dropped.
  var droppedNewcomers = 0
  /// The maximum number of elements that the producer had made beyond those received, each time that the consumer
  /// received one.
  var readAhead = 0
  /// The maximum number of elements that existed at once.
  var mostAtOnce = 0

  /// The number of elements that were lost and not returned as dropped, or returned and not lost, or returned twice.
  func unreported(of count: Int) -> Int {
    let lost = Set(1...count).subtracting(received)
    let rightly = lost.intersection(dropped).count
    return lost.count - rightly + dropped.count - rightly
  }
}

/// Makes elements, and counts the elements that exist.
final class Producer: Sendable {
  private let count: Int
  private let size: Int
  private let existing = Gauge()
  private let numberMade = Atomic(0)
  private let dropped = Mutex((numbers: [Int](), newcomers: 0))
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
    return Element(number, size: size, of: existing)
  }

  /// The elements, each of which is made when the consumer asks for it.
  var elements: some Sequence<Element> { sequence(state: self) { producer in producer.next() } }

  /// Notes what `yield` returned for an element.
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

/// An element with memory of its own, which is counted as long as it exists.
final class Element: Sendable {
  /// The number of the element, from 1.
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
