import ArgumentParser
import Laboratory
import Synchronization

/// The changes that the lab makes in the command line before the argument parser reads it.
extension Lab {
  private static let afterTerminator = Mutex<[String]>([])
  /// The words after `--`, for a command that runs a program.
  static var wordsAfterTerminator: [String] { afterTerminator.withLock { $0 } }

  /// Stores the words after `--` if the command runs a program, and returns the words before `--`. For other commands,
  /// returns all words.
  static func keepingProgram(_ arguments: [String]) -> [String] {
    guard arguments.dropFirst().first == TraceCommand.configuration.commandName,
      let end = arguments.firstIndex(of: "--")
    else { return arguments }
    afterTerminator.withLock { $0 = Array(arguments[(end + 1)...]) }
    return Array(arguments[..<end])
  }

  /// Returns the arguments with the command `scenario` inserted before the name of a scenario or a scenario file:
  /// `gcdlab queue-order` means `gcdlab scenario queue-order`. Other arguments are returned unchanged.
  static func namingCommand(_ arguments: [String]) -> [String] {
    guard let word = arguments.dropFirst().first, !commands.contains(word),
      library.names.contains(word) || word.isScenarioFile
    else { return arguments }
    return [arguments[0], "scenario"] + arguments.dropFirst()
  }

  /// Returns the arguments with each negative number attached to the preceding option, as in `--rounds=-1`. The
  /// argument parser would read the number as an option, and its error would not name the preceding option. The
  /// arguments after `--` are returned unchanged.
  static func attachingNumbers(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments[..<end].reduce(into: [String]()) { words, word in
      if word.contains(/^-[0-9.]/), let option = words.last, option.hasPrefix("--"), !option.contains("=") {
        words[words.count - 1] += "=" + word
      } else {
        words.append(word)
      }
    } + arguments[end...]
  }

  /// Returns the shell that `--generate-completion-script` names; nil if the arguments are not this option and the name
  /// of a shell.
  static func completionShell(_ arguments: [String]) -> CompletionShell? {
    guard arguments.count == 3, arguments[1] == "--generate-completion-script" else { return nil }
    return CompletionShell(rawValue: arguments[2])
  }

  private static var commands: [String] {
    Root.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
  }

  /// Throws an error for an unknown command. The error of the argument parser would call the command an unexpected
  /// argument.
  static func refuseUnknownCommand(_ arguments: [String]) throws(InputError) {
    let words = arguments.dropFirst(arguments.dropFirst().first == "help" ? 2 : 1)
    guard let word = words.first, !word.hasPrefix("-") else { return }
    let known = commands
    guard !known.contains(word), !["help", "worker"].contains(word) else { return }
    throw .unknown(
      "command or scenario", word, known: known + library.names,
      listing: .text("known: \(known.joined(separator: ", ")); scenarios: \(Tool.command) list"))
  }
}
