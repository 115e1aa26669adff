import ArgumentParser
import Laboratory
import Reporting

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the scenarios, with source, tags and availability.")

  @OptionGroup var color: ColorOptions

  func run() throws {
    let experiments = try Lab.library.all()
    let machine = Machine.current()
    try color.print { ScenarioList.render(experiments, on: machine, $0) }
  }
}
