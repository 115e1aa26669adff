import Laboratory
import Platform
import Reporting
import Subprocess

/// A gcdlab that this one runs, such as the one before a change.
struct OtherLab {
  /// Its path.
  let binary: String

  /// What it measures; nil where that takes longer than `limit`.
  ///
  /// - Parameter words: what its `scenario` is to run, with options.
  /// - Throws: ``LabError`` where it fails, and ``InputError`` where it gives no documents.
  func measure(_ words: [String], within limit: Duration) async throws -> [ResultDocument]? {
    // A SIGKILLed lab cannot stop its child; the lifeline does.
    let lifeline = try Lifeline()
    defer { lifeline.letGo() }
    let ran = try await run(["scenario", "--format", "json", "--quiet"] + words, lifeline, within: limit)
    try Task.checkCancellation()
    guard let ran else { return nil }
    // 1 says that a claim failed: the document has it.
    guard ran.status == .exited(0) || ran.status == .exited(1) else {
      throw LabError("\(binary): \(ran.status): \(ran.errors.split(separator: "\n").first ?? "")")
    }
    return try ResultDocument.parse(ran.output, place: binary)
  }

  /// How it ended, and what it said.
  private struct Ran: Sendable {
    let status: TerminationStatus
    let output: [UInt8]
    let errors: String
  }

  /// Runs it to its end; nil when that does not come in time. Then it is ended, with all that it has started.
  private func run(_ arguments: [String], _ lifeline: Lifeline, within limit: Duration) async throws -> Ran? {
    var options = PlatformOptions()
    // A group of its own, so that what a script has started ends with it.
    options.processGroupID = 0
    options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
    let platformOptions = options
    return try await withThrowingTaskGroup { [binary] group in
      group.addTask { () -> Ran? in
        let ran = try await Subprocess.run(
          .path(.init(binary)), arguments: .init(arguments),
          environment: .inherit.updating(["GCDLAB_CACHE": "", .init(stringLiteral: Lifeline.variable): "1"]),
          platformOptions: platformOptions,
          input: .fileDescriptor(.init(rawValue: lifeline.theirs), closeAfterSpawningProcess: true),
          output: .bytes(limit: ResultDocument.largestFile), error: .string(limit: 1 << 16)
        )
        return Ran(status: ran.terminationStatus, output: ran.standardOutput, errors: ran.standardError)
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
