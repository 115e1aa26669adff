import ArgumentParser
import Laboratory
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How to show results of a run while it goes on and when it has ended.
struct OutputOptions: ParsableArguments {
  @OptionGroup var rendering: RenderOptions

  @Flag(help: "No progress.")
  var quiet = false

  @Flag(help: "Do not keep the run as the last one of its scenario (in GCDLAB_CACHE, else the user's cache directory).")
  var noSave = false

  @Option(
    name: .customLong("allow-unjudged"),
    help: ArgumentHelp(
      "Do not fail if claims of this scenario cannot be judged on this machine (repeatable).",
      valueName: "name"), completion: .custom { _, _, _ in Completions.scenarios })
  var allowedUnjudged: [String] = []

  /// Makes sure that what may go unjudged is among the scenarios that are run.
  func requireNames(_ names: [String]) throws(InputError) {
    for name in allowedUnjudged where !names.contains(name) {
      throw InputError(
        "'\(name)' is not run (run: \(names.joined(separator: ", ")))", at: "--allow-unjudged", near: name, of: names)
    }
  }

  /// Runs something with a runner on this machine, prints and exports its results, and ends with their status.
  ///
  /// - Parameters:
  ///   - keeps: whether the runs are kept, and compared with the ones before.
  ///   - isStoppingMeant: whether the command line says how long a trial may take.
  func show(
    _ files: [Export], keeps: Bool = false, isStoppingMeant: Bool = false,
    _ run: (Runner, ProgressDisplay?) async throws -> [Results]
  ) async throws {
    let runner = Runner(Host.image, machine: .current())
    let progress = progress()
    let results: [Results]
    do {
      defer { progress?.clear() }
      Interrupt.begin()
      results = try await run(runner, progress)
    }
    try conclude(
      results, exports: files, keptIn: keeps && !noSave ? Archive.ofUser : nil, isStoppingMeant: isStoppingMeant
    ) { readings in
      try rendering.print(readings)
      // Of several, each is far above the prompt by now.
      guard rendering.format.isTable, Set(readings.map(\.document.scenarioName)).count > 1 else { return }
      try rendering.color.print { "\n" + SmokeReport.table(readings, strict: rendering.strict, $0) }
    }
  }

  /// What results say, with the command line that asked for them.
  static func reading(_ results: Results) -> Reading {
    var results = results
    results.command = Array(CommandLine.arguments.dropFirst())
    return Reading(ResultDocument(results))
  }

  /// Writes the exports, prints, and ends with the status of the results.
  ///
  /// Whatever becomes of one place, the results go to the others, and every failure is told. Nothing is written where
  /// the lab failed before it had finished anything, or was interrupted before it began.
  func conclude(
    _ results: [Results], exports: [Export], keptIn archive: Archive? = nil, isStoppingMeant: Bool = false,
    print: ([Reading]) throws -> Void
  ) throws {
    guard !results.isEmpty else { return }
    let cut = results.compactMap(\.failure).first
    if let cut, results.allSatisfy({ $0.runs.allSatisfy(\.trials.isEmpty) }) { throw cut }
    var readings = results.map(Self.reading)
    if let archive { Self.keep(&readings, in: archive) }
    var failures = rendering.deliver(readings, to: exports) { try print(readings) }
    if let cut { failures.append(cut) }
    failures += results.flatMap(\.slips)
    try Lab.throwAll(failures)
    let status = status(of: readings)
    guard Interrupt.status == nil else { return }
    if status != 0 { throw ExitCode(status) }
    let answerable = results.filter { !allowedUnjudged.contains($0.experiment.name) }
    let shortfalls = answerable.compactMap { result in
      result.shortfall(isStoppingMeant: isStoppingMeant).map { (result.experiment.name, $0) }
    }
    guard let first = shortfalls.first else {
      if let reason = Self.nothingJudged(answerable) { throw LabError("no claim could be judged: \(reason)") }
      return
    }
    let names = shortfalls.map(\.0).grouped(by: \.self).map(\.key).joined(separator: ", ")
    let head = Self.nothingJudged(answerable) == nil ? "not judged" : "no claim could be judged, not judged"
    throw LabError("\(head): \(names) (\(first.0): \(first.1)); to accept that, give --allow-unjudged NAME")
  }

  /// Compares each with the run before, and keeps it. A cache that cannot be written is worth a warning, and no failure.
  private static func keep(_ readings: inout [Reading], in archive: Archive) {
    var isTold = false
    for index in readings.indices where !readings[index].document.isCut {
      let document = readings[index].document
      readings[index].sinceLast = archive.last(document.scenarioName)
        .flatMap { ResultDiff.sinceLast($0, document) }
      do { try archive.keep(document) } catch {
        if !isTold { Lab.say("the run is not kept: \(error)") }
        isTold = true
      }
    }
  }

  /// Why a run that has claims judged none of them, which is no pass; nil when it judged some, or asked for the best setting.
  private static func nothingJudged(_ results: [Results]) -> String? {
    let judgements = results.filter { !$0.experiment.seeksBest }.flatMap(\.judgements)
    guard !judgements.isEmpty, judgements.allSatisfy({ $0.verdict == .unavailable }) else { return nil }
    return judgements[0].evidence.reason ?? "nothing was measured"
  }

  /// Shows how far a run is, on a terminal.
  ///
  /// - Parameter scenario: what runs, where several do.
  func progress(of scenario: String? = nil) -> ProgressDisplay? {
    guard !quiet, Terminal.isTerminal(STDERR_FILENO) else { return nil }
    return ProgressDisplay(of: scenario, style: rendering.color.style(for: STDERR_FILENO))
  }

  /// 1 when a claim failed, a trial broke, or one did not complete that is meant to, else 0.
  func status(of readings: [Reading]) -> Int32 {
    readings.contains { $0.document.hasFailed(strict: rendering.strict) } ? 1 : 0
  }
}
