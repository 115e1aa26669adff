import FoundationEssentials
import Measurement
import Platform
import Subprocess

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lab's side of a worker: starts one, hands it a request, and says how it ended.
struct WorkerProcess {
  /// The binary to start, with `worker` as its argument.
  let executable: String
  /// A worker that runs longer is killed, and its trial is `hung`.
  let limit: Duration

  /// More than any honest report; a worker that writes more is broken.
  private static let largestReport = 16 << 20
  /// How much of what a worker wrote to standard error is kept for the message.
  private static let keptNoise = 4096

  /// Runs one trial to its end, whatever that is.
  ///
  /// - Throws: ``LabError`` when no worker can be started; `CancellationError` when the run is cancelled, after the
  ///   worker is dead.
  func run(_ request: TrialRequest) async throws -> (outcome: Outcome, report: TrialReport?) {
    let line = Array(try JSONEncoder().encode(request) + Data("\n".utf8))
    var options = PlatformOptions()
    // A group of its own: Ctrl-C in the terminal must reach the lab alone, which then ends its worker.
    options.processGroupID = 0
    let watchdog: Watchdog
    let ended: (status: TerminationStatus, report: [UInt8], noise: [UInt8])
    do {
      watchdog = try Watchdog(limit: limit)
      defer { watchdog.dismiss() }
      ended = try await withTaskCancellationHandler {
        try await converse(line, options, watchdog)
      } onCancel: {
        watchdog.end()
      }
    } catch {
      try Task.checkCancellation()
      let reason = "\(error)"
      throw LabError("cannot run a worker: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
    }
    try Task.checkCancellation()
    if let finding = watchdog.finding { return (finding, nil) }
    guard ended.report.count <= Self.largestReport else {
      return (.broken(reason: "the worker wrote more than \(Self.largestReport >> 20) MiB"), nil)
    }
    return Self.outcome(ended.status, ended.report, ended.noise)
  }

  /// Starts a worker, hands it `line` and listens until it has ended.
  private func converse(
    _ line: [UInt8], _ options: PlatformOptions, _ watchdog: Watchdog
  ) async throws -> (TerminationStatus, [UInt8], [UInt8]) {
    let result = try await Subprocess.run(
      .path(.init(executable)), arguments: ["worker"],
      environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]), platformOptions: options,
      input: .inputWriter, output: .sequence, error: .sequence
    ) { execution in
      watchdog.watch(execution.processIdentifier.value)
      // A killed worker cannot clear up after itself.
      defer { ScratchDirectory.remove(of: execution.processIdentifier.value) }
      // Standard input stays open until the worker is done: its end is how a worker learns that the lab died. A
      // worker that dies before it reads makes the write fail; how it died is told by its status.
      _ = try? await execution.standardInputWriter.write(line)
      async let noise = Self.tail(of: execution.standardError)
      let report = await Self.head(of: execution.standardOutput)
      // Nothing it could still say would matter, and it might never end.
      if report.count > Self.largestReport { watchdog.end() }
      return (report: report, noise: await noise)
    }
    // Children that it left behind are of its group; it is dead itself.
    watchdog.end()
    return (result.terminationStatus, result.closureResult.report, result.closureResult.noise)
  }

  /// What a worker's status and output say about its trial.
  static func outcome(_ status: TerminationStatus, _ output: [UInt8], _ noise: [UInt8]) -> (Outcome, TrialReport?) {
    let said = noise.text.split(separator: "\n").last.map { ", saying: \($0.prefix(200))" } ?? ""
    switch status {
    // No variant does that to itself, and the lab would know if it had.
    case .signaled(let signal) where [SIGHUP, SIGINT, SIGTERM, SIGKILL, SIGXCPU].contains(signal):
      let reason = "signal \(signal) ended the worker, sent by another program or for want of memory or processor time"
      return (.unavailable(reason: reason), nil)
    case .signaled(let signal): return (.trapped(signal: Int(signal)), nil)
    case .exited(let code) where code != 0:
      return (.broken(reason: "the worker ended with status \(code)\(said)"), nil)
    case .exited:
      guard let report = try? JSONDecoder().decode(TrialReport.self, from: Data(output)) else {
        let found = output.isEmpty ? "no report" : "a report that cannot be read"
        return (.broken(reason: "the worker ended with \(found)\(said)"), nil)
      }
      if let reason = report.unavailable { return (.unavailable(reason: reason), report) }
      guard let observation = report.observation else { return (.broken(reason: "the worker reported nothing"), nil) }
      guard observation.isSound else { return (.broken(reason: "the worker reported what no trial can measure"), nil) }
      return (.completed, report)
    }
  }

  private static func head(of stream: SubprocessOutputSequence) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await buffer in stream {
        buffer.withUnsafeBytes { bytes += $0 }
        if bytes.count > largestReport { break }
      }
    } catch {}
    return bytes
  }

  private static func tail(of stream: SubprocessOutputSequence) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await buffer in stream {
        buffer.withUnsafeBytes { bytes += $0 }
        bytes = bytes.suffix(keptNoise)
      }
    } catch {}
    return bytes
  }
}
