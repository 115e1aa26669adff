import ArgumentParser
import Laboratory
import Reporting

struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the scenarios by family, and what is not available here.",
    discussion: examples(
      ("list", "by family"), ("list --format markdown", "for a page"), ("list --format json", "for a script")))

  @Option(help: "How to print: table, json or markdown.")
  var format: ListFormat = .table

  @OptionGroup var color: ColorOptions

  func run() throws {
    let library = Lab.library
    let machine = Machine.unmeasured()
    try color.print(asIs: format != .table) { style in
      switch format {
      case .table:
        ScenarioList.render(
          try library.outlines(withClaims: false), on: machine, beginWith: Lab.example, style)
      case .json: try ScenarioList.json(try library.all(), on: machine)
      case .markdown: ScenarioList.markdown(try library.outlines(withClaims: false))
      }
    }
  }
}
