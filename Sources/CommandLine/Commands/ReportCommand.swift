import ArgumentParser
import Laboratory
import Platform
import Reporting

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show saved runs again, in any format.",
    usage: "\(Tool.command) report [<options>] <result.json or scenario> ...",
    discussion: """
      `--export run.json` writes a result document. A file may contain several documents. The lab also keeps the last \
      runs of each scenario: NAME is the latest, and NAME.scenario, NAME.compare or NAME.quick are others, with .before for the run before it; `\(Tool.command) report` lists all. A page (`--export run.html`) \
      needs no network and no scripts.

      Exit status: the status of the runs that are shown. 0 no guarantee or anomaly claim failed (with --strict: and no \
      performance claim was refuted); 1 such a claim failed, a trial failed, or a trial that should complete crashed or \
      hung; 2 a run was interrupted, or no claim could be judged. With --side-by-side, the status is 0, since machines may \
      differ.

      \(examples(("report run.json", "as it looked"), ("report singleton-race", "the last run of a scenario"), ("report run.json --format markdown", "in a format"), ("report run.json --export run.html", "as a page"), ("report --side-by-side a.json b.json", "several machines")))
      """)

  @Argument(
    help: ArgumentHelp("Result documents, or scenarios for their last runs.", valueName: "result.json"),
    completion: .file(extensions: ["json"]))
  var paths: [String] = []

  @Option(help: ArgumentHelp("Only write the page, whatever the file's name.", valueName: "file", visibility: .hidden))
  var html: String?

  @Flag(
    help:
      "Show the runs of several machines side by side, one file for each machine. Sentences and headline figures are rows, and machines are columns. --export: .html .md .json."
  )
  var sideBySide = false

  @OptionGroup var rendering: RenderOptions

  func run() throws {
    // The paths are not validated together with the options, since an unknown option must be reported first.
    if paths.isEmpty { return try list() }
    if sideBySide { return try compare() }
    let files = try FileExport<ReportInput>.files(rendering.exports.paths, html: html)
    var contents: [ReportContent] = []
    for path in paths {
      let run = try kept(path)
      contents += try (run.map { [$0] } ?? ResultDocument.read(path)).map { document in
        var content = ReportContent(document, by: Lab.documents)
        content.isKept = run != nil
        return content
      }
    }
    try Lab.throwAll(
      rendering.deliver(contents, to: files) { if html == nil { try rendering.print(contents) } })
    try judge(contents.map(\.document))
  }

  /// Prints the commands that show the latest of the kept runs, each with the time and the command of the run.
  ///
  /// - Throws: ``InputError`` if no run is kept.
  private func list() throws {
    let runs = Archive.ofUser?.runs ?? []
    guard !runs.isEmpty else {
      throw InputError("name a result document: \(Tool.command) scenario NAME --export run.json writes one")
    }
    let more = runs.count > Self.mostNames ? ["and \(runs.count - Self.mostNames) more"] : []
    try rendering.color.print { style in
      // A run that another run displaces gets a later time of change.
      let named = runs.prefix(Self.mostNames).map { name -> (name: String, run: ResultDocument?) in
        (name, (try? Archive.ofUser?.run(named: name)) ?? nil)
      }
      let ordered = named.sorted { $0.run?.isLater(than: $1.run) ?? false }
      let lines = ordered.flatMap { name, run -> [String] in
        let facts = [run?.startedMinute.appending(" UTC"), run?.commandLine].compactMap(\.self).joined(separator: ", ")
        return ["  \(Tool.command) report \(name)"] + (facts.isEmpty ? [] : style.remark(facts, indent: 6))
      }
      return (["The runs that the lab kept, the latest first:"] + lines + more).map { $0 + "\n" }.joined()
    }
  }

  /// The maximum number of kept runs in a list.
  private static let mostNames = 20

  /// Returns the last run of the scenario whose name is `path`, or the kept run of this name; nil if `path` is that of
  /// a file, or no such name.
  ///
  /// - Throws: ``InputError`` if the lab kept no run of the scenario, or if the run cannot be read.
  private func kept(_ path: String) throws(InputError) -> ResultDocument? {
    guard !path.contains("/"), !path.hasSuffix(".json"), (try? readBytes(path, atMost: 0)) == nil else { return nil }
    if let run = try Archive.ofUser?.run(named: path) { return run }
    let scenario = String(path.prefix { $0 != "." })
    if path.contains("."), !Lab.library.names.contains(scenario) { return nil }
    guard Lab.library.names.contains(scenario) else {
      try Lab.requireFile(path)
      return nil
    }
    guard scenario == path else {
      let kept = (Archive.ofUser?.runs ?? []).filter { $0.hasPrefix(scenario + ".") }
      throw .unknown("run", path, known: kept)
    }
    if let run = try Archive.ofUser?.latest(of: path) { return run }
    let command = "\(Tool.command) scenario \(path)"
    throw InputError(
      "'\(path)' is a scenario without a saved run: \(command) runs and keeps it, \(command) --export run.json saves it "
        + "in a file")
  }

  /// Throws an error if the runs have not passed. A command that shows a failed run thus fails as well.
  private func judge(_ documents: [ResultDocument]) throws {
    if documents.contains(where: { $0.hasFailed(strict: rendering.strict) }) { throw ExitCode(1) }
    if let run = documents.first(where: \.isInterrupted) {
      throw LabError("\(run.scenarioName): the run was interrupted")
    }
    if let reason = ResultDocument.whyNothingJudged(documents) { throw LabError("no claim could be judged: \(reason)") }
  }

  /// Prints and exports the runs of several machines side by side, in the formats of an atlas.
  private func compare() throws {
    let files = try FileExport<Atlas>.files(rendering.exports.paths, html: html)
    guard let format = PrintFormat<Atlas>(argument: rendering.format.fileExtension ?? "table") else {
      throw InputError(
        "found '\(rendering.format.fileExtension ?? "table")', expected table, json, markdown or html for machines side by side",
        at: "--format")
    }
    let atlas = try Lab.atlas(of: paths)
    try Lab.throwAll(FileExport.write(atlas, to: files))
    if html != nil { return }
    try rendering.color.print(asIs: !format.isTable) { style in
      try format.text(atlas) ?? AtlasText(atlas, style, details: rendering.details).report
    }
  }
}
