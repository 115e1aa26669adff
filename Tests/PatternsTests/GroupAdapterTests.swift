import Dispatch
import Instruments
import LabTesting
import Testing

@testable import Patterns

/// Trials that trap or hang run only in workers: `PromiseTests` checks how each variant ends.
@Suite struct GroupAdapterTests {
  static let settings: [String: ParameterValue] = ["hold": .integer(1_000_000), "calls": .integer(2)]

  static func attempt(_ variant: String, _ settings: [String: ParameterValue] = [:]) async throws -> Attempt {
    try await Attempt(variant, of: GroupAdapter(), files: Catalogue.files, Self.settings.merging(settings) { $1 })
  }

  @Test(arguments: ["balanced", "continuation"], [[1, 1], [5, 2], [40, 200]])
  func `a group waits for all handlers, even if requests fail`(_ variant: String, _ counts: [Int]) async throws {
    let attempt = try await Self.attempt(
      variant, ["requests": .integer(counts[0]), "failures": .integer(counts[1])])
    #expect(attempt.brokenPromises == [])
    #expect(attempt.total("sent") == 3 * counts[0])
    #expect(attempt.trial.observation.samples("completion")?.summary?.count == 2)
  }

  @Test func `no group waits for a request that is sent without a group`() async throws {
    let attempt = try await Self.attempt("nil-group", ["requests": .integer(7)])
    #expect(attempt.areAll(.held), "\(attempt.verdicts)")
    #expect(attempt.total("unfinished") == 21 && attempt.total("handlers-not-once") == 0)
  }

  @Test func `an extra leave ends the group while one request has no reply`() async throws {
    let attempt = try await Self.attempt("extra-leave-early")
    #expect(try attempt.verdict("extra-leave-early.unfinished > 0") == .witnessed)
    #expect(attempt.total("unfinished") == 1 && attempt.total("handlers-not-once") == 0)
  }

  @Test func `entering a group runs no block`() async throws {
    #expect(try await Self.attempt("enter-only").total("ran-by-enter") == 0)
  }

  @Test func `a trial that lacks a descriptor to read a file is unavailable`() async {
    await #expect(processExitsWith: .success) {
      let attempt = try await Attempt("balanced", of: GroupAdapter(), files: Catalogue.files, Self.settings) { trial in
        try GroupAdapter().measure(trial) { request, group, handler in
          group?.enter()
          request.send { _, _ in
            handler([], EMFILE)
            group?.leave()
          }
        }
      }
      guard case .unavailable(let reason) = attempt.trial.outcome else {
        Issue.record("\(attempt.trial.outcome)")
        return
      }
      #expect(reason.contains("read a file with DispatchIO"))
    }
  }

  // MARK: Broken bodies

  /// Calls the adapter of the document.
  @Sendable private static func adapt(
    _ request: FileRequests.Request, _ group: DispatchGroup, _ handler: @escaping FileRequests.Handler
  ) {
    group.enter()
    request.send { data, error in
      handler(data, error)
      group.leave()
    }
  }

  static var reds: [Red] {
    let pattern = GroupAdapter()
    func red(_ check: String, _ variant: String, _ body: @escaping @Sendable (Trial) throws -> Void) -> Red {
      // The hold is long, so that the result does not depend on the load of the machine.
      Red(check, variant, of: pattern, Self.settings.merging(["hold": .integer(1_000_000_000)]) { $1 }, body)
    }
    func misused(_ check: String, _ variant: String, requests: Int, failures: Int) -> Red {
      red(check, variant) { try pattern.misuse(requests: requests, failures: failures)($0, adapt) }
    }
    return [
      // The group is left as soon as the call has returned.
      red("balanced.unfinished == 0", "balanced") { trial in
        try pattern.measure(trial) { request, group, handler in
          group?.enter()
          request.send(handler)
          group?.leave()
        }
      },
      red("balanced.handlers-not-once == 0", "balanced") { trial in
        try pattern.measure(trial) { request, group, handler in
          group?.enter()
          request.send { data, error in
            handler(data, error)
            handler(data, error)
            group?.leave()
          }
        }
      },
      red("nil-group.handlers-not-once == 0", "nil-group") { trial in
        try pattern.measureWithoutGroup()(trial) { request, _, handler in
          request.send { data, error in
            handler(data, error)
            handler(data, error)
          }
        }
      },
      // The error is not forwarded.
      red("all.wrong-replies == 0", "nil-group") { trial in
        try pattern.measureWithoutGroup()(trial) { request, _, handler in
          request.send { data, _ in handler(data, 0) }
        }
      },
      // The call waits until the handler has run.
      red("nil-group.unfinished == nil-group.sent", "nil-group") { trial in
        try pattern.measureWithoutGroup(patience: .milliseconds(10))(trial) { request, _, handler in
          request.deliverReply()
          request.send(handler)
          request.waitForReply()
        }
      },
      misused("leave-missing-on-error.hung == 1", "leave-missing-on-error", requests: 4, failures: 2),
      misused("extra-leave.trapped == 1", "extra-leave", requests: 1, failures: 1),
      misused("extra-leave-late.trapped == 1", "extra-leave-late", requests: 2, failures: 1),
      misused("leave-before-enter.trapped == 1", "leave-before-enter", requests: 1, failures: 1),
      misused("leave-before-enter-again.trapped == 1", "leave-before-enter-again", requests: 1, failures: 1),
      red("extra-leave-early.unfinished > 0", "extra-leave-early") {
        try pattern.measureExtraLeave(patience: .milliseconds(10))($0, adapt)
      },
      red("leave-before-enter-early.unfinished > 0", "leave-before-enter-early") {
        try pattern.measureExtraLeave(patience: .milliseconds(10))($0, adapt)
      },
      red("enter-only.ran-by-enter == 0", "enter-only") { trial in
        try pattern.enter(trial) { group, queue, block in
          group.enter()
          queue.async(execute: block)
        }
      },
      // The call returns before the reply.
      red("continuation.unfinished == 0", "continuation") { trial in
        try pattern.measureTasks(trial) { request in
          request.send { _, _ in }
          return []
        }
      },
    ]
  }
}
