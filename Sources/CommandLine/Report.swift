import ArgumentParser
import Laboratory
import Reporting

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show saved runs again, in any format.",
    discussion: """
      A result document is what `--export run.json` writes; a file may have several. A page, as of `--export run.html`, \
      needs no network and no scripts.

      Exit status: that of the runs which are shown. 0 all held; 1 a guarantee or anomaly claim failed, or a trial broke; \
      2 a run was interrupted, or no claim could be judged.

      \(examples(("report run.json", "as it looked"), ("report run.json --format markdown", "in a format"), ("report run.json --export run.html", "as a page")))
      """)

  @Argument(
    help: ArgumentHelp("Result documents.", valueName: "result.json"), completion: .file(extensions: ["json"]))
  var paths: [String]

  @Option(help: ArgumentHelp("Only write the page, whatever the file's name.", valueName: "file", visibility: .hidden))
  var html: String?

  @OptionGroup var rendering: RenderOptions

  func run() throws {
    let files = try rendering.exportFiles(and: Export.named("html", html))
    var documents: [ResultDocument] = []
    for path in paths { documents += try ResultDocument.read(path) }
    let readings = documents.map(Reading.init)
    try Lab.throwAll(
      rendering.deliver(readings, to: files) { if html == nil { try rendering.print(readings) } })
    try judge(documents)
  }

  /// Ends as the runs did: who shows a saved run in place of running it again must not take a failed one for a pass.
  private func judge(_ documents: [ResultDocument]) throws {
    if documents.contains(where: { $0.hasFailed(strict: rendering.strict) }) { throw ExitCode(1) }
    if let cut = documents.first(where: \.isCut) { throw LabError("\(cut.scenarioName): the run was interrupted") }
    if let reason = ResultDocument.nothingJudged(documents) { throw LabError("no claim could be judged: \(reason)") }
  }
}
