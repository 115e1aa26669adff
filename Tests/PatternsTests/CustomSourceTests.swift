import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct CustomSourceTests {
  static let settings: [String: ParameterValue] = [
    "burst": .integer(20), "stream": .integer(500), "work": .integer(0),
  ]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = settings) async throws -> Attempt {
    try await Attempt(variant, of: CustomSource(), files: Catalogue.files, settings)
  }

  @Test func `a source created with the C functions coalesces events as a source created in Swift does`() async throws {
    let attempt = try await Self.attempt("add-c")
    #expect(attempt.total("handler-calls-per-burst") == 1 && attempt.total("handler-calls-while-running") == 1)
    #expect(
      attempt.total("inexact") == 0 && attempt.total("zeros-delivered") == 0 && attempt.total("lost-before-zero") == 0)
  }

  @Test func `the variant async delivers every event, even events with the value 0`() async throws {
    let attempt = try await Self.attempt("async")
    #expect(attempt.total("handler-calls-per-burst") == 20)
    #expect(attempt.total("handler-calls-while-running") == 20)
    #expect(attempt.total("zeros-delivered") == 20)
    #expect(attempt.total("handler-calls") == 500)
    #expect(attempt.total("inexact") == 0)
    #expect(attempt.total("lost-before-zero") == 0)
  }

  @Test(arguments: [("add", 0), ("or", 0), ("replace", 1)])
  func `merging a 0 discards the pending value only with replace`(_ variant: String, _ lost: Int) async throws {
    #expect(try await Self.attempt(variant).total("lost-before-zero") == lost)
  }

  @Test func `a trial whose handler is never called is broken after a timeout`() async throws {
    let attempt = try await Attempt("add", of: CustomSource(), files: Catalogue.files, Self.settings) { trial in
      try CustomSource().deliver(.sum, patience: .milliseconds(1))(trial) { _ in Sender { _ in } }
    }
    #expect(attempt.trial.outcome == .broken(reason: "the handler did not run within 0.001 seconds"))
  }

  @Test func `pieces of data are never 0, and their merged value differs in each round`() {
    for coalescing in [Coalescing.sum, .mask, .last] {
      for count in [2, 50, 1000] {
        let rounds = (0..<5).map { coalescing.pieces(count, round: $0) }
        #expect(rounds.allSatisfy { $0.count == count && !$0.contains(0) })
        #expect(Set(rounds.map(coalescing.merge)).count == rounds.count, "\(coalescing) \(count)")
      }
    }
  }

  /// If each bit were sent several times, a lost event of a mask would go unnoticed.
  @Test(arguments: [2, 50, 200, 1000]) func `every piece of a mask is the only one with its bit in some round`(
    _ count: Int
  ) {
    let rounds = (0...count / 62).map { Coalescing.mask.pieces(count, round: $0) }
    let places = rounds.flatMap { pieces in
      pieces.indices.filter { index in pieces.count { $0 == pieces[index] } == 1 }
    }
    #expect(Set(places).count == count)
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = CustomSource()
    let variants: [(String, Coalescing)] = [("add", .sum), ("or", .mask), ("replace", .last)]
    let unmerged = variants.flatMap { variant, coalescing in
      let checks = [
        "\(variant).handler-calls-per-burst == 1", "\(variant).handler-calls-while-running == 1",
        "\(variant).handler-calls < \(variant).merges",
      ]
      return (variant == "replace" ? checks : checks + ["\(variant).zeros-delivered == 0"]).map { check in
        Red(check, variant, of: pattern, settings) { trial in
          try pattern.deliver(coalescing)(trial) { events in
            Sender { pieces in
              pieces.each { data in
                events.queue.async { events.received(data) }
              }
            }
          }
        }
      }
    }
    let inexact = variants.map { variant, coalescing in
      Red("\(variant).inexact == 0", variant, of: pattern, settings) { trial in
        try pattern.deliver(coalescing)(trial) { events in
          let source = DispatchSource.makeUserDataAddSource(queue: events.queue)
          // The handler receives a wrong sum, mask or last value. A sum of the masks themselves could overflow to 0,
          // which is not delivered.
          source.setEventHandler { events.received(source.data | 1 << 63) }
          source.activate()
          return Sender(of: source) { pieces in pieces.each { source.add(data: min($0, 1)) } }
        }
      }
    }
    let kept = Red("replace.lost-before-zero > 0", "replace", of: pattern, settings) { trial in
      try pattern.deliver(.last)(trial) { events in
        let source = DispatchSource.makeUserDataAddSource(queue: events.queue)
        source.setEventHandler { events.received(source.data) }
        source.activate()
        return Sender(of: source) { pieces in pieces.each { source.add(data: $0) } }
      }
    }
    return unmerged + inexact + [kept]
  }
}
