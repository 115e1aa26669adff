import ArgumentParser
import Laboratory
import Platform
import Reporting

/// A form that results can be printed in.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, markdown, csv
}

/// How to show results, of a run that has just ended or of a saved one, and where else to put them.
struct RenderOptions: ParsableArguments {
  @Option(help: "How to print results: table, json, markdown or csv.")
  var format: OutputFormat = .table

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp(
      "Also write a file, by its extension: .json .md .csv .hgrm .xml .html (repeatable).", valueName: "file"))
  var exports: [String] = []

  @OptionGroup var color: ColorOptions

  @Flag(help: "The whole report: every check, metric and distribution.")
  var details = false

  @Flag(help: "A refuted performance claim is a failure too.")
  var strict = false

  /// The files to write, checked so that a long run is not made in vain.
  ///
  /// - Parameter others: what other options name.
  /// - Throws: ``InputError`` for an extension that has no format, a file that cannot be written, and one that is named twice.
  func exportFiles(and others: [Export] = []) throws(InputError) -> [Export] {
    var files: [Export] = []
    for path in exports { files.append(try Export(path)) }
    files += others
    var seen: [String: Export] = [:]
    for file in files {
      guard let identity = file.identity else { continue }
      if let twin = seen.updateValue(file, forKey: identity) {
        throw InputError(
          "\(file.path) is the same file as \(twin.path) of \(twin.option): one would overwrite the other",
          at: file.option)
      }
    }
    return files
  }

  /// Prints results in the format asked for.
  func print(_ readings: [Reading]) throws {
    try color.print(asIs: format != .table) { style in
      switch format {
      case .table: TerminalReport(style, details: details).render(readings)
      case .json: try JSONReport.render(readings.map(\.document))
      case .markdown: MarkdownReport.render(readings)
      case .csv: CSVReport.render(readings.map(\.document))
      }
    }
  }

  /// Writes the exports, then prints. Whatever becomes of one place, the results go to the others, and what failed comes
  /// back.
  func deliver(_ readings: [Reading], to exports: [Export], print: () throws -> Void) -> [any Error] {
    var failures: [any Error] = []
    func attempt(_ deed: () throws -> Void) { do { try deed() } catch { failures.append(error) } }
    for file in exports { attempt { try file.write(readings, strict: strict) } }
    attempt(print)
    return failures
  }
}

/// A file that results are written to, in the format of its extension.
struct Export {
  private enum Format: String, CaseIterable {
    case json, md, csv, hgrm, xml, html
  }
  private let format: Format
  private let file: OutputFile
  /// The option that names it.
  let option: String

  var path: String { file.path }
  /// What tells whether two are the same file.
  var identity: String? { file.identity }

  init(_ path: String) throws(InputError) {
    let ending = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    guard let format = Format(rawValue: ending) else {
      let known = Format.allCases.map(\.rawValue)
      throw InputError(
        "\(path): no format for '\(ending.isEmpty ? path : "." + ending)' (known: "
          + known.map { "." + $0 }.joined(separator: " ") + ")", at: "--export", near: ending, of: known)
    }
    try self.init(path, format, option: "--export")
  }

  /// A page, whatever the name of the file.
  static func page(_ path: String) throws(InputError) -> Export { try Export(path, .html, option: "--html") }

  /// Claims for CI servers, whatever the name of the file.
  static func junit(_ path: String) throws(InputError) -> Export { try Export(path, .xml, option: "--junit") }

  private init(_ path: String, _ format: Format, option: String) throws(InputError) {
    self.format = format
    self.option = option
    do { file = try OutputFile(path) } catch { throw InputError(error.description, at: option) }
  }

  func write(_ readings: [Reading], strict: Bool) throws {
    let documents = readings.map(\.document)
    let text: String
    switch format {
    case .json:
      text = try JSONReport.render(documents)
      if text.utf8.count > ResultDocument.largestFile {
        let most = ResultDocument.largestFile >> 20
        Lab.say("\(path): larger than \(most) MiB, which report and diff do not read: run less for one file")
      }
    case .md: text = MarkdownReport.render(readings)
    case .csv: text = CSVReport.render(documents)
    case .hgrm: return try writeDistributions(PercentileReport.distributions(documents))
    case .xml: text = JUnitReport.render(documents, strict: strict)
    case .html: text = HTMLReport.render(readings, sentences: try Self.sentences(documents))
    }
    try file.write(text)
  }

  /// The documents' sentences, for a page of several scenarios; nil in a lab without documents.
  private static func sentences(_ results: [ResultDocument]) throws -> SentenceIndex? {
    guard results.count > 1, let documents = try Lab.library.documents() else { return nil }
    return try SentenceIndex(documents, tried: try Lab.library.all(.claims), results: results)
  }

  /// The plotter reads one distribution a file: a single one goes where it was asked for, of several each gets its name
  /// in front of the extension.
  private func writeDistributions(_ distributions: [(name: String, text: String)]) throws {
    if distributions.count == 1, let only = distributions.first { return try file.write(only.text) }
    guard let first = distributions.first?.name, let last = distributions.last?.name else {
      return Lab.say("\(file.path): no latency was measured")
    }
    let start = file.path.dropLast(5)
    Lab.say("\(file.path): \(distributions.count) files, \(start)-\(first).hgrm to \(start)-\(last).hgrm")
    for (name, text) in distributions { try OutputFile("\(file.path.dropLast(5))-\(name).hgrm").write(text) }
  }
}
