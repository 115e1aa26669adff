import Reporting

/// What a command's help ends with: commands to try, each with what it does.
func examples(_ lines: (command: String, does: String)...) -> String {
  "Examples:\n" + commandList(lines)
}

/// Commands below each other, each with what it does.
func commandList(_ lines: [(command: String, does: String)]) -> String {
  let width = lines.map(\.command.count).max() ?? 0
  return lines.map { command, does in
    "  \(Tool.command) \(command)\(String(repeating: " ", count: width - command.count))  \(does)"
  }.joined(separator: "\n")
}

extension Lab {
  /// A scenario that examples speak of: the shortest lesson of this lab, or the first of another.
  static let example = library.names.contains("singleton-race") ? "singleton-race" : library.names.first ?? "NAME"

  /// A tag that examples speak of.
  static let exampleTag = example == "singleton-race" ? "queues" : "TAG"

  /// A sweep that examples speak of.
  static let exampleSweep =
    library.names.contains("apply-stride") ? "apply-stride stride=1..4096:x8" : "\(example) SETTING=1,2,4"
}
