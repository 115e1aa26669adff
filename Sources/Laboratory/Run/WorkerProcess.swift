import FoundationEssentials
import Measurement
import Platform
import Subprocess

/// The lab's side of a worker: code that starts the worker, sends a request, and determines the outcome of the trial.
struct WorkerProcess {
  /// The executable to start with the argument `worker`.
  let executable: ExecutableFile

  /// The largest accepted report, in bytes. A worker that writes more is broken.
  private static let largestReport = 16 << 20
  /// The number of bytes at the end of a worker's standard error that are kept for an error message.
  private static let keptNoise = 4096

  /// The result of a trial.
  struct Result {
    var outcome: Outcome
    var report: TrialReport?
    /// The time from the hazard to the trap, in nanoseconds; nil if the trial did not trap, or if its variant is
    /// expected to complete.
    var timeToEnd: UInt64?
    /// Whether the worker was ended at its time limit.
    var hasExpired = false
    /// Whether all threads of the worker slept at the time limit, as the watchdog determined (``Watchdog/isAsleep``).
    var isAsleep = false
  }

  /// Runs one trial in a worker, and returns once the worker has ended in any way. The lab ends the worker after
  /// `limit`. If the variant is expected to trap or hang within `ending`, the watchdog also checks the worker at
  /// intervals of this time after the hazard, and ends the worker if all its threads sleep. If `recorder` is not nil,
  /// the recorder records the trial.
  ///
  /// - Throws: ``LabError`` if the worker cannot be run; `CancellationError` if the run is cancelled, after the worker
  ///   has ended.
  func run(_ request: TrialRequest, limit: Duration, endingWithin ending: Duration? = nil, recorder: Recorder? = nil)
    async throws -> Result
  {
    let scratch = ScratchDirectory.beginTrial()
    // A killed worker cannot remove its files.
    defer { ScratchDirectory.endTrial(scratch) }
    var request = request
    request.scratch = scratch
    request.trace = recorder?.path
    let line = Array(try JSONEncoder().encode(request) + Data("\n".utf8))
    var options = PlatformOptions()
    // The worker has its own process group: Ctrl-C in the terminal must reach only the lab, and the lab then ends its
    // worker.
    options.processGroupID = 0
    let watchdog: Watchdog
    let ended: Ended
    do {
      try executable.requireUnchanged()
      watchdog = try Watchdog(limit: limit, ending: ending)
      defer { watchdog.dismiss() }
      ended = try await withTaskCancellationHandler {
        try await converse(
          line, options, watchdog, confinedTo: request.confinedTo, hasHazard: ending != nil, recorder)
      } onCancel: {
        watchdog.end()
      }
    } catch {
      try Task.checkCancellation()
      let reason = "\(error)"
      throw LabError("cannot run a worker: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)")
    }
    try Task.checkCancellation()
    let result = Self.result(of: ended, watchdog)
    return ending == nil ? result.consideringMemoryLimit : result.timed(ended)
  }

  private static func result(of ended: Ended, _ watchdog: Watchdog) -> Result {
    if let outcome = watchdog.outcome {
      return Result(outcome: outcome, hasExpired: watchdog.hasExpired, isAsleep: watchdog.isAsleep)
    }
    guard ended.report.count <= largestReport else {
      return Result(outcome: .broken(reason: "the worker wrote more than \(largestReport >> 20) MiB"))
    }
    let (outcome, report) = outcome(ended.status, ended.report, ended.noise)
    return Result(outcome: outcome, report: report)
  }

  /// Returns the time from the start to the end of a worker without a request; nil if no worker can be started.
  func timeOfIdleWorker() async throws -> Duration? {
    let start = MonotonicClock.now()
    let ended = try? await Subprocess.run(
      .path(.init(executable.path)),
      arguments: .init(executablePathOverride: executable.name, remainingValues: ["worker"]),
      input: .none, output: .discarded, error: .discarded)
    try Task.checkCancellation()
    return ended.map { _ in .nanoseconds(Int64(MonotonicClock.now() - start)) }
  }

  /// The end and the output of a worker.
  fileprivate struct Ended {
    let status: TerminationStatus
    /// The worker's standard output, except the line that reports the hazard.
    let report: [UInt8]
    let noise: [UInt8]
    /// The time at which the worker reached its hazard, in monotonic nanoseconds; nil if the worker did not report a
    /// hazard.
    let hazard: UInt64?
    /// The time at which the worker's output ended, in monotonic nanoseconds.
    let at: UInt64
  }

