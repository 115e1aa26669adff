import Laboratory
import Reporting

/// Returns the section of a command's help that lists example commands, each with a description.
func examples(_ lines: (command: String, does: String)...) -> String {
  examples(lines)
}

/// Returns the section of a command's help that lists example commands, each with a description.
func examples(_ lines: [(command: String, does: String)]) -> String { "Examples:\n" + commandList(lines) }

/// Returns a list of commands, each with a description after it, or below it if the lines would be longer than 80
/// columns.
func commandList(_ lines: [(command: String, does: String)]) -> String {
  let width = lines.map(\.command.count).max() ?? 0
  let needed = lines.map { Tool.command.count + width + $0.does.count + 5 }.max() ?? 0
  // The argument parser wraps the help to the width of the terminal, and would break a long line inside a command.
  guard needed <= 80 else {
    return lines.map { "  \(Tool.command) \($0.command)\n      \($0.does)" }.joined(separator: "\n")
  }
  return lines.map { command, does in
    "  \(Tool.command) \(command)\(String(repeating: " ", count: width - command.count))  \(does)"
  }.joined(separator: "\n")
}

extension Lab {
  /// The scenario in the examples of the help: `singleton-race`, or the first scenario of a lab that does not have
  /// `singleton-race`. In a lab without scenarios, the value is `NAME`.
  static let example = library.names.contains("singleton-race") ? "singleton-race" : library.names.first ?? "NAME"

  /// The tag in the examples of the help; `TAG` in a lab that does not have `singleton-race`.
  static let exampleTag = example == "singleton-race" ? "queues" : "TAG"

  /// The sweep in the examples of the help.
  static let exampleSweep =
    library.names.contains("apply-stride")
    ? "apply-stride stride=1..4096:x8 --variant apply" : "\(example) SETTING=1,2,4"

  /// The examples in the help of `compare`. Each command compares settings of one of this lab's scenarios, and has a
  /// description of the question that it answers.
  static let exampleComparisons: [(command: String, does: String)] =
    [
      ("compare apply-stride stride=1..4096:x4 --variant apply", "how large a stride for dispatch_apply?"),
      ("compare apply-stride threads=1..8 --variant threads", "how many threads of your own for a parallel loop?"),
      ("compare fd-semaphore permits=4..64:x2", "how many files open at once, of 64 descriptors?"),
      ("compare task-granularity work=100ns,1us,10us,100us", "how much work is worth a block?"),
      ("compare lock-scaling threads-per-core=1,4,16", "lock or queue, with how many threads?"),
      ("compare apply-stride cores=1,2 --variant apply", "what do more cores gain?"),
    ].filter { library.names.contains(String($0.0.split(separator: " ")[1])) }
    + [("compare \(exampleSweep) --precision 1%", "to within 1 % instead of 2 %")]
}
