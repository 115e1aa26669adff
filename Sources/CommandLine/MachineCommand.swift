import ArgumentParser
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
    let json = json || format == .json
    try color.print(asIs: json) { json ? try MachineReport.json(machine) : MachineReport.render(machine, $0) }
  }
}

/// A form that the machine can be printed in.
enum MachineFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json
}
