import ArgumentParser
import Laboratory
import Platform
import Reporting

/// The options that define how results are shown during a run and after it.
struct OutputOptions: ParsableArguments {
  @OptionGroup var rendering: RenderOptions

  @Flag(help: "Show no progress.")
  var quiet = false

  @Flag(help: "Do not store the run as the last run of its scenario (in GCDLAB_CACHE, or the user's cache directory).")
  var noSave = false

  @Option(
    name: .customLong("allow-unjudged"),
    help: ArgumentHelp(
      "Do not fail if claims of this scenario cannot be judged on this machine (repeatable).",
      valueName: "name"), completion: .custom { _, _, _ in Completions.scenarios })
  var allowedUnjudged: [String] = []

  /// Verifies that the scenarios that may remain unjudged are among the scenarios to run.
  ///
  /// - Throws: ``InputError`` if a scenario is not among `names`.
  func requireNames(_ names: [String]) throws(InputError) {
    for name in allowedUnjudged where !names.contains(name) {
      throw InputError(
        "'\(name)' is not run", at: "--allow-unjudged", near: name, of: names, listing: .all(as: "run"))
    }
  }

  /// Returns a session that shows results as these options define.
  ///
  /// - Parameters:
  ///   - exports: the files to write.
  ///   - keeps: whether the runs are stored in the archive and compared with the previous runs.
  ///   - limitsTrialTime: whether the command line limits the time of a trial.
  func session(_ exports: [FileExport<ReportInput>], keeps: Bool = false, limitsTrialTime: Bool = false) -> RunSession {
    RunSession(
      runner: Runner(Host.executable, machine: .current()), output: self, exports: exports,
      archive: keeps && !noSave ? Archive.ofUser : nil, limitsTrialTime: limitsTrialTime)
  }

  /// Returns the progress line of a run; nil with `--quiet`, or if standard error is not a terminal.
  ///
  /// - Parameter scenario: the name of the scenario that runs; nil if only one scenario runs.
  func progress(of scenario: String? = nil) -> ProgressDisplay? {
    guard !quiet, Terminal.isTerminal(STDERR_FILENO) else { return nil }
    return ProgressDisplay(of: scenario, style: rendering.color.style(for: STDERR_FILENO))
  }
}
