import ArgumentParser
import Laboratory
import Platform
import Reporting

/// The formats in which `diff` prints a comparison.
enum DiffFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, markdown, csv

  init?(argument: String) { self.init(rawValue: argument == "md" ? "markdown" : argument) }
}

/// The form in which results are printed: tables for people, or one text in an export format.
enum PrintFormat: ExpressibleByArgument {
  case table
  case exported(ReportFormat, @Sendable (ReportFormat.Input) throws -> String)

  init?(argument: String) {
    guard argument != "table" else {
      self = .table
      return
    }
    let meant = ReportFormat.all.first { argument == $0.name || argument == $0.fileExtension }
    guard let meant, case .text(let render) = meant.rendering else { return nil }
    self = .exported(meant, render)
  }

  static var allValueStrings: [String] {
    ["table"] + ReportFormat.all.map(\.name).filter { PrintFormat(argument: $0) != nil }
  }

  var defaultValueDescription: String { "table" }

  /// The extension of files in the format; nil for tables.
  var fileExtension: String? {
    switch self {
    case .table: nil
    case .exported(let format, _): format.fileExtension
    }
  }

  var isTable: Bool {
    switch self {
    case .table: true
    case .exported: false
    }
  }
}

/// The options that define how the results of a new or a saved run are shown, and to which files they are written.
struct RenderOptions: ParsableArguments {
  @Option(help: "How to print results.")
  var format: PrintFormat = .table

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp(
      "Also write a file in the format of its extension: \(ExportPath.list(ReportFormat.all.map(\.fileExtension))) (repeatable).",
      valueName: "file"),
    completion: .file())
  var exports: [String] = []

  @OptionGroup var color: ColorOptions

  @Flag(help: "Show the whole report: every claim with its check, every metric and every distribution.")
  var details = false

  @Flag(help: "Count a refuted performance claim as a failure.")
  var strict = false

  /// Returns the files to write. The files are prepared before a run starts. An invalid path is thus reported before
  /// there are results to lose.
  ///
  /// - Parameter others: the files that other options specify.
  /// - Throws: ``InputError`` if no format has the extension of a path, if a file cannot be written, or if two paths
  ///   name the same file.
  func exportFiles(and others: [Export] = []) throws(InputError) -> [Export] {
    var files: [Export] = []
    for path in exports { files.append(try Export(path)) }
    files += others
    try OutputFile.requireDistinct(files.map { ($0.file, $0.option) })
    return files
  }

  /// Prints results in the format that the options select.
  func print(_ contents: [ReportContent]) throws {
    try color.print(asIs: !format.isTable) { style in
      switch format {
      case .table: TerminalReport(style, details: details).render(contents)
      case .exported(_, let render): try render(Export.input(contents, strict: strict))
      }
    }
  }

  /// Writes results to the exports, then calls `print`. A failure of one destination does not affect the other
  /// destinations. Returns the errors of the destinations that failed.
  func deliver(_ contents: [ReportContent], to exports: [Export], print: () throws -> Void) -> [any Error] {
    var failures: [any Error] = []
    func attempt(_ action: () throws -> Void) { do { try action() } catch { failures.append(error) } }
    for file in exports {
      attempt {
        try file.write(contents, strict: strict)
        // A program that reads standard error knows the path, since it passed the path itself.
        if Terminal.isTerminal(STDERR_FILENO) { Lab.printMessage("wrote \(file.path)") }
      }
    }
    attempt(print)
    return failures
  }
}

/// A file to write results to, with its format.
struct Export {
  private let format: ReportFormat
  fileprivate let file: OutputFile
  /// The option that specifies the file.
  fileprivate let option: String

  var path: String { file.path }

  init(_ path: String) throws(InputError) {
    try self.init(path, ExportPath.format(of: path, in: ReportFormat.all, by: \.fileExtension), option: "--export")
  }

  /// Returns an array with one export, in the format `html` or `junit`, to a file with any extension; an empty array if
  /// `path` is nil.
  ///
  /// - Throws: ``InputError`` if the file cannot be written.
  static func named(_ format: String, _ path: String?) throws(InputError) -> [Export] {
    guard let path, let format = ReportFormat.all.first(where: { $0.name == format }) else { return [] }
    return [try Export(path, format, option: "--\(format.name)")]
  }

  private init(_ path: String, _ format: ReportFormat, option: String) throws(InputError) {
    self.format = format
    self.option = option
    file = try OutputFile(path, of: option)
  }

  func write(_ contents: [ReportContent], strict: Bool) throws {
    let input = Self.input(contents, strict: strict)
    switch format.rendering {
    case .files(let render): try write(render(input))
    case .text(let render):
      let text = try render(input)
      if format.fileExtension == "json", text.utf8.count > ResultDocument.largestFile {
        let most = ResultDocument.largestFile >> 20
        Lab.printMessage("\(path): larger than \(most) MiB, the limit of report and diff: write fewer runs to one file")
      }
      try file.write(text)
    }
  }

  /// Returns the input of the export formats. The input contains the documents' sentences if there are several runs and
  /// the lab has documents.
  static func input(_ contents: [ReportContent], strict: Bool) -> ReportFormat.Input {
    ReportFormat.Input(contents, strict: strict) {
      guard contents.count > 1, let documents = try Lab.library.documents() else { return nil }
      return try SentenceIndex(documents, tried: try Lab.library.outlines(), results: contents.map(\.document))
    }
  }

  /// Writes one text to the file of the export. If there are several texts, writes each text to a separate file, with
  /// the name of the text before the extension. If there are no texts, writes no file and prints the reason.
  private func write(_ parts: [(name: String, text: String)]) throws {
    if parts.count == 1, let only = parts.first { return try file.write(only.text) }
    guard let first = parts.first?.name, let last = parts.last?.name else {
      return Lab.printMessage("\(file.path): not written, since the run has nothing to show in \(format.name)")
    }
    let start = file.path.dropLast(format.fileExtension.count + 1)
    let suffix = "." + format.fileExtension
    Lab.printMessage(
      "\(file.path): \(parts.count) files, \(start)-\(first)\(suffix) to \(start)-\(last)\(suffix)")
    for (name, text) in parts { try OutputFile("\(start)-\(name)\(suffix)").write(text) }
  }
}
