import ArgumentParser
import Dispatch
import Exploration
import Laboratory
import Platform
import Reporting
import Synchronization

/// A command-line tool that runs the patterns and scenarios of a package.
///
/// ```swift
/// Lab(patterns: [OwnQueue()], files: Shelf.files).main()
/// ```
public struct Lab: Sendable {
  private let patterns: [any Pattern]
  private let files: [(name: String, text: String)]
  private let explorations: @Sendable () -> [ExploredScenario]
  private let name: String

  /// Creates a lab.
  ///
  /// - Parameters:
  ///   - patterns: the patterns that the workers can run. The closure is evaluated after the initializer has verified
  ///     that stacks are large enough to create the patterns.
  ///   - files: the scenarios (`NAME.yml`), the documents whose sentences the claims test (`documents.yml`), and the
  ///     sources of the patterns (`.swift`), for `explain --code`. The plugin `Shelve` collects the files.
  ///   - explored: the scenarios that `explore` can run. The closure is evaluated when `explore` runs.
  ///   - name: the name of the command in help and errors; nil for the name of the binary.
  public init(
    patterns: @autoclosure () -> [any Pattern], files: [(name: String, text: String)],
    explored: @autoclosure @escaping @Sendable () -> [ExploredScenario] = [], name: String? = nil
  ) {
    let path = CommandLine.arguments.first ?? ""
    self.name = name ?? path.split(separator: "/").last.map(String.init) ?? Tool.name
    Tool.command = self.name
    Self.requireStack()
    self.patterns = patterns()
    self.files = files
    explorations = explored
  }

  /// The lab of this process; nil before ``main()``. The argument parser creates the commands, which cannot take the
  /// lab as an argument.
  private static let current = Mutex<Lab?>(nil)
  /// The scenarios of the lab, which are read at the first access. A worker does not access the scenarios.
  static let library: ScenarioLibrary = {
    let lab = current.withLock { $0 }
    return ScenarioLibrary(files: lab?.files ?? [], patterns: lab?.patterns ?? [])
  }()
  /// The documents whose sentences the claims test; nil if the lab has no documents, or if their file is invalid. A
  /// command that requires the documents reports the error in the file.
  static let documents: Documents? = (try? library.documents()) ?? nil
  /// The patterns that the workers can run.
  static var patterns: [any Pattern] { current.withLock { $0?.patterns ?? [] } }

  /// The scenarios that `explore` can run.
  static var explored: [ExploredScenario] { current.withLock { $0?.explorations }?() ?? [] }

  /// Runs the command line, and exits the process with one of the statuses that `gcdlab help` lists.
  ///
  /// The root command is not an `AsyncParsableCommand` with `@main`, which would start the concurrency runtime even for
  /// `--version`, and would occupy the main thread that a worker's main queue needs.
  public func main() {
    // A worker starts for every trial, so it skips the parsing of the command line, which would take as long as the
    // start of the process.
    let arguments = CommandLine.arguments
    // A write beyond the limit on file sizes must fail with an error, and must not end the lab or a worker.
    signal(SIGXFSZ, SIG_IGN)
    // The process that starts the lab may ignore SIGCHLD. A lab that inherited this setting could not collect the exit
    // statuses of its children.
    signal(SIGCHLD, SIG_DFL)
    switch arguments.dropFirst() {
    // A second word names the cores to which the worker was confined before `main`.
    case let words where words.count <= 2 && words.first == "worker": Worker.run(patterns: patterns)
    case ["--version"]:
      do { try writeAll(Tool.version + "\n", to: STDOUT_FILENO) } catch { Self.fail(error) }
      return
    default: break
    }
    Self.current.withLock { $0 = self }
    Self.run(Self.namingCommand(arguments))
  }

  private static func run(_ arguments: [String]) {
    Terminal.occupyStandardStreams()
    // A write to a closed pipe (`gcdlab … | head -1`), or to a worker that has ended, must fail with an error, and must
    // not end the lab.
    signal(SIGPIPE, SIG_IGN)
    do {
      if arguments.count == 1 { return try Greeting.show() }
      if let shell = completionShell(arguments) {
        return try writeAll(CompletionScript.text(shell) + "\n", to: STDOUT_FILENO)
      }
      try refuseUnknownCommand(arguments)
      var command = try Root.parseAsRoot(attachingNumbers(keepingProgram(arguments).dropFirst().map(\.self)))
      guard let asynchronous = command as? any AsyncParsableCommand else {
        try command.run()
        return
      }
      // Dispatch opens its own descriptors, and traps if no descriptors are available.
      guard Host.descriptorLimit >= fewestDescriptors else {
        throw LabError(
          "the limit of \(Host.descriptorLimit) open descriptors is too low; raise the limit with: ulimit -n 64")
      }
      do { try SystemThread.requireCapacity(for: fewestThreads) } catch {
        throw LabError("\(fewestThreads) threads are needed: \(error)")
      }
      Interrupt.run(asynchronous)
    } catch { fail(error) }
  }

  /// Exits the lab if the stacks of threads are too small. Each thread has a stack of the size that the limit sets for
  /// the main thread, and the creation of the patterns requires more stack than some limits allow.
  private static func requireStack() {
    guard let stack = Host.stackLimit, stack < leastStack else { return }
    let (least, limit) = (leastStack >> 10, stack >> 10)
    stop(2, "a stack of \(least) KiB is needed, the limit is \(limit) KiB; raise it with: ulimit -s 8192")
  }

