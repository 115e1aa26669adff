import Laboratory
import Platform
import Reporting
import Subprocess

/// Another gcdlab binary that this lab runs, such as the one before a change.
struct OtherLab {
  /// The path of the binary.
  let binary: String

  /// Returns the documents that the other lab measures; nil if the measurement takes longer than `limit`.
  ///
  /// - Parameter words: the arguments of its `scenario` command.
  /// - Throws: ``LabError`` if the other lab fails, and ``InputError`` if its output contains no documents.
  func measure(_ words: [String], within limit: Duration) async throws -> [ResultDocument]? {
    // A lab that is killed by SIGKILL cannot stop its child, but the lifeline stops the child.
    let lifeline = try Lifeline()
    defer { lifeline.letGo() }
    let ran = try await run(["scenario", "--format", "json", "--quiet"] + words, lifeline, within: limit)
    try Task.checkCancellation()
    guard let ran else { return nil }
    // Status 1 says that a claim failed, which the document contains.
    guard ran.status == .exited(0) || ran.status == .exited(1) else {
      throw LabError("\(binary): \(ran.status): \(ran.errors.split(separator: "\n").first ?? "")")
    }
    return try ResultDocument.parse(ran.output, place: binary)
  }

  /// The status with which the other lab ended, and its output.
  private struct Ran: Sendable {
    let status: TerminationStatus
    let output: [UInt8]
    let errors: String
  }

  /// Runs the other lab to its end. If the other lab does not end within `limit`, terminates it together with all
  /// processes that it has started, and returns nil.
  private func run(_ arguments: [String], _ lifeline: Lifeline, within limit: Duration) async throws -> Ran? {
    var options = PlatformOptions()
    // A signal to the process group also reaches all processes that a script has started.
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
