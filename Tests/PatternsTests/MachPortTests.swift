import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

@Suite struct MachPortTests {
  static let settings: [String: ParameterValue] = ["messages": .integer(10)]

  /// Returns a sender that passes messages on without a port, except for the last `lost` messages.
  private static func sender(_ inbox: PortInbox, lost: Int32 = 0, ends: Int = 1) -> PortSender {
    PortSender(
      send: { number in if number < 10 - lost { inbox.queue.async { inbox.received(number) } } },
      end: { for _ in 0..<ends { inbox.queue.async { inbox.ended() } } })
  }

  @Test(arguments: MachPortPattern().variants.map(\.name))
  func `a trial on a system without Mach ports is unavailable with the reason`(_ variant: String) async throws {
    let attempt = try await Attempt(
      variant, of: MachPortPattern(), files: Catalogue.files, variant == "receive" ? Self.settings : [:])
    #if canImport(Darwin)
      #expect(attempt.areAll(.held))
    #else
      #expect(attempt.trial.outcome == .unavailable(reason: "only Darwin has Mach ports"))
      let description = try PatternDescription(MachPortPattern())
      #expect(description.implementation.obstacle(on: .test) == "only on Darwin; this system is Linux")
    #endif
  }

  @Test func `a message that does not arrive counts as lost`() async throws {
    for (lost, verdict) in [(Int32(0), Verdict.held), (1, .violated)] {
      let attempt = try await Attempt("receive", of: MachPortPattern(), files: Catalogue.files, Self.settings) {
        try MachPortPattern().exchange(patience: lost > 0 ? .milliseconds(20) : .seconds(20))($0) {
          Self.sender($0, lost: lost)
        }
      }
      #expect(try attempt.verdict("receive.lost == 0") == verdict)
    }
  }

  // MARK: Broken bodies

  static var reds: [Red] {
    let pattern = MachPortPattern()
    return [
      Red("receive.lost == 0", "receive", of: pattern, settings) { trial in
        try pattern.exchange(patience: .milliseconds(20))(trial) { sender($0, lost: 1) }
      },
      Red("dead-name.unreported-deaths == 0", "dead-name", of: pattern) { trial in
        try pattern.destroyPort(patience: .milliseconds(20))(trial) { sender($0, lost: 10) }
      },
      Red("all.cancel-handler-not-once == 0", "receive", of: pattern, settings) { trial in
        try pattern.exchange()(trial) { sender($0, ends: 2) }
      },
    ]
  }
}
