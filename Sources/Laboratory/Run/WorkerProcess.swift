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
  let image: Image

  /// More than any honest report; a worker that writes more is broken.
  private static let largestReport = 16 << 20
  /// How much of what a worker wrote to standard error is kept for the message.
  private static let keptNoise = 4096

  /// What came of a trial.
  struct Result {
    var outcome: Outcome
    var report: TrialReport?
    /// From its hazard to its end, in nanoseconds, for a variant that says how it is meant to end.
    var timeToEnd: UInt64?
    /// Whether it was ended because its time was over.
    var hasExpired = false
    /// Whether all its threads slept then.
    var isAsleep = false
  }

  /// Runs one trial to its end, whatever that is. One that takes longer than `limit` is ended; when its variant is
  /// meant to come to an end within `ending`, it is looked at then. A `recorder` records it.
  ///
  /// - Throws: ``LabError`` when no worker can be started; `CancellationError` when the run is cancelled, after the
  ///   worker is dead.
  func run(_ request: TrialRequest, limit: Duration, endingWithin ending: Duration? = nil, recorder: Recorder? = nil)
    async throws -> Result
  {
    let scratch = ScratchDirectory.beginTrial()
    // A killed worker cannot clear up after itself.
    defer { ScratchDirectory.endTrial(scratch) }
    var request = request
    request.scratch = scratch
    request.trace = recorder?.path
    let line = Array(try JSONEncoder().encode(request) + Data("\n".utf8))
    var options = PlatformOptions()
    // A group of its own: Ctrl-C in the terminal must reach the lab alone, which then ends its worker.
    options.processGroupID = 0
    let watchdog: Watchdog
    let ended: Ended
    do {
      try image.requireUnchanged()
      watchdog = try Watchdog(limit: limit, ending: ending)
      defer { watchdog.dismiss() }
      ended = try await withTaskCancellationHandler {
        try await converse(
          line, options, watchdog, confinedTo: request.confinedTo, startIsTold: ending != nil, recorder)
      } onCancel: {
        watchdog.end()
      }
    } catch {
      try Task.checkCancellation()
      let reason = "\(error)"
      throw LabError("cannot run a worker: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
    }
    try Task.checkCancellation()
    var result = Result(outcome: .hung)
    if let finding = watchdog.finding {
      result.outcome = finding
      result.hasExpired = watchdog.hasExpired
      result.isAsleep = watchdog.isAsleep
    } else if ended.report.count > Self.largestReport {
      result.outcome = .broken(reason: "the worker wrote more than \(Self.largestReport >> 20) MiB")
    } else {
      (result.outcome, result.report) = Self.outcome(ended.status, ended.report, ended.noise)
    }
    // Memory that cannot be had traps in the runtime, like a broken promise.
    if case .trapped(let signal) = result.outcome, ending == nil, let limit = Host.memoryLimits.first {
      let size = Quantity(Double(limit.bytes), .bytes)
      result.outcome = .unavailable(
        reason:
          "signal \(signal) ended the worker under a limit on memory (ulimit \(limit.option): \(size)); raise it to tell"
      )
    }
    guard ending != nil else { return result }
    switch result.outcome {
    case .trapped, .hung:
      guard let started = ended.started else {
        result.outcome = .broken(reason: "it \(result.outcome.kind.rawValue) before it came to its hazard")
        break
      }
      result.timeToEnd = ended.at > started ? ended.at - started : 0
    case .completed, .stopped, .broken, .unavailable: break
    }
    return result
  }

  /// How long one takes that is asked for nothing, which it refuses; nil when none can be started.
  func timeToNothing() async throws -> Duration? {
    let start = MonotonicClock.now()
    let ended = try? await Subprocess.run(
      .path(.init(image.path)), arguments: .init(executablePathOverride: image.name, remainingValues: ["worker"]),
      input: .none, output: .discarded, error: .discarded)
    try Task.checkCancellation()
    return ended.map { _ in .nanoseconds(Int64(MonotonicClock.now() - start)) }
  }

  /// How a worker's life went.
  private struct Ended {
    let status: TerminationStatus
    /// What it said, but for the line that told of its hazard.
    let report: [UInt8]
    let noise: [UInt8]
    /// When its body came to its hazard, by its own word.
    let started: UInt64?
    /// When it fell silent for good, in monotonic nanoseconds.
    let at: UInt64
  }

  /// Starts a worker, hands it `line` and listens until it has ended.
  private func converse(
    _ line: [UInt8], _ options: PlatformOptions, _ watchdog: Watchdog, confinedTo cores: [Int]?, startIsTold: Bool,
    _ recorder: Recorder?
  ) async throws -> Ended {
    // Not in its request: Dispatch counts its cores before a worker reads anything.
    let words = ["worker"] + (cores.map { [Confinement.argument($0)] } ?? [])
    let result = try await Subprocess.run(
      .path(.init(image.path)), arguments: .init(executablePathOverride: image.name, remainingValues: words),
      environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]), platformOptions: options,
      input: .inputWriter, output: .sequence, error: .sequence
    ) { execution in
      watchdog.watch(execution.processIdentifier.value)
      // Before it gets its request, while it has one thread.
      recorder?.watch(execution.processIdentifier.value)
      // Standard input stays open until the worker is done: its end is how a worker learns that the lab died. A
      // worker that dies before it reads makes the write fail; how it died is told by its status.
      _ = try? await execution.standardInputWriter.write(line)
      async let noise = Self.tail(of: execution.standardError)
      let (started, report) = await Self.listen(to: execution.standardOutput, watchdog, startIsTold: startIsTold)
      // Nothing it could still say would matter, and it might never end.
      if report.count > Self.largestReport { watchdog.end() }
      return (started: started, report: report, at: MonotonicClock.now(), noise: await noise)
    }
    // Children that it left behind are of its group; it is dead itself.
    watchdog.end()
    let told = result.closureResult
    return Ended(
      status: result.terminationStatus, report: told.report, noise: told.noise, started: told.started, at: told.at)
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
      guard report != TrialReport() else { return (.broken(reason: "the worker reported nothing"), nil) }
      guard report.observation?.isSound ?? true else {
        return (.broken(reason: "the worker reported what no trial can measure"), nil)
      }
      return (.completed, report)
    }
  }

  /// Everything a worker says on standard output. The line that tells of its hazard, where there is one, begins the
  /// time within which it is meant to end.
  private static func listen(
    to stream: SubprocessOutputSequence, _ watchdog: Watchdog, startIsTold: Bool
  ) async -> (started: UInt64?, report: [UInt8]) {
    var bytes: [UInt8] = []
    var started: UInt64?
    do {
      for try await buffer in stream {
        buffer.withUnsafeBytes { bytes += $0 }
        if startIsTold, started == nil, let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
          let start = try? JSONDecoder().decode(TrialStart.self, from: Data(bytes[..<end]))
        {
          started = start.started
          bytes.removeSubrange(...end)
          watchdog.bodyStarted()
        }
        if bytes.count > largestReport { break }
      }
    } catch {}
    return (started, bytes)
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
