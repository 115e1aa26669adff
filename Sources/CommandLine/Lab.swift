import ArgumentParser
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
  private let explorations: @Sendable () -> [ExploredPattern]
  private let name: String

  /// Creates a lab.
  ///
  /// - Parameters:
  ///   - patterns: the patterns that the workers can run. The closure is evaluated after the initializer has verified
  ///     that stacks are large enough to create the patterns.
  ///   - files: the scenarios (`NAME.yml`), the documents whose sentences the claims test (`documents.yml`), and the
  ///     sources of the patterns (`.swift`), for `explain --code`. The plugin `Shelve` collects the files.
  ///   - explored: the patterns that `explore` can run. The closure is evaluated when `explore` runs.
  ///   - name: the name of the command in help and errors; nil for the name of the binary.
  public init(
    patterns: @autoclosure () -> [any Pattern], files: [(name: String, text: String)],
    explored: @autoclosure @escaping @Sendable () -> [ExploredPattern] = [], name: String? = nil
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
  static let documents: SourceDocuments? = (try? library.documents()) ?? nil
  /// The patterns that `explore` can run.
  static var explored: [ExploredPattern] { current.withLock { $0?.explorations }?() ?? [] }

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

  /// The minimum size of a thread's stack, in bytes.
  private static let leastStack = 512 << 10

  /// The minimum limit of open descriptors: the standard streams, and the descriptors that Dispatch opens for signals
  /// and timers.
  private static let fewestDescriptors = 16

  /// The minimum number of threads for the lab and its smallest worker: three threads that the lab and the worker start
  /// themselves, the threads of swift-subprocess, and the thread pools of Dispatch and of Swift concurrency.
  private static let fewestThreads = 16 + 2 * Host.cores
}
