import Reporting

/// Returns the section of a command's help that lists example commands, each with a description.
func examples(_ lines: (command: String, does: String)...) -> String {
  "Examples:\n" + commandList(lines)
}

/// Returns a list of commands, each with a description.
func commandList(_ lines: [(command: String, does: String)]) -> String {
  let width = lines.map(\.command.count).max() ?? 0
  let needed = lines.map { Tool.command.count + width + $0.does.count + 5 }.max() ?? 0
  // The argument parser wraps the help to the terminal, which would break a long line inside a command.
  guard needed <= 80 else {
    return lines.map { "  \(Tool.command) \($0.command)\n      \($0.does)" }.joined(separator: "\n")
  }
  return lines.map { command, does in
    "  \(Tool.command) \(command)\(String(repeating: " ", count: width - command.count))  \(does)"
  }.joined(separator: "\n")
}

extension Lab {
  /// The scenario in the examples of the help: the scenario with the shortest lesson in this lab, or the first scenario
  /// of another lab.
  static let example = library.names.contains("singleton-race") ? "singleton-race" : library.names.first ?? "NAME"

  /// The tag in the examples of the help.
  static let exampleTag = example == "singleton-race" ? "queues" : "TAG"

  /// The sweep in the examples of the help.
  static let exampleSweep =
    library.names.contains("apply-stride") ? "apply-stride stride=1..4096:x8" : "\(example) SETTING=1,2,4"
}
