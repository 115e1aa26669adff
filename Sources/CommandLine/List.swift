import ArgumentParser
import Laboratory
import Reporting

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the scenarios by family, and what is not available here.")

  @OptionGroup var color: ColorOptions

  func run() throws {
    let experiments = try Lab.library.all()
    let machine = Machine.current()
    try color.print { ScenarioList.render(experiments, on: machine, $0) }
  }
}
