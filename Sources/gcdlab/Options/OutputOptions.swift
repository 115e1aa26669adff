import ArgumentParser
import Laboratory
import Platform
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A form that results can be printed in.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, markdown, csv
}

/// How to show results and where else to put them.
struct OutputOptions: ParsableArguments {
  @Option(help: "How to print results: table, json, markdown or csv.")
  var format: OutputFormat = .table

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp(
      "Also write a file, by its extension: .json .md .csv .hgrm .xml .html (repeatable).", valueName: "file"))
  var exports: [String] = []

  @OptionGroup var color: ColorOptions

  @Flag(help: "No progress.")
  var quiet = false

  @Flag(help: "A refuted performance claim is a failure too.")
  var strict = false

  /// The files to write, checked so that a long run is not made in vain.
  ///
  /// - Throws: ``InputError`` for an extension that has no format or a file that cannot be written.
  func exportFiles() throws(InputError) -> [Export] {
    var files: [Export] = []
    for path in exports { files.append(try Export(path)) }
    return files
  }

  /// Runs something with a runner on this machine, prints and exports its results, and ends with their status.
  func show(
    _ files: [Export], _ run: (Runner, ProgressDisplay?) async throws -> [Results]
  ) async throws {
    let runner = Runner(executable: Host.executablePath, machine: .current())
    let progress = progress()
    let results: [Results]
    do {
      defer { progress?.clear() }
      results = try await run(runner, progress)
    }
    try conclude(results, exports: files) { try print(results) }
  }

  /// Prints results in the format asked for.
  func print(_ results: [Results]) throws {
    try color.print { style in
      switch format {
      case .table: results.map { TerminalReport(style).render($0) }.joined(separator: "\n")
      case .json: try ResultDocument.json(results)
      case .markdown: results.map(MarkdownReport.render).joined(separator: "\n")
      case .csv: CSVReport.render(results)
      }
    }
  }

  /// Writes the exports, prints, and ends with the status of the results.
  ///
  /// Whatever becomes of one place, the results go to the others, and every failure is told. Nothing is written where
  /// the lab failed before it had finished anything, or was interrupted before it began.
  func conclude(_ results: [Results], exports: [Export], print: () throws -> Void) throws {
    guard !results.isEmpty else { return }
    let cut = results.compactMap(\.failure).first
    if let cut, results.allSatisfy({ $0.runs.allSatisfy(\.trials.isEmpty) }) { throw cut }
    var failures: [any Error] = []
    func attempt(_ deed: () throws -> Void) { do { try deed() } catch { failures.append(error) } }
    for file in exports { attempt { try file.write(results, strict: strict) } }
    attempt(print)
    if let cut { failures.append(cut) }
    for failure in failures.dropFirst() { Main.tell(failure) }
    if let first = failures.first { throw first }
    let status = status(of: results)
    if Interrupt.status == nil, status != 0 { throw ExitCode(status) }
  }

  /// Shows how far a run is, on a terminal.
  func progress() -> ProgressDisplay? {
    guard !quiet, Terminal.isTerminal(STDERR_FILENO) else { return nil }
    return ProgressDisplay(style: color.style(for: STDERR_FILENO))
  }

  /// 1 when a claim failed, else 0.
  func status(of results: [Results]) -> Int32 {
    results.contains { $0.judgements.contains { $0.verdict.isFailure(strict: strict) } } ? 1 : 0
  }
}

/// A file that results are written to, in the format of its extension.
struct Export {
  private enum Format: String, CaseIterable {
    case json, md, csv, hgrm, xml, html
  }
  private let format: Format
  private let file: OutputFile

  init(_ path: String) throws(InputError) {
    let ending = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let format = Format(rawValue: ending) else {
      let known = Format.allCases.map(\.rawValue)
      throw InputError(
        "\(path): no format for '\(ending.isEmpty ? path : "." + ending)' (known: "
          + known.map { "." + $0 }.joined(separator: " ") + ")", at: "--export", near: ending, of: known)
    }
    self.format = format
    do { file = try OutputFile(path) } catch { throw InputError(error.description, at: "--export") }
  }

  func write(_ results: [Results], strict: Bool) throws {
    let text: String
    switch format {
    case .json: text = try ResultDocument.json(results)
    case .md: text = results.map(MarkdownReport.render).joined(separator: "\n")
    case .csv: text = CSVReport.render(results)
    case .hgrm: return try writeDistributions(PercentileReport.distributions(results))
    case .xml: text = JUnitReport.render(results, strict: strict)
    case .html: text = HTMLReport.render(results.map(ResultDocument.init))
    }
    try file.write(text)
  }

  /// The plotter reads one distribution a file: a single one goes where it was asked for, of several each gets its name
  /// in front of the extension.
  private func writeDistributions(_ distributions: [(name: String, text: String)]) throws {
    if distributions.count == 1, let only = distributions.first { return try file.write(only.text) }
    if distributions.isEmpty { Main.say("\(file.path): no latency was measured") }
    for (name, text) in distributions { try OutputFile("\(file.path.dropLast(5))-\(name).hgrm").write(text) }
  }
}
