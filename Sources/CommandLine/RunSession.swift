import ArgumentParser
import Laboratory
import Platform
import Reporting

/// A run of scenarios from the first trial to the exit status: what is measured is exported, printed, kept and judged.
struct RunSession {
  /// Runs plans on this machine.
  let runner: Runner
  /// How results are shown, and which scenarios may go unjudged.
  let output: OutputOptions
  /// The files to write.
  let exports: [Export]
  /// Where runs are kept and compared with the ones before; nil where they are not.
  let archive: Archive?
  /// Whether the command line says how long a trial may take.
  let isStoppingMeant: Bool

  private var rendering: RenderOptions { output.rendering }

  /// Runs something, prints and exports its results, and ends with their status.
  func show(_ run: (Runner, ProgressDisplay?) async throws -> [Results]) async throws {
    let progress = output.progress()
    let results: [Results]
    do {
      defer { progress?.clear() }
      Interrupt.begin()
      results = try await run(runner, progress)
    }
    try conclude(results) { readings in
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
  func conclude(_ results: [Results], print: ([Reading]) throws -> Void) throws {
    guard !results.isEmpty else { return }
    let cut = results.compactMap(\.failure).first
    if let cut, results.allSatisfy({ $0.runs.allSatisfy(\.trials.isEmpty) }) { throw cut }
    var readings = results.map(Self.reading)
    if let archive { Self.keep(&readings, in: archive) }
    var failures = rendering.deliver(readings, to: exports) { try print(readings) }
    if let cut { failures.append(cut) }
    failures += results.flatMap(\.slips)
    try Lab.throwAll(failures)
    guard Interrupt.status == nil else { return }
    if readings.contains(where: { $0.document.hasFailed(strict: rendering.strict) }) { throw ExitCode(1) }
    try requireJudged(results.filter { !output.allowedUnjudged.contains($0.experiment.name) })
  }

  /// - Throws: ``LabError`` where claims could not be judged, though nothing failed: that is no pass.
  private func requireJudged(_ results: [Results]) throws(LabError) {
    let shortfalls = results.compactMap { result in
      result.shortfall(isStoppingMeant: isStoppingMeant).map { (result.experiment.name, $0) }
    }
    guard let first = shortfalls.first else {
      if let reason = Self.nothingJudged(results) { throw LabError("no claim could be judged: \(reason)") }
      return
    }
    let names = shortfalls.map(\.0).grouped(by: \.self).map(\.key).joined(separator: ", ")
    let head = Self.nothingJudged(results) == nil ? "not judged" : "no claim could be judged, not judged"
    throw LabError("\(head): \(names) (\(first.0): \(first.1)); to accept that, give --allow-unjudged NAME")
  }

  /// Compares each with the run before, and keeps it. A cache that cannot be written is worth a warning, and no
  /// failure.
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

  /// Why a run that has claims judged none of them, which is no pass; nil when it judged some, or asked for the best
  /// setting.
  private static func nothingJudged(_ results: [Results]) -> String? {
    let judgements = results.filter { !$0.experiment.seeksBest }.flatMap(\.judgements)
    guard !judgements.isEmpty, judgements.allSatisfy({ $0.verdict == .unavailable }) else { return nil }
    return judgements[0].evidence.reason ?? "nothing was measured"
  }
}
