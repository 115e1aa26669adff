import ArgumentParser
import Laboratory
import Platform
import Reporting

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a page of a result document.",
    discussion: "A result document is what `--export run.json` writes. The page needs no network and no scripts.")

  @Argument(help: ArgumentHelp("A result document.", valueName: "result.json"), completion: .file(extensions: ["json"]))
  var path: String

  @Option(help: ArgumentHelp("Where to write the page.", valueName: "file"))
  var html: String

  func run() throws {
    let file: OutputFile
    do { file = try OutputFile(html) } catch { throw InputError(error.description, at: "--html") }
    try file.write(HTMLReport.render(try ResultDocument.read(path)))
  }
}
