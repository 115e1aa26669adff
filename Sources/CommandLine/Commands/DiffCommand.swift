import ArgumentParser
import Laboratory
import Measurement
import Platform
import Reporting
import Subprocess

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare result documents, before and after.",
    discussion: """
      Figures are matched by scenario, variant, settings of the sweep, and metric. Every document is one run of its \
      scenario. A change is significant if it is larger than the differences that chance causes between runs, with \
      simultaneous 95 % confidence for all figures. One run for each side shows only large changes: give three or more \
      runs, or --against, which makes the runs of both sides alternately.

      Without arguments, the last run of each scenario is compared with the previous run that had the same settings. With \
      names of scenarios, only the runs of these scenarios are compared.

      Exit status: 0 the comparison was made, whatever its result. With --fail-above: 0 no figure became worse by more \
      than the limit; 1 a figure became worse by more than the limit, a guarantee or anomaly claim failed, or a trial \
      failed, or a trial that should complete trapped or hung; 2 inconclusive, and the report says what would help. 64 \
      the two sides are not comparable.

      \(examples(("diff", "the last two runs here"), ("diff old.json new.json", "two saved runs"), ("diff --against ./old --fail-above 10% -- \(Lab.example)", "a gate")))
      """)

  @Argument(
    help: ArgumentHelp(
      "The result documents before and after the change, one file each, or names of scenarios. With --against, the arguments of `scenario`, with options after --.",
      valueName: "file-or-scenario"),
    completion: .file(extensions: ["json"]))
  var files: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The result documents before the change, of one or more runs.", valueName: "old.json"),
    completion: .file(extensions: ["json"]))
  var old: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The result documents after the change, of one or more runs.", valueName: "new.json"),
    completion: .file(extensions: ["json"]))
  var new: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run scenarios alternately with another gcdlab, the old side, and with this gcdlab.", valueName: "binary"),
    completion: .file())
  var against: String?

  @Option(help: "The number of runs of each side with --against.")
  var runs = 5

  @Option(help: ArgumentHelp("The maximum duration of a run with --against.", valueName: "duration"))
  var runTime = "10min"

  @Option(
    name: .customLong("metric"),
    help: "Compare by this metric instead of each scenario's first (repeatable; 'all' for all).")
  var metrics: [String] = []

  @Option(
    help: ArgumentHelp(
      "Exit with 1 if a figure became worse by more than this limit, as in 10%, and with 2 if the result is uncertain.",
      valueName: "percent"))
  var failAbove: String?

  @Option(help: "How to print the comparison.")
  var format = PrintFormat<DiffReport>.table

  @OptionGroup var exports: ExportOptions<DiffReport>

  @Flag(help: "Show a line for every figure, changed or not, and every remark.")
  var details = false

  @OptionGroup var color: ColorOptions

  func validate() throws {
    _ = try threshold()
    _ = try longestRun()
    if !(1...1000).contains(runs) { throw ValidationError("--runs: found \(runs), expected 1 to 1000.") }
    guard against == nil else {
      guard !files.isEmpty, old.isEmpty, new.isEmpty else {
        throw ValidationError("--against: give the scenarios to run, and no documents.")
      }
      return
    }
    _ = try sides()
  }

  private func sides() throws -> (old: [String], new: [String]) {
    // Without arguments, the last run of each scenario is compared with the previous run.
    if old.isEmpty, new.isEmpty, areScenarios { return ([], []) }
    if old.isEmpty, new.isEmpty, files.count == 2 { return ([files[0]], [files[1]]) }
    guard files.isEmpty, !old.isEmpty, !new.isEmpty else {
      if files.isEmpty, old.isEmpty != new.isEmpty {
        throw ValidationError(
          "\(old.isEmpty ? "--old" : "--new") is missing: give both sides (--old A.json … --new B.json …).")
      }
      var found = ""
      if files.count == 1, old.isEmpty, new.isEmpty {
        do throws(InputError) {
          if try Archive.ofUser?.run(named: files[0]) == nil { try Lab.requireFile(files[0]) }
        } catch { throw ValidationError(error.description) }
        found = "Found one side, \(files[0]). "
      }
      throw ValidationError(
        found
          + "Give names of scenarios, or two documents (OLD.json NEW.json), or several documents for each side (--old A.json … --new B.json …)."
      )
    }
    return (old, new)
  }

  /// Whether all arguments are names of scenarios. The value is true if there are no arguments.
  private var areScenarios: Bool { files.allSatisfy(Lab.library.names.contains) }

  private func lastTwoRuns() throws(InputError) -> (old: [ResultDocument], new: [ResultDocument]) {
    let runs = Archive.ofUser?.pairs(of: files) ?? (old: [], new: [], leftOut: [])
    for reason in runs.leftOut { Lab.printMessage(reason) }
    guard !runs.new.isEmpty else {
      let which =
        files.isEmpty
        ? "no scenario has two runs with the same settings here"
        : "\(files.joined(separator: ", ")) \(files.count == 1 ? "has" : "have") no two runs with the same settings here"
      throw InputError(
        "\(which): run \(files.count == 1 ? "it" : "one") again, or give two result documents, OLD.json NEW.json"
      )
    }
    return (runs.old, runs.new)
  }

  /// Reads the result documents of one side.
  ///
  /// - Throws: ``InputError`` if a file cannot be read, or if two files have the same run, which would count as two
  ///   observations.
  private func documents(_ paths: [String], side: String) throws(InputError) -> [ResultDocument] {
    var documents: [ResultDocument] = []
    var places: [[String]: String] = [:]
    for path in paths {
      for document in try Lab.results(at: path) {
        // A run without figures is no observation, so it cannot count twice.
        if document.hasFigures, let other = places.updateValue(path, forKey: document.identity) {
          let found = "a run of \(document.scenarioName)"
          throw InputError(
            other == path
              ? "\(side): \(path) has \(found) twice: give each run once"
              : "\(side): \(path) has \(found) that is also in \(other): give each run once")
        }
        documents.append(document)
      }
    }
    return documents
  }

  /// Measures with this lab and another lab alternately. Other activity on the machine thus affects both labs alike.
  private func alternate(_ other: String) async throws -> (old: [ResultDocument], new: [ResultDocument]) {
    var (old, new): ([ResultDocument], [ResultDocument]) = ([], [])
    let words = try Self.split(files).forwarded
    let (before, after) = (LabBinary(binary: other), LabBinary(binary: Host.executablePath))
    for _ in 0..<runs {
      for (lab, isNew) in [(before, false), (after, true)] {
        guard let ran = try await lab.measure(words, within: try longestRun()) else {
          throw LabError("\(lab.binary): a run takes more than \(runTime); --run-time allows more")
        }
        if isNew { new += ran } else { old += ran }
      }
    }
    return (old, new)
  }

  /// Returns the command that repeats an alternating measurement, except for the beginning `gcdlab diff` and the number
  /// of runs; nil without `--against`.
  private func alternatingCommand() throws(InputError) -> String? {
    guard let against else { return nil }
    let options =
      ["--against", against] + metrics.flatMap { ["--metric", $0] }
      + (failAbove.map { ["--fail-above", $0] } ?? [])
    return ResultDocument.shell(options + ["--run-time", runTime, "--"] + (try Self.split(files).forwarded))
  }

  /// Splits the arguments after `--` into the arguments of the runs and the values of `--export`. `--export` applies to
  /// the comparison, and not to the runs.
  ///
  /// - Throws: ``InputError`` if `--export` is the last argument.
  private static func split(_ words: [String]) throws(InputError) -> (forwarded: [String], exports: [String]) {
    var split: (forwarded: [String], exports: [String]) = ([], [])
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--export" {
        guard let path = rest.popFirst() else { throw InputError("--export: the name of a file is missing") }
        split.exports.append(path)
      } else if word.hasPrefix("--export=") {
        split.exports.append(String(word.dropFirst("--export=".count)))
      } else {
        split.forwarded.append(word)
      }
    }
    return split
  }

  /// Returns the files to write, each with its format. The files are prepared before any run starts.
  ///
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  private func exportFiles() throws(InputError) -> [FileExport<DiffReport>] {
    try FileExport.files(exports.paths + (against == nil ? [] : try Self.split(files).exports))
  }

  func run() async throws {
    let files = try exportFiles()
    let measured: (old: [ResultDocument], new: [ResultDocument])
    if let against {
      Interrupt.begin()
      do { measured = try await alternate(against) } catch let error as SubprocessError {
        throw LabError("\(against): \(error)")
      } catch  where Task.isCancelled { return }
    } else {
      let sides = try sides()
      measured =
        try sides.new.isEmpty
        ? lastTwoRuns() : (documents(sides.old, side: "--old"), documents(sides.new, side: "--new"))
    }
    // If the command is used as a gate (`--fail-above`) and cannot judge, the exit status is 2.
    if failAbove == nil { try Self.requireCommonScenario(measured.old, measured.new) }
    if !measured.old.isEmpty, measured.old.map(\.identity) == measured.new.map(\.identity) {
      Lab.printMessage("both sides are the same runs, so no figure changed")
      if failAbove == nil, format.isTable, files.isEmpty { return }
    }
    let limit = try threshold()
    let diff = try ResultDiff(old: measured.old, new: measured.new, metrics: metrics, seeking: limit)
    if diff.rows.isEmpty, let old = measured.old.first, let new = measured.new.first, old.isComparison, new.isComparison
    {
      let reason = old.reasonWithoutCommonFigures(new).map { ": \($0)" } ?? ""
      throw InputError("the two comparisons have no figure in common\(reason)")
    }
    let judgement = limit.map { DiffJudgement(diff, failAbove: $0) }
    let report = DiffReport(diff, judgement: judgement, alternating: try alternatingCommand())
    try Lab.throwAll(FileExport.write(report, to: files))
    try color.print(asIs: !format.isTable) { style in
      try format.text(report) ?? report.text(style, details: details)
    }
    if let judgement, judgement.status != 0 { throw ExitCode(judgement.status) }
  }

  private static func requireCommonScenario(_ old: [ResultDocument], _ new: [ResultDocument]) throws(InputError) {
    func names(_ documents: [ResultDocument]) -> [String] { Set(documents.map(\.scenarioName)).sorted() }
    let (before, after) = (names(old), names(new))
    guard !before.isEmpty, !after.isEmpty, Set(before).isDisjoint(with: after) else { return }
    throw InputError(
      "the two sides have no scenario in common: the old one has \(before.joined(separator: ", ")), the new one "
        + after.joined(separator: ", "))
  }

  private func longestRun() throws -> Duration { try Duration(option: "--run-time", runTime) }

  private func threshold() throws -> Double? {
    try failAbove.map { try Percentage(option: "--fail-above", $0, allowed: 0...1000).value }
  }
}
