import Laboratory
import Measurement
import Platform
import Reporting

/// A recording of a user's program, from the start of the program to its end. The findings are printed to standard
/// error.
struct ProgramTrace {
  private let command: [String]
  private let options: ProgramOptions
  private let files: [FileExport<TraceSelection>]
  private let color: ColorOptions

  init(_ command: [String], options: ProgramOptions, files: [FileExport<TraceSelection>], color: ColorOptions) {
    self.command = command
    self.options = options
    self.files = files
    self.color = color
  }

  private enum Event {
    case ended(Int32?), signal(Int32), timeIsUp, stillRuns, isLong
  }

  /// The time that a program has to exit after a signal. After this time, the record is shown even if the program still
  /// runs.
  private static let patience = Duration.seconds(1)

  /// The time after which the lab says that the program still runs.
  private static let silence = Duration.seconds(3)

  /// The exit status if the lab kills the program because the time of `--for` is up: that of `timeout(1)`.
  private static let timeoutStatus: Int32 = 124

  /// Records the program, and exits the lab with the program's status or signal. If the lab kills the program, exits
  /// the lab with ``timeoutStatus``, or with 128 plus the number of the signal that the lab received. If `checks` is
  /// true and a rule is broken, exits the lab with the status 1.
  ///
  /// - Throws: ``InputError`` if the program cannot be recorded or started, and ``LabError`` if `checks` is true and no
  ///   rule could be judged.
  func run(from: UInt64?, to: UInt64?, checks: Bool) async throws {
    let (limit, last, hang) = (try options.limit(), try options.lastPart(), try options.shortestHang())
    let recording: ProgramRecording
    do { recording = try ProgramRecording(command, followsChildren: options.children) } catch let error as SystemError {
      // A name without a directory is looked up in PATH.
      let isHere = error.code == ENOENT && !command[0].contains("/") && access(command[0], F_OK) == 0
      throw InputError("\(error)\(isHere ? "; did you mean './\(command[0])'?" : "")")
    }
    if let limitation = recording.limitation { Lab.printMessage(limitation) }
    let process = recording.process
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    Interrupt.pass { number, isOfSystem in
      // A signal from the terminal has already reached the program.
      if !isOfSystem { kill(process.identifier, number) }
      feed.yield(.signal(number))
    }
    do { try recording.begin() } catch { throw InputError(error.description) }
    try SystemThread { feed.yield(.ended(process.waitForStatus())) }.detach()
    if let limit {
      after(.nanoseconds(Int64(limit)), feed, .timeIsUp)
    } else if Terminal.isTerminal(STDERR_FILENO) {
      after(Self.silence, feed, .isLong)
    }
    var traces: [Trace]?
    /// Stops recording and shows the record. Later calls have no effect.
    func show(_ end: Trace.End) throws {
      guard traces == nil else { return }
      let found = try recording.finish(end, last: last, hang: hang)
      traces = found
      // The program's last line may have no newline, for example after Ctrl-C.
      if !checks { try color.printToStandardError { "\n" + TraceText(style: $0, from: from, to: to).render(found) } }
      try Lab.throwAll(FileExport.write(TraceSelection(found, from: from, to: to), to: files))
    }
    /// The lab's exit status after it has killed the program; nil until then.
    var statusOfKill: Int32?
    /// Shows the record of the running program, and kills the program if `--kill` is set.
    func showRunning(_ status: Int32) throws {
      try show(.other(options.kill ? "still running, and killed" : "still running"))
      guard options.kill else { return }
      statusOfKill = statusOfKill ?? status
      kill(process.identifier, SIGKILL)
    }
    for await event in events {
      switch event {
      case .ended(let status):
        let signal = status.flatMap(ChildProcess.endingSignal)
        try show(signal.map { .trapped(signal: Int($0)) } ?? .completed)
        if checks { try Self.judge(traces ?? [], color) }
        if let statusOfKill { exit(statusOfKill) }
        ChildProcess.endWithSameStatus(status ?? 0)
      case .isLong:
        if traces == nil { Lab.printMessage("still recording; Ctrl-C ends the program and shows the record") }
      case .timeIsUp: try showRunning(Self.timeoutStatus)
      case .stillRuns: try show(.other("still running"))
      case .signal(let number):
        if options.kill { try showRunning(128 + number) } else { after(Self.patience, feed, .stillRuns) }
      }
    }
  }

  private func after(_ time: Duration, _ feed: AsyncStream<Event>.Continuation, _ event: Event) {
    Task {
      try await Task.sleep(for: time)
      feed.yield(event)
    }
  }

  /// Prints the verdicts on the rules of the record, and exits the lab with the status 1 if a rule is broken.
  ///
  /// - Throws: ``LabError`` if no rule could be judged.
  private static func judge(_ traces: [Trace], _ color: ColorOptions) throws {
    let findings = TraceCheck(traces)
    try color.printToStandardError(findings.render)
    if findings.isBroken { exit(1) }
    if !findings.isJudged { throw LabError("no rule could be judged") }
  }
}
