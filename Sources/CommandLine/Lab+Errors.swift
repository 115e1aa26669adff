import ArgumentParser
import Laboratory
import Platform
import Reporting

/// Errors, as messages on standard error and as exit statuses.
extension Lab {
  /// Prints the error to standard error, and exits the process with the status for errors of this kind. An error about
  /// a closed pipe is not printed.
  static func fail(_ error: any Error) -> Never {
    switch error {
    case let error as InputError: stop(64, error.description)
    case let error as LabError: stop(2, error.description)
    case let error as SystemError where error.code == EPIPE: exit(128 + SIGPIPE)
    case let error as SystemError: stop(2, error.description)
    default: leave(error)
    }
  }

  /// Exits the process with the status and the message of the argument parser. The message may quote names of files
  /// from the command line.
  private static func leave(_ error: any Error) -> Never {
    let status = Root.exitCode(for: error)
    let message = Root.fullMessage(for: error)
    guard !message.isEmpty else { Root.exit(withError: error) }
    // The message is the help that the user asked for.
    if status == .success {
      do { try writeAll(message + "\n", to: STDOUT_FILENO) } catch { fail(error) }
      exit(0)
    }
    // All errors have the same prefix.
    let begin = "Error: "
    let text = withBetterSuggestion(
      message.hasPrefix(begin) ? "\(Tool.command): " + message.dropFirst(begin.count) : message)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try? writeAll(TextStyle().safe(lines.map(wrappedForTerminal).joined(separator: "\n")) + "\n", to: STDERR_FILENO)
    exit(status.rawValue)
  }

  /// Returns the argument parser's message with the option that an unknown `--json` may stand for, and without a
  /// suggested option that does not resemble the unknown option, such as `--all` for `--fast`.
  static func withBetterSuggestion(_ message: String) -> String {
    if let option = message.firstMatch(of: /Unknown option '--([a-z]+)'/)?.1,
      PrintFormat<ReportInput>.allValueStrings.contains(String(option)),
      let name = message.firstMatch(of: /Usage: \S+ (\S+)/)?.1,
      let command = Root.configuration.subcommands.first(where: { $0.configuration.commandName ?? "" == name }),
      Set(Root.helpMessage(for: command).split { !$0.isLetter }).isSuperset(of: ["format", option])
    {
      return message.replacing(/(Unknown option '[^']*')\.( Did you mean '[^']*'\?)?/) {
        "\($0.1). Did you mean '--format \(option)'?"
      }
    }
    return message.replacing(/(Unknown option '-*([^']*)')\. Did you mean '-*([^']*)'\?/) { guess in
      [String(guess.3)].nearest(to: String(guess.2)) == nil ? "\(guess.1)." : "\(guess.0)"
    }
  }

  /// Prints an error without ending the lab. An error about a closed pipe is not printed, since the pipe has no reader.
  static func printError(_ error: any Error) {
    if let error = error as? SystemError, error.code == EPIPE { return }
    printMessage("\(error)")
  }

  /// Prints all errors except the first, and throws the first error. Returns if there are no errors.
  static func throwAll(_ errors: [any Error]) throws {
    for error in errors.dropFirst() { printError(error) }
    if let first = errors.first { throw first }
  }

  /// Writes a line to standard error, and ignores a failure of the write. If the lab is interrupted, a line for which
  /// the stream has no room is omitted.
  static func printMessage(_ message: String) {
    // An interrupted lab does not wait for a reader.
    guard Interrupt.status == nil || Terminal.hasRoom(STDERR_FILENO, within: 0) else { return }
    try? writeAll(wrappedForTerminal("\(Tool.command): \(message.inLine)") + "\n", to: STDERR_FILENO)
  }

  /// Returns a line of an error, wrapped between words if standard error is a terminal. If a program reads standard
  /// error, the line is unchanged.
  private static func wrappedForTerminal(_ line: String) -> String {
    guard let width = Terminal.columns(STDERR_FILENO), line.displayWidth > width else { return line }
    let indent = line.prefix { $0 == " " }
    return line.wrapped(to: max(20, width - indent.count)).map { indent + $0 }.joined(separator: "\n")
  }

  static func stop(_ status: Int32, _ message: String) -> Never {
    printMessage(message)
    exit(status)
  }
}
