import Dispatch
import FoundationEssentials
import Measurement
import Platform
import Synchronization

/// The worker's side of a trial: code that runs one trial in this process, and then ends the process.
///
/// The main thread calls `dispatchMain` to serve the main queue, unless the variant specifies another service. (On
/// Linux, `dispatchMain` passes the queue to the pool and ends the thread; the queue's blocks still run one at a time
/// and in order.) The trial has its own thread outside the dispatch pool. A third thread waits for the end of standard
/// input, which occurs when the lab ends in any way.
public enum Worker {
  /// Reads a request from standard input, runs the trial, reports on standard output and exits.
  public static func run(patterns: [any Pattern]) -> Never {
    guard let line = readLine(), let request = try? JSONDecoder().decode(TrialRequest.self, from: Data(line.utf8))
    else {
      Trial.refuse("expected a trial request as one line of JSON; workers are started by the lab")
    }
    let variant: Variant
    let trial: Trial
    // Output of a pattern must not mix with the report, so standard output is redirected to standard error.
    let report = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    do {
      (variant, trial) = try request.trial(patterns) { send(HazardReport(time: MonotonicClock.now()), to: report) }
    } catch { Trial.refuse(error.description) }
    if let scratch = request.scratch { ScratchDirectory.use(trial: scratch) }
    dup2(STDERR_FILENO, STDOUT_FILENO)
    do {
      if let cores = request.confinedTo { try Confinement.requireOwn(cores) }
      try Lifeline.whenOwnerEnds {
        ScratchDirectory.removeAll()
        _exit(1)
      }
      try SystemThread { answer(trial, variant, to: report, tracing: request.trace) }.detach()
    } catch {
      send(TrialReport(unavailable: error.description), to: report)
      _exit(0)
    }
    switch variant.mainQueue {
    case .dispatchMain: dispatchMain()
    case .mainThread: MainThread.serveMainQueue()
    case .body: MainThread.runSubmittedClosures()
    case .nobody: while true { pause() }
    }
  }

  private static func answer(_ trial: Trial, _ variant: Variant, to descriptor: Int32, tracing trace: String?) {
    do throws(SystemError) {
      if let trace { try Recorder.begin(into: trace) }
    } catch {
      send(TrialReport(unavailable: error.description), to: descriptor)
      _exit(0)
    }
    // The costs of a traced trial would include the cost of the recording.
    let report = trial.run(variant, measuresCosts: trace == nil)
    if trace != nil { Recorder.end() }
    ScratchDirectory.removeAll()
    send(report, to: descriptor)
    // exit() is not called, since other threads still run and nothing is left to flush.
    _exit(0)
  }

  private static func send(_ message: some Encodable, to descriptor: Int32) {
    guard let json = try? JSONEncoder().encode(message) else { return }
    try? writeAll(String(decoding: json, as: UTF8.self) + "\n", to: descriptor)
  }
}

extension Trial {
  /// Runs the body of `variant` until it returns or throws, and returns the report of the trial.
  ///
  /// - Parameter measuresCosts: whether the report of a completed trial includes the costs of the process.
  package func run(_ variant: Variant, measuresCosts: Bool = false) -> TrialReport {
    do {
      if measuresCosts { beginCosts() }
      try variant.body(self)
      endCosts()
      var report = TrialReport(observation: observation, reads: reads.sorted())
      report.shortages = recordedShortages.isEmpty ? nil : recordedShortages.sorted()
      return report
    } catch let error as Unavailable {
      return TrialReport(unavailable: error.description)
    } catch let error as SystemError where error.isMachineLimitation {
      return TrialReport(unavailable: error.description)
    } catch { return TrialReport(broken: "\(error)") }
  }
}
