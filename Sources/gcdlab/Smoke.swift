import ArgumentParser
import Laboratory
import Platform
import Reporting

struct Smoke: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run every scenario, short: all guarantees and anomalies, for CI.",
    discussion: """
      A passing scenario is one line; one that fails is shown in full. Performance claims are not graded, since three \
      rounds are too few.
      """)

  @Argument(help: "Only these scenarios.", completion: .list(Root.library.names))
  var names: [String] = []

  @Option(help: ArgumentHelp("Also write the claims as JUnit XML.", valueName: "file"))
  var junit: String?

  @Option(help: "Repeat the order of a run by its printed seed.")
  var seed: UInt64?

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let seed = seed ?? UInt64.random(in: 0...999_999_999)
    let plans = try (names.isEmpty ? Root.library.names : names).map { name in
      Plan(try Root.library.experiment(name).applying(Overrides(quick: true)), budget: .quick, seed: seed)
    }
    var output = output
    if let junit { output.exports.append(junit.hasSuffix(".xml") ? junit : junit + ".xml") }
    let files = try output.exportFiles()
    let runner = Runner(executable: Host.executablePath, machine: .current())
    var results: [Results] = []
    for plan in plans {
      let progress = output.progress()
      let result = try await runner.run(plan, observer: progress)
      progress?.clear()
      results.append(result)
      if output.format == .table {
        try output.color.print { SmokeReport.line(result, strict: output.strict, $0) }
      }
      if Task.isCancelled { break }
    }
    if output.format == .table {
      for file in files { try file.write(results, strict: output.strict) }
      try output.color.print { SmokeReport.summary(results, strict: output.strict, $0) }
    } else {
      try output.deliver(results, to: files)
    }
    let status = output.status(of: results)
    if Interrupt.status == nil, status != 0 { throw ExitCode(status) }
  }
}
