import ArgumentParser
import Laboratory
import Platform
import Reporting

/// A session that runs scenarios, and then exports, prints, stores and judges the results.
struct RunSession {
  /// The runner that executes plans on this machine.
  let runner: Runner
  /// The options that define how results are shown, and which scenarios may remain unjudged.
  let output: OutputOptions
  /// The files to write.
  let exports: [FileExport<ReportInput>]
  /// The archive that stores the runs and contains the previous runs; nil if the runs are not stored.
  let archive: Archive?
  /// Whether the command line limits the time of a trial.
  let limitsTrialTime: Bool

  private var rendering: RenderOptions { output.rendering }

  /// Calls `run`, and prints and exports the results. Throws an error if the results have not passed.
  func runAndReport(_ run: (Runner, ProgressDisplay?) async throws -> [Results]) async throws {
    let progress = output.progress()
    let results: [Results]
    do {
      defer { progress?.clear() }
      Interrupt.begin()
      results = try await run(runner, progress)
    }
    try conclude(results) { contents in
      try rendering.print(contents)
      // A table summarizes several scenarios, since the first reports have scrolled far above the prompt.
      guard rendering.format.isTable, Set(contents.map(\.document.scenarioName)).count > 1 else { return }
      try rendering.color.print { "\n" + SmokeReport.table(contents, strict: rendering.strict, $0) }
    }
  }

  /// Returns the content of the report on some results, including the command line that requested the results.
  static func content(_ results: Results) -> ReportContent {
    var results = results
    results.command = Array(CommandLine.arguments.dropFirst())
    return ReportContent(ResultDocument(results), by: Lab.documents)
  }

  /// Writes the exports, and prints the results. Throws an error if the results have not passed.
  ///
  /// A failure of one destination does not affect the other destinations, and every failure is reported. Nothing is
  /// written if the lab failed or was interrupted before any trial was finished.
  func conclude(_ results: [Results], print: ([ReportContent]) throws -> Void) throws {
    guard !results.isEmpty else { return }
    let failure = results.compactMap(\.failure).first
    if let failure, results.allSatisfy({ $0.runs.allSatisfy(\.trials.isEmpty) }) { throw failure }
    var contents = results.map(Self.content)
    if let archive { Self.keep(&contents, in: archive) }
    var failures = rendering.deliver(contents, to: exports) { try print(contents) }
    if let failure { failures.append(failure) }
    failures += results.flatMap(\.unanswerableChecks)
    try Lab.throwAll(failures)
    guard Interrupt.status == nil else { return }
    if contents.contains(where: { $0.document.hasFailed(strict: rendering.strict) }) { throw ExitCode(1) }
    let required = results.indices.filter { !output.allowedUnjudged.contains(results[$0].experiment.name) }
    try requireJudged(required.map { results[$0] }, required.map { contents[$0].document })
  }

  /// Verifies that the claims of the runs were judged. The documents contain the runs of `results`.
  ///
  /// - Throws: ``LabError`` if claims could not be judged although nothing failed, or if a comparison
  ///   measured nothing. Such a run does not pass.
  private func requireJudged(_ results: [Results], _ documents: [ResultDocument]) throws(LabError) {
    let unjudged = results.compactMap { result in
      result.whyUnjudged(limitsTrialTime: limitsTrialTime).map { (result.experiment.name, $0) }
    }
    guard let first = unjudged.first else {
      if let reason = ResultDocument.whyNothingJudged(documents) {
        throw LabError("no claim could be judged: \(reason)")
      }
      if let reason = Self.whyNothingMeasured(results) { throw LabError("nothing was measured: \(reason)") }
      return
    }
    let names = unjudged.map(\.0).distinct.joined(separator: ", ")
    guard results.allSatisfy({ !$0.experiment.isComparison }) else {
      throw LabError("not measured: \(first.1); to accept this, give --allow-unjudged \(first.0)")
    }
    let head = ResultDocument.whyNothingJudged(documents) == nil ? "not judged" : "no claim could be judged; not judged"
    throw LabError("\(head): \(names) (\(first.0): \(first.1)); to accept unjudged claims, give --allow-unjudged NAME")
  }

  /// Compares each run with the previous run of its scenario, and stores the run in the archive. An interrupted run is
  /// neither compared nor stored. A failure to write the archive causes a warning and not an error.
  private static func keep(_ contents: inout [ReportContent], in archive: Archive) {
    var hasWarned = false
    for index in contents.indices where !contents[index].document.isInterrupted {
      let document = contents[index].document
      contents[index].sinceLast = archive.last(like: document)
        .flatMap { ResultDiff.sinceLast($0, document) }
      do { try archive.keep(document) } catch {
        if !hasWarned { Lab.printMessage("the run is not kept: \(error)") }
        hasWarned = true
      }
    }
  }

  /// Returns the reason why the machine allowed no trial of a comparison; nil if the machine allowed a
  /// trial, or if there was no comparison. A comparison without a trial does not pass.
  private static func whyNothingMeasured(_ results: [Results]) -> String? {
    let outcomes = results.filter(\.experiment.isComparison).flatMap(\.runs).flatMap(\.trials).map(\.outcome)
    guard case .unavailable(let reason) = outcomes.first, outcomes.allSatisfy({ $0.kind == .unavailable }) else {
      return nil
    }
    return reason
  }
}
