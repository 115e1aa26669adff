import ArgumentParser
import Dispatch
import Laboratory
import Measurement
import Platform
import Reporting

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show changes to files as they happen, until Ctrl-C.",
    discussion: """
      A file is watched by its name, so the watch continues if an editor saves by replacing the file. The file need not \
      exist yet, but its directory must exist. Of the other names (hard links) of a watched file, only the number is \
      shown. In a watched directory, writes through a hard link outside the directory are not detected.

      \(examples(("watch notes.txt", "until Ctrl-C"), ("watch . --for 10s", "a directory"), ("watch notes.txt --count 1", "until it changes")))
      """)

  @Argument(help: "Files, which need not exist yet, or directories whose entries are watched.", completion: .file())
  var paths: [String]

  @Option(
    name: .customLong("for"), help: ArgumentHelp("Stop after this time, as in 5s or 2min.", valueName: "duration"))
  var limit: String?

  @Option(help: "Stop after this many changes.")
  var count: Int?

  @OptionGroup var color: ColorOptions

  func validate() throws {
    _ = try deadline()
    if let count, count < 1 { throw ValidationError("--count: found \(count), expected 1 or more.") }
  }

  func run() async throws {
    let start = MonotonicClock.now()
    let backlog = Backlog<PathEvent>(limit: Self.mostWaiting)
    let watcher: PathWatcher
    do { watcher = try PathWatcher(paths: paths) { backlog.add($0) } } catch {
      if error.isExhaustion { throw error }
      throw InputError(error.description)
    }
    defer { watcher.cancel() }
    Interrupt.begin()
    Lab.printMessage("watching \(paths.joined(separator: ", ")); Ctrl-C ends it")
    for path in watcher.awaited { Lab.printMessage("\(path) does not exist yet; waiting for the file") }
    let timer = Task {
      guard let deadline = try deadline() else { return }
      try await Task.sleep(for: deadline)
      backlog.end()
    }
    defer { timer.cancel() }
    var seen = 0
    showing: for await _ in backlog.signals {
      let (events, dropped) = backlog.take()
      for event in events {
        guard try show({ WatchReport.line(event, since: start, $0) }) else { break showing }
        seen += 1
        if seen == count { break showing }
      }
      if dropped > 0 {
        guard try show({ WatchReport.line(dropped: dropped, at: MonotonicClock.now(), since: start, $0) }) else {
          break
        }
      }
    }
    Lab.printMessage("\(seen.counted("change")) seen")
  }

  /// The maximum number of changes that are stored until the output can be written. Further changes are dropped, since
  /// the reader of the output may never continue.
  private static let mostWaiting = 10_000

  /// Prints a line as soon as the output can be written, and returns true. Returns false if the command ends before the
  /// output can be written.
  private func show(_ line: (TextStyle) -> String) throws -> Bool {
    while !Terminal.hasRoom(STDOUT_FILENO, within: 100) { if Task.isCancelled { return false } }
    try color.print(line)
    return true
  }

  private func deadline() throws -> Duration? { try limit.map { try Duration(option: "--for", $0) } }
}
