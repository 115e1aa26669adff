import Dispatch
import Instruments
import LabTesting
import Synchronization
import Testing

@testable import Patterns

/// All tests of a process share the pool in which tasks run, so each test runs in a process of its own.
@Suite struct StreamVsSourceTests {
  static let settings: [String: ParameterValue] = [
    "burst": .integer(20), "messages": .integer(3), "stream": .integer(100),
  ]
  /// Settings in which a bounded stream buffers four elements.
  static let bounded = settings.merging(["buffer": .integer(4)]) { $1 }

  static func attempt(_ variant: String) async throws -> Attempt {
    try await Attempt(
      variant, of: StreamVsSource(), files: Catalogue.files,
      ["stream-newest", "stream-oldest"].contains(variant) ? bounded : settings)
  }

  @Test func `every variant keeps its promises`() async {
    await #expect(processExitsWith: .success) {
      // Each of the 11 bursts loses this number of elements.
      let lost = ["stream-newest": 11 * 16, "stream-oldest": 11 * 16]
      for variant in StreamVsSource().variants.map(\.name) {
        let attempt = try await Self.attempt(variant)
        #expect(attempt.trial.outcome == .completed)
        let isUnclaimed = variant == "async" && attempt.verdicts.isEmpty
        #expect(isUnclaimed || attempt.areAll(.held, .witnessed), "\(attempt.verdicts)")
        #expect(attempt.total("policy-violations") == 0)
        #expect(attempt.total("lost") == lost[variant, default: 0], "\(variant)")
        #expect(attempt.trial.observation.samples("latency")?.summary?.count == 3)
      }
    }
  }

  @Test func `a buffer that is large enough loses no element`() async {
    await #expect(processExitsWith: .success) {
      for variant in ["stream-newest", "stream-oldest"] {
        let attempt = try await Attempt(
          variant, of: StreamVsSource(), files: Catalogue.files, Self.settings.merging(["buffer": .integer(20)]) { $1 })
        #expect(
          attempt.total("lost") == 0 && attempt.total("unreported-drops") == 0
            && attempt.total("policy-violations") == 0)
      }
    }
  }

  @Test func `the answer of a comparison says which variants do not pass on all items`() {
    func findings(_ variants: [String]) -> [String] {
      let runs = StreamVsSource().variants.filter { variants.contains($0.name) }.map {
        VariantRun(variant: $0, point: Point(), parameters: [:], trials: [])
      }
      return StreamVsSource().findings(in: FakePattern.comparison(runs)).map(\.says)
    }
    #expect(
      findings(["stream-unbounded", "stream-newest", "stream-oldest", "source"]) == [
        "Not all variants do the same: source delivers the sum of its items, and not the items; "
          + "stream-newest and stream-oldest drop items of a burst (lost)."
      ])
    #expect(
      findings(["source-and-array", "stream-oldest"]) == [
        "Not all variants do the same: stream-oldest drops items of a burst (lost)."
      ])
    #expect(findings(["stream-unbounded", "async"]).isEmpty && findings(["stream-newest", "stream-oldest"]).isEmpty)
  }

  // MARK: Broken bodies

  /// Returns a stream with the wrong buffering policy.
  private static func stream(
    _ inbox: Inbox, _ policy: AsyncStream<Int>.Continuation.BufferingPolicy, looks: Bool = true,
    reportsNewcomers: Bool = false
  ) -> Outbox {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: policy)
    Task {
      for await item in stream { await inbox.take(item) }
      inbox.ended()
    }
    return Outbox(
      send: { items in
        items.each { item in
          let result = continuation.yield(item)
          if reportsNewcomers, case .dropped = result {
            inbox.note(.dropped(item))
          } else if looks {
            inbox.note(result)
          }
        }
      }, end: { continuation.finish() })
  }

  /// Returns a source that retains only the last value.
  private static func replacing(_ inbox: Inbox) -> Outbox {
    let source = DispatchSource.makeUserDataReplaceSource(queue: inbox.queue)
    source.setEventHandler { inbox.take(Int(source.data)) }
    source.setCancelHandler { inbox.ended() }
    source.activate()
    return Outbox(
      send: { items in items.each { source.replace(data: UInt($0)) } }, end: { source.cancel() })
  }

  /// Returns a stream that delivers the item 2 twice, and does not deliver the item 3.
  @Sendable private static func repeatingItem(_ inbox: Inbox) -> Outbox {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    Task {
      for await item in stream { await inbox.take(item == 3 ? 2 : item) }
      inbox.ended()
    }
    return Outbox(send: { items in items.each { continuation.yield($0) } }, end: { continuation.finish() })
  }

  static var reds: [Red] {
    let pattern = StreamVsSource()
    func red(
      _ check: String, _ variant: String, keeping kept: @escaping @Sendable ([Int]) -> [Int],
      _ begin: @escaping @Sendable (Inbox) -> Outbox
    ) -> Red {
      Red(check, variant, of: pattern, variant.hasSuffix("est") ? bounded : settings) { trial in
        if variant.hasSuffix("est") {
          try pattern.passBounded(keeping: { items, _ in kept(items) })(trial) { inbox, _ in begin(inbox) }
        } else {
          try pattern.pass(keeping: kept)(trial, begin)
        }
      }
    }
    let all: @Sendable ([Int]) -> [Int] = { $0 }
    let (newest, oldest): (@Sendable ([Int]) -> [Int], @Sendable ([Int]) -> [Int]) = (
      { Array($0.suffix(4)) }, { Array($0.prefix(4)) }
    )
    return [
      red("stream-unbounded.lost == 0", "stream-unbounded", keeping: all) { stream($0, .bufferingNewest(4)) },
      red("stream-unbounded.policy-violations == 0", "stream-unbounded", keeping: all) {
        stream($0, .bufferingOldest(4))
      },
      red("stream-newest.lost > 0", "stream-newest", keeping: newest) { stream($0, .unbounded) },
      red("stream-newest.policy-violations == 0", "stream-newest", keeping: newest) { stream($0, .bufferingOldest(4)) },
      red("stream-newest.unreported-drops == 0", "stream-newest", keeping: newest) {
        stream($0, .bufferingNewest(4), looks: false)
      },
      red("stream-newest.unreported-drops == 0", "stream-newest", keeping: newest) {
        stream($0, .bufferingNewest(4), reportsNewcomers: true)
      },
      red("stream-unbounded.lost == 0", "stream-unbounded", keeping: all, repeatingItem),
      red("stream-oldest.lost > 0", "stream-oldest", keeping: oldest) { stream($0, .unbounded) },
      red("stream-oldest.policy-violations == 0", "stream-oldest", keeping: oldest) { stream($0, .bufferingNewest(4)) },
      red("stream-oldest.unreported-drops == 0", "stream-oldest", keeping: oldest) {
        stream($0, .bufferingOldest(4), looks: false)
      },
      red("source.policy-violations == 0", "source", keeping: { [$0.reduce(0, +)] }, replacing),
      red("source-and-array.lost == 0", "source-and-array", keeping: all, replacing),
    ]
  }
}
