import ArgumentParser
import Dispatch
import Laboratory
import Patterns

/// The entry point. Not an `AsyncParsableCommand` root with `@main`: that would start the concurrency runtime for
/// `--version`, and would not leave the main thread to a worker's main queue.
@main enum Main {
  static func main() {
    // Before the command line is parsed: a worker is started for every trial, and parsing costs half its life.
    if CommandLine.arguments.dropFirst().first == "worker" { Worker.run(patterns: Registry.patterns) }
  }
}
