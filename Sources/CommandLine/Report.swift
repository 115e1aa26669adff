import ArgumentParser
import Laboratory
import Reporting

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show saved runs in any format, as they looked.",
    discussion: """
      A result document is what `--export run.json` writes; a file may have several. A page, as of `--export run.html`, \
      needs no network and no scripts.
      """)

  @Argument(
    help: ArgumentHelp("Result documents.", valueName: "result.json"), completion: .file(extensions: ["json"]))
  var paths: [String]

  @Option(help: ArgumentHelp("Only write the page, as --export does of a file that ends in .html.", valueName: "file"))
  var html: String?

  @OptionGroup var rendering: RenderOptions

  func run() throws {
    var files = try rendering.exportFiles()
    if let html { files.append(try Export.page(html)) }
    var documents: [ResultDocument] = []
    for path in paths { documents += try ResultDocument.read(path) }
    let readings = documents.map(Reading.init)
    try Lab.throwAll(
      rendering.deliver(readings, to: files) { if html == nil { try rendering.print(readings) } })
  }
}
