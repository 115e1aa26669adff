import ArgumentParser
import Laboratory
import Reporting

struct MachineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine", abstract: "Show this machine: cores, limits, clock, and the lab's own noise floor.")

  @Flag(help: "Print it as JSON.")
  var json = false

  @OptionGroup var color: ColorOptions

  func run() throws {
    let machine = Machine.current()
    try color.print(asIs: json) { json ? try MachineReport.json(machine) : MachineReport.render(machine, $0) }
  }
}
