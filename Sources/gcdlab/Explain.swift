import ArgumentParser
import Reporting

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell the lesson of a scenario, its parameters, variants, metrics and claims.")

  @Argument(help: "A scenario's name or a .yml file.", completion: .list(Root.library.names))
  var name: String

  @OptionGroup var color: ColorOptions

  func run() throws {
    let experiment = try Root.library.experiment(name)
    try color.print { Explanation.render(experiment, $0) }
  }
}
