import Laboratory
import Platform
import Reporting
import Subprocess

/// Another gcdlab binary that this lab runs, such as the binary before a change.
struct LabBinary {
  /// The path of the binary.
  let binary: String

  /// Runs the other lab, and returns the result documents in its output; nil if the run takes longer than `limit`.
  ///
  /// - Parameter words: the arguments of the other lab's `scenario` command.
  /// - Throws: ``LabError`` if the other lab fails, and ``InputError`` if its output contains no documents.
  func measure(_ words: [String], within limit: Duration) async throws -> [ResultDocument]? {
    // If SIGKILL ends this lab, the other lab stops when its lifeline is closed.
    let lifeline = try Lifeline()
    defer { lifeline.end() }
    let finished = try await run(["scenario", "--format", "json", "--quiet"] + words, lifeline, within: limit)
    try Task.checkCancellation()
    guard let finished else { return nil }
    // Status 1 means that a claim failed. The document contains this claim.
    guard finished.status == .exited(0) || finished.status == .exited(1) else {
      throw LabError("\(binary): \(finished.status): \(finished.errors.split(separator: "\n").first ?? "")")
    }
    return try ResultDocument.parse(finished.output, place: binary)
  }

  /// The exit status and the output of the other lab.
  private struct Output: Sendable {
    let status: TerminationStatus
    let output: [UInt8]
    let errors: String
  }

  /// Runs the other lab until it exits. If the other lab does not exit within `limit`, terminates it together with all
  /// processes that it has started, and returns nil.
  private func run(_ arguments: [String], _ lifeline: Lifeline, within limit: Duration) async throws -> Output? {
    var options = PlatformOptions()
    // A signal to the process group also reaches all processes that a script has started.
    options.processGroupID = 0
    options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))]
    let platformOptions = options
    return try await withThrowingTaskGroup { [binary] group in
      group.addTask { () -> Output? in
        let finished = try await Subprocess.run(
          .path(.init(binary)), arguments: .init(arguments),
          environment: .inherit.updating(["GCDLAB_CACHE": "", .init(stringLiteral: Lifeline.variable): "1"]),
          platformOptions: platformOptions,
          input: .fileDescriptor(.init(rawValue: lifeline.readingEnd), closeAfterSpawningProcess: true),
          output: .bytes(limit: ResultDocument.largestFile), error: .string(limit: 1 << 16)
        )
        return Output(
          status: finished.terminationStatus, output: finished.standardOutput, errors: finished.standardError)
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
