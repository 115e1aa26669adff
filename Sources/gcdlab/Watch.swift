import ArgumentParser
import Dispatch
import Laboratory
import Measurement
import Platform
import Reporting
import Synchronization

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show changes to files as they happen, until Ctrl-C.",
    discussion: "A file is watched by its name: when an editor saves by renaming a new file over it, watching goes on.")

  @Argument(help: "Files, or directories whose entries to watch.", completion: .file())
  var paths: [String]

  @Option(
    name: .customLong("for"), help: ArgumentHelp("Stop after this time, as in 5s or 2min.", valueName: "duration"))
  var limit: String?

  @Option(help: "Stop after this many changes.")
  var count: Int?

  @OptionGroup var color: ColorOptions

  func validate() throws {
    _ = try deadline()
    if let count, count < 1 { throw ValidationError("--count: found \(count), allowed is 1 or more.") }
  }

  func run() async throws {
    let start = MonotonicClock.now()
    let (events, feed) = AsyncThrowingStream.makeStream(of: PathEvent.self)
    let watcher: PathWatcher
    do { watcher = try PathWatcher(paths: paths) { feed.yield($0) } } catch {
      if error.isExhaustion { throw error }
      throw InputError(error.description)
    }
    defer { watcher.cancel() }
    Main.say("watching \(paths.joined(separator: ", ")); Ctrl-C ends it")
    let timer = Task {
      guard let deadline = try deadline() else { return }
      try await Task.sleep(for: deadline)
      feed.finish()
    }
    defer { timer.cancel() }
    var seen = 0
    for try await event in events {
      try color.print { WatchReport.line(event, since: start, $0) }
      seen += 1
      if seen == count { break }
    }
    Main.say("\(seen) change\(seen == 1 ? "" : "s") seen")
  }

  private func deadline() throws -> Duration? {
    guard let limit else { return nil }
    do { return try Duration(option: "--for", limit) } catch { throw ValidationError("\(error).") }
  }
}