  private static let afterTerminator = Mutex<[String]>([])
  /// The words after `--`, for a command that runs a program.
  static var wordsAfterTerminator: [String] { afterTerminator.withLock { $0 } }

  /// Stores the words after `--` if the command runs a program, and returns the words before `--`. For other commands,
  /// returns all words.
  private static func keepingProgram(_ arguments: [String]) -> [String] {
    guard arguments.dropFirst().first == TraceCommand.configuration.commandName,
      let end = arguments.firstIndex(of: "--")
    else { return arguments }
    afterTerminator.withLock { $0 = Array(arguments[(end + 1)...]) }
    return Array(arguments[..<end])
  }

  /// Returns the arguments with the command `scenario` inserted before the name of a scenario or a scenario file:
  /// `gcdlab queue-order` means `gcdlab scenario queue-order`. Other arguments are returned unchanged.
  private static func namingCommand(_ arguments: [String]) -> [String] {
    guard let word = arguments.dropFirst().first, !commands.contains(word),
      library.names.contains(word) || word.hasSuffix(".yml")
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
  private static func completionShell(_ arguments: [String]) -> CompletionShell? {
    guard arguments.count == 3, arguments[1] == "--generate-completion-script" else { return nil }
    return CompletionShell(rawValue: arguments[2])
  }

  private static var commands: [String] {
    Root.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
  }

  /// Throws an error for an unknown command. The error of the argument parser would call the command an unexpected
  /// argument.
  private static func refuseUnknownCommand(_ arguments: [String]) throws(InputError) {
    let words = arguments.dropFirst(arguments.dropFirst().first == "help" ? 2 : 1)
    guard let word = words.first, !word.hasPrefix("-") else { return }
    let known = commands
    guard !known.contains(word), !["help", "worker"].contains(word) else { return }
    throw InputError(
      "unknown command or scenario '\(word)' (known: \(known.joined(separator: ", ")); scenarios: \(Tool.command) list)",
      near: word, of: known + library.names)
  }

  /// The minimum size of a thread's stack, in bytes.
  private static let leastStack = 512 << 10

  /// The minimum limit of open descriptors: the standard streams, and the descriptors that Dispatch opens for signals
  /// and timers.
  private static let fewestDescriptors = 16

  /// The minimum number of threads for the lab and its smallest worker: three threads that the lab and the worker start
  /// themselves, the threads of swift-subprocess, and the thread pools of Dispatch and of Swift concurrency.
  private static let fewestThreads = 16 + 2 * Host.cores

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
    let text = withoutDissimilarSuggestion(
      message.hasPrefix(begin) ? "\(Tool.command): " + message.dropFirst(begin.count) : message)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    try? writeAll(TextStyle().safe(lines.map(wrappedForTerminal).joined(separator: "\n")) + "\n", to: STDERR_FILENO)
    exit(status.rawValue)
  }

  /// Returns the argument parser's message without a suggested option that does not resemble the unknown option, such
  /// as `--all` for `--fast`.
  static func withoutDissimilarSuggestion(_ message: String) -> String {
    message.replacing(/(Unknown option '-*([^']*)')\. Did you mean '-*([^']*)'\?/) { guess in
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

  private static func stop(_ status: Int32, _ message: String) -> Never {
    printMessage(message)
    exit(status)
  }
}

struct Root: ParsableCommand {
  /// The text on exit statuses in the help of the lab and in the help of `scenario`.
  static let exitStatuses = """
    Exit status: 0 no guarantee or anomaly claim failed (a refuted or inconclusive performance claim does not change the \
    status; with --strict, a refuted claim changes it to 1); 1 a guarantee was violated, an anomaly was not witnessed, a \
    trial failed, or a trial that should complete crashed or hung; 2 the lab could not run, no claim could be judged, or a \
    claim could not be judged that this machine should allow (--allow-unjudged accepts that); 64 bad usage or input; 130 \
    interrupted.
    """

  static let configuration = CommandConfiguration(
    commandName: Tool.command,
    abstract: Tool.command == Tool.name
      ? "Runs the patterns that the Grand Central Dispatch documents describe on your own machine, and tests what they say."
      : "Runs the scenarios of \(Tool.command) and judges their claims.",
    discussion: """
      \(examples(
        ("scenario \(Lab.example)", "run it: a few seconds"), ("explain \(Lab.example)", "its lesson; --code: its code"),
        ("list", "all scenarios"), ("trace -- ./program", "record a program of your own")))

      A scenario's name alone runs it. \(exitStatuses)
      """,
    version: Tool.version,
    subcommands: [
      List.self, Explain.self, ScenarioCommand.self, Compare.self, Diff.self, Smoke.self, TraceCommand.self,
      Explore.self, Report.self, Watch.self, DocumentsCommand.self, MachineCommand.self, New.self,
      WorkerCommand.self,
    ])
}

/// The command that starts a worker. The declaration makes the command known to the argument parser's help and errors;
/// ``Lab/main()`` starts the workers.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs one trial; started by the lab.", shouldDisplay: false)

  func run() { Worker.run(patterns: Lab.patterns) }
}
