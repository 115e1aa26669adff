import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

@Suite struct BackpressureTests {
  private static let settings: [String: ParameterValue] = [
    "elements": .integer(200), "size": .integer(16), "limit": .integer(4),
  ]

  /// The test runs in a process of its own. In the common process, other tests may block all threads that run tasks
  /// until the producer's time is over.
  @Test(arguments: ["unbounded", "newest", "oldest", "newest-zero", "oldest-zero", "unfolding", "channel"])
  func `each variant buffers and drops as many elements as promised`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: Backpressure(), files: Catalogue.files, Self.settings)
      #expect(attempt.brokenPromises == [])
      let isFull = ["newest", "oldest"].contains(variant)
      #expect(attempt.total("lost") == (variant.hasSuffix("-zero") ? 200 : isFull ? 196 : 0))
      #expect(attempt.total("unreported") == 0)
      let held = try #require(attempt.total("held"))
      switch variant {
      case "unbounded": #expect(held == 200)
      case "unfolding", "newest-zero", "oldest-zero": #expect((1...2).contains(held))
      default: #expect((4...6).contains(held))
      }
    }
  }

  @Test func `a channel delivers all elements in order, and suspends a sender while it is full`() async {
    let channel = Channel<Int>(limit: 3)
    let sent = ExecutionCounts(count: 100)
    let sender = Task {
      for number in 0..<100 {
        await channel.send(number)
        sent.ran(number)
      }
      channel.finish()
    }
    var numbers: [Int] = []
    for await number in channel {
      numbers.append(number)
      // At most three sent elements are buffered and not yet received.
      #expect(100 - sent.notRun <= numbers.count + 3)
    }
    await sender.value
    #expect(numbers == Array(0..<100))
    #expect(await channel.next() == nil)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = Backpressure()
    func red(_ check: String, _ connect: @escaping @Sendable (Producer) -> AsyncStream<Element>) -> Red {
      let variant = String(check.prefix { $0 != "." })
      return Red(check, variant, of: pattern, settings) { trial in
        let flow = try pattern.flow(trial, until: .milliseconds(20), connect)
        if ["newest", "oldest", "channel"].contains(variant) { pattern.recordBeyondLimit(trial, flow) }
        if variant == "unfolding" { pattern.recordReadAhead(trial, flow) }
        if variant.hasPrefix("newest") || variant.hasPrefix("oldest") { pattern.recordDrops(trial, flow) }
      }
    }
    /// The results that a producer records: every result, no result, or the yielded element as the dropped element.
    enum Notes { case all, none, newcomers }
    @Sendable func stream(
      _ producer: Producer, _ policy: AsyncStream<Element>.Continuation.BufferingPolicy, notes: Notes = .all
    ) -> AsyncStream<Element> {
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
      producer.start {
        for element in producer.elements {
          let result = continuation.yield(element)
          switch (notes, result) {
          case (.newcomers, .dropped): producer.notes(.dropped(element), of: element)
          case (.none, _): break
          default: producer.notes(result, of: element)
          }
        }
        continuation.finish()
      }
      return stream
    }
    /// Returns a channel instead of a stream.
    @Sendable func channel(_ producer: Producer) -> AsyncStream<Element> {
      let channel = Channel<Element>(limit: 4)
      producer.start {
        for element in producer.elements { await channel.send(element) }
        channel.finish()
      }
      return AsyncStream { await channel.next() }
    }
    /// Returns a stream whose function retains an element that the consumer has not requested.
    @Sendable func readsAhead(_ producer: Producer) -> AsyncStream<Element> {
      let next = Mutex(Element??.none)
      return AsyncStream {
        next.withLock { next in
          let element = next ?? producer.next()
          next = .some(producer.next())
          return element
        }
      }
    }
    /// Returns a stream that delivers the first element twice, and does not deliver the second element.
    @Sendable func repeatsFirst(_ producer: Producer) -> AsyncStream<Element> {
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
      producer.start {
        var first: Element?
        for element in producer.elements {
          first = first ?? element
          continuation.yield(element.number == 2 ? first ?? element : element)
        }
        continuation.finish()
      }
      return stream
    }
    return [
      red("unbounded.lost == 0", repeatsFirst), red("unfolding.lost == 0", repeatsFirst),
      red("channel.lost == 0", repeatsFirst),
      red("unbounded.lost == 0") { stream($0, .bufferingNewest(4)) },
      red("unbounded.held > 100") { stream($0, .bufferingNewest(4)) },
      red("unbounded.waits == 0", channel), red("newest.waits == 0", channel),
      red("newest.lost > 0", channel), red("oldest.lost > 0", channel),
      red("newest.beyond-limit == 0") { stream($0, .unbounded) },
      red("oldest.beyond-limit == 0") { stream($0, .unbounded) },
      red("channel.beyond-limit == 0") { stream($0, .unbounded) },
      red("channel.lost == 0") { stream($0, .bufferingOldest(4)) },
      red("newest.unreported == 0") { stream($0, .bufferingNewest(4), notes: .newcomers) },
      red("oldest.unreported == 0") { stream($0, .bufferingOldest(4), notes: .none) },
      red("newest.dropped-newcomers == 0") { stream($0, .bufferingOldest(4)) },
      red("newest-zero.dropped-newcomers > 0") { stream($0, .bufferingNewest(1)) },
      red("oldest.dropped-older == 0") { stream($0, .bufferingNewest(4)) },
      red("oldest-zero.dropped-older == 0") { stream($0, .bufferingNewest(1)) },
      red("unfolding.read-ahead == 0", readsAhead),
      red("unfolding.ahead == 0", channel),
      red("unfolding.lost == 0") { stream($0, .bufferingNewest(4)) },
    ]
  }
}
