import ArgumentParser
import Instruments
import Laboratory
import Reporting

struct MachineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "machine", abstract: "Show this machine: cores, limits, clock, and the lab's own noise floor.",
    discussion: examples(
      ("machine", "for people"), ("machine --format json", "for a script"), ("machine --color never", "without colour"))
  )

  @Option(help: "How to print: table or json.")
  var format: MachineFormat = .table

  @Flag(help: ArgumentHelp("The same as --format json.", visibility: .hidden))
  var json = false

  @OptionGroup var color: ColorOptions

  func run() throws {
    let machine = Machine.current()
    let wakeUps = WakeUps.measured(cores: machine.cores)
    let json = json || format == .json
    try color.print(asIs: json) { style in
      json ? try MachineReport.json(machine, wakeUps) : MachineReport.render(machine, wakeUps, style)
    }
  }
}

/// The formats in which `machine` prints the properties of the machine.
enum MachineFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json
}
