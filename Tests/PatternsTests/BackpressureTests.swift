import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct BackpressureTests {
  private static let settings: [String: ParameterValue] = [
    "elements": .integer(50), "size": .integer(16), "limit": .integer(4),
  ]

  /// In a process of its own: in this one, tests may keep all threads that run tasks for as long as a producer is given.
  @Test(arguments: ["unbounded", "newest", "oldest", "unfolding", "channel"])
  func `each way of buffering keeps and loses what it promises`(_ variant: String) async {
    await #expect(processExitsWith: .success) { [variant = variant as String] in
      closeInheritedDescriptors()
      let attempt = try await Attempt(variant, of: Backpressure(), files: Catalogue.files, Self.settings)
      #expect(attempt.brokenPromises == [])
      #expect(attempt.total("lost") == (["newest", "oldest"].contains(variant) ? 46 : 0))
      #expect(attempt.total("unreported") == 0)
      let held = try #require(attempt.total("held"))
      switch variant {
      case "unbounded": #expect(held == 50)
      case "unfolding": #expect((1...2).contains(held))
      default: #expect((4...6).contains(held))
      }
    }
  }

  @Test func `a channel passes everything on in order, and suspends a sender while it is full`() async {
    let channel = Channel<Int>(limit: 3)
    let sent = RunCounts(count: 100)
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
      // What was received, and what is buffered.
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
      Red(check, String(check.prefix { $0 != "." }), of: pattern, settings) { trial in
        try waitFor { try await pattern.flow(trial, until: .milliseconds(20), connect) }
      }
    }
    /// A stream with a policy, with a producer that looks at what yield tells or not.
    @Sendable func stream(
      _ producer: Producer, _ policy: AsyncStream<Element>.Continuation.BufferingPolicy, looks: Bool = true
    ) -> AsyncStream<Element> {
      let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
      producer.start {
        for element in producer.elements {
          let result = continuation.yield(element)
          if looks { producer.notes(result) }
        }
        continuation.finish()
      }
      return stream
    }
    /// A channel in the place of a stream.
    @Sendable func channel(_ producer: Producer) -> AsyncStream<Element> {
      let channel = Channel<Element>(limit: 4)
      producer.start {
        for element in producer.elements { await channel.send(element) }
        channel.finish()
      }
      return AsyncStream { await channel.next() }
    }
    return [
      red("unbounded.lost == 0") { stream($0, .bufferingNewest(4)) },
      red("unbounded.beyond-limit > 0") { stream($0, .bufferingNewest(4)) },
      red("unbounded.waits == 0", channel), red("newest.waits == 0", channel),
      red("newest.lost > 0", channel), red("oldest.lost > 0", channel),
      red("newest.beyond-limit == 0") { stream($0, .unbounded) },
      red("oldest.beyond-limit == 0") { stream($0, .unbounded) },
      red("channel.beyond-limit == 0") { stream($0, .unbounded) },
      red("channel.lost == 0") { stream($0, .bufferingOldest(4)) },
      red("newest.unreported == 0") { stream($0, .bufferingNewest(4), looks: false) },
      red("oldest.unreported == 0") { stream($0, .bufferingOldest(4), looks: false) },
      red("unfolding.ahead == 0", channel),
      red("unfolding.lost == 0") { stream($0, .bufferingNewest(4)) },
    ]
  }
}
