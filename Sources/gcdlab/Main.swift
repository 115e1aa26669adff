import ArgumentParser
import Dispatch
import Laboratory
import Patterns
import Platform
import Reporting
import Scenarios

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The entry point. Not an `AsyncParsableCommand` root with `@main`: that would start the concurrency runtime even for
/// `--version`, and would not leave the main thread to a worker's main queue.
@main enum Main {
  static func main() {
    // Before the command line is parsed, which takes as long as starting the process: a worker is started for every
    // trial.
    let arguments = CommandLine.arguments
    // A limit on file sizes is an error to handle, for the lab and its workers, not to die of.
    signal(SIGXFSZ, SIG_IGN)
    switch arguments.dropFirst() {
    case ["worker"]: Worker.run(patterns: Registry.patterns)
    case ["--version"]:
      do { try writeAll(Tool.version + "\n", to: STDOUT_FILENO) } catch { fail(error) }
      return
    default: break
    }
    Terminal.occupyStandardStreams()
    // A closed pipe (`gcdlab … | head -1`) and a worker that dies before it reads are errors to handle, not to die of.
    signal(SIGPIPE, SIG_IGN)
    // Swift reads them from /proc on Linux.
    guard !arguments.isEmpty else { stop(2, "the command line cannot be read: /proc is not mounted") }
    do {
      var command = try Root.parseAsRoot()
      guard let asynchronous = command as? any AsyncParsableCommand else {
        try command.run()
        return
      }
      // Dispatch opens descriptors of its own, and traps without room for them.
      guard Host.descriptorLimit >= fewestDescriptors else {
        throw LabError("too few open descriptors are allowed (\(Host.descriptorLimit)); raise it with: ulimit -n 64")
      }
      do { try SystemThread.requireRoom(for: fewestThreads) } catch {
        throw LabError("\(fewestThreads) threads are needed: \(error)")
      }
      Interrupt.run(asynchronous)
    } catch { fail(error) }
  }

  /// Standard streams, and what Dispatch opens for signals and timers.
  private static let fewestDescriptors = 16

  /// Of the lab and of the least of its workers: three of their own, those of swift-subprocess, and the pools of Dispatch and
  /// of Swift concurrency.
  private static let fewestThreads = 16 + 2 * Host.cores

  /// Prints the error where errors go and ends with the status that DESIGN gives its kind.
  static func fail(_ error: any Error) -> Never {
    switch error {
    case let error as InputError: stop(64, error.description)
    case let error as LabError: stop(2, error.description)
    case let error as SystemError where error.code == EPIPE: exit(128 + SIGPIPE)
    case let error as SystemError: stop(2, error.description)
    default: Root.exit(withError: error)
    }
  }

  /// Prints an error that is not the first, which ends the lab. What reads a closed pipe wants to hear no more.
  static func tell(_ error: any Error) {
    if let error = error as? SystemError, error.code == EPIPE { return }
    say("\(error)")
  }

  /// Writes a line where errors go; what is not heard there is no error itself.
  static func say(_ message: String) { try? writeAll("gcdlab: \(message)\n", to: STDERR_FILENO) }

  private static func stop(_ status: Int32, _ message: String) -> Never {
    say(message)
    exit(status)
  }
}

struct Root: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gcdlab",
    abstract:
      "Runs the documented patterns of Grand Central Dispatch on your own cores and judges what is said of them.",
    discussion: """
      Start with `gcdlab list`, then `gcdlab scenario singleton-race`.

      Exit status: 0 all held; 1 a guarantee or anomaly claim failed; 2 the lab could not do its work; \
      64 bad usage or input; 130 interrupted.
      """,
    version: Tool.version,
    subcommands: [
      List.self, Explain.self, ScenarioCommand.self, Compare.self, Diff.self, Smoke.self, Report.self, Watch.self,
      MachineCommand.self,
      WorkerCommand.self,
    ])

  static let library = ScenarioLibrary(embedded: EmbeddedScenarios.files, patterns: Registry.patterns)
}

/// Only so that help and errors know the word; see ``Main/main()``.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs one trial; started by the lab.", shouldDisplay: false)

  func run() { Worker.run(patterns: Registry.patterns) }
}
