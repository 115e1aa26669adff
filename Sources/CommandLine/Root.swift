import ArgumentParser
import Laboratory

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
      ListCommand.self, ExplainCommand.self, ScenarioCommand.self, CompareCommand.self, DiffCommand.self,
      SmokeCommand.self, TraceCommand.self,
      ExploreCommand.self, ReportCommand.self, WatchCommand.self, DocumentsCommand.self, MachineCommand.self,
      NewCommand.self,
      WorkerCommand.self,
    ])
}

/// The command that starts a worker. The declaration makes the command known to the argument parser's help and errors;
/// ``Lab/main()`` starts the workers.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs one trial; started by the lab.", shouldDisplay: false)
}