  /// Starts a worker, sends `line` to the worker, and reads the worker's output until the worker has ended.
  private func converse(
    _ line: [UInt8], _ options: PlatformOptions, _ watchdog: Watchdog, confinedTo cores: [Int]?, hasHazard: Bool,
    _ recorder: Recorder?
  ) async throws -> Ended {
    // The cores are not part of the request, since Dispatch counts its cores before a worker reads anything.
    let words = ["worker"] + (cores.map { [Confinement.argument($0)] } ?? [])
    let result = try await Subprocess.run(
      .path(.init(executable.path)), arguments: .init(executablePathOverride: executable.name, remainingValues: words),
      environment: .inherit.updating(["SWIFT_BACKTRACE": "enable=no"]), platformOptions: options,
      input: .inputWriter, output: .sequence, error: .sequence
    ) { execution in
      watchdog.watch(execution.processIdentifier.value)
      // The recorder starts before the worker has its request, while the worker has one thread.
      recorder?.watch(execution.processIdentifier.value)
      // Standard input stays open until the worker is done, since a worker exits at the end of its input. If a worker
      // ends before it reads the request, the write fails, and the worker's status shows how it ended.
      _ = try? await execution.standardInputWriter.write(line)
      async let noise = Self.tail(of: execution.standardError)
      let (hazard, report) = await Self.listen(to: execution.standardOutput, watchdog, hasHazard: hasHazard)
      // The lab does not use further output, which might never end.
      if report.count > Self.largestReport { watchdog.end() }
      return (hazard: hazard, report: report, at: MonotonicClock.now(), noise: await noise)
    }
    // The worker has ended. Any remaining children are in its process group.
    watchdog.end()
    let received = result.closureResult
    return Ended(
      status: result.terminationStatus, report: received.report, noise: received.noise, hazard: received.hazard,
      at: received.at)
  }

  /// Returns the outcome of a trial and the worker's report, from the status, the output and the standard error of the
  /// worker. The report is nil if the outcome is not completed.
  static func outcome(_ status: TerminationStatus, _ output: [UInt8], _ noise: [UInt8]) -> (Outcome, TrialReport?) {
    let said = noise.text.split(separator: "\n").last.map { ", saying: \($0.prefix(200))" } ?? ""
    switch status {
    // No variant sends these signals to itself, so another program or the system has sent them.
    case .signaled(let signal) where [SIGHUP, SIGINT, SIGTERM, SIGKILL, SIGXCPU].contains(signal):
      let reason = "signal \(signal) ended the worker, sent by another program or for lack of memory or processor time"
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
        return (.broken(reason: "the worker reported figures that no trial can measure"), nil)
      }
      return (.completed, report)
    }
  }

  /// Reads the standard output of a worker until the output ends or exceeds the maximum size of a report. Returns the
  /// time of the hazard, which is nil if the worker did not report a hazard, and the other output. When the line that
  /// reports the hazard arrives, the watchdog begins to wait for the trial's expected end.
  private static func listen(
    to stream: SubprocessOutputSequence, _ watchdog: Watchdog, hasHazard: Bool
  ) async -> (hazard: UInt64?, report: [UInt8]) {
    var bytes: [UInt8] = []
    var hazard: UInt64?
    do {
      for try await buffer in stream {
        buffer.withUnsafeBytes { bytes += $0 }
        if hasHazard, hazard == nil, let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
          let announced = try? JSONDecoder().decode(HazardReport.self, from: Data(bytes[..<end]))
        {
          hazard = announced.time
          bytes.removeSubrange(...end)
          watchdog.hazardBegan()
        }
        if bytes.count > largestReport { break }
      }
    } catch {}
    return (hazard, bytes)
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

extension WorkerProcess.Result {
  /// Returns the outcome of a trial whose worker was allowed to run for `time`. Its variant may take the `whole` time.
  /// If the worker was ended early, the outcome is hung only if all threads slept and `time` covers twice `atMost`, the
  /// longest time of the variant, plus half a second. If a worker was ended early in any other case, the outcome is
  /// stopped: the worker was still working, or its settings may include a pause.
  func outcome(in time: Duration, of whole: Duration, atMost: Duration) -> Outcome {
    if case .unavailable = outcome { return outcome }
    guard hasExpired, time < whole else { return outcome }
    return isAsleep && time >= atMost * 2 + .milliseconds(500) ? outcome : .stopped(after: time)
  }

  /// The result of a trial that should complete. Under a memory limit, the outcome unavailable replaces a trap, since a
  /// failed allocation traps like a failed precondition.
  fileprivate var consideringMemoryLimit: Self {
    guard case .trapped(let signal) = outcome, let limit = Host.memoryLimits.first else { return self }
    var result = self
    let size = Quantity(Double(limit.bytes), .bytes)
    result.outcome = .unavailable(
      reason:
        "signal \(signal) ended the worker under a limit on memory (ulimit \(limit.option): \(size)); "
        + "raise the limit to find the cause"
    )
    return result
  }

  /// Returns the result of a trial that is expected to trap or to hang, with the time from its hazard to its trap. A
  /// trial that trapped or hung before its hazard is broken, and so is a trial that ended with a fault such as SIGSEGV.
  fileprivate func timed(_ ended: WorkerProcess.Ended) -> Self {
    switch outcome {
    case .completed, .stopped, .broken, .unavailable: return self
    case .trapped, .hung: break
    }
    var result = self
    guard let hazard = ended.hazard else {
      result.outcome = .broken(reason: "the trial \(outcome.kind.rawValue) before it reached its hazard")
      return result
    }
    if case .trapped(let signal) = outcome, [SIGSEGV, SIGBUS, SIGFPE].contains(Int32(signal)) {
      result.outcome = .broken(reason: "signal \(signal), a fault of the processor and not a trap, ended the worker")
      return result
    }
    // No time to the end is recorded for a hang, since such a time would depend on the time of the lab's check.
    if case .trapped = outcome { result.timeToEnd = ended.at > hazard ? ended.at - hazard : 0 }
    return result
  }
}
