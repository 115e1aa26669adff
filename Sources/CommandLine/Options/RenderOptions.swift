import ArgumentParser
import Laboratory
import Reporting

/// The options that define how the results of a new or a saved run are shown, and to which files they are written.
struct RenderOptions: ParsableArguments {
  @Option(help: "How to print results.")
  var format = PrintFormat<ReportInput>.table

  @OptionGroup var exports: ExportOptions<ReportInput>

  @OptionGroup var color: ColorOptions

  @Flag(help: "Show the whole report: every claim with its check, every metric and every distribution.")
  var details = false

  @Flag(help: "Count a refuted performance claim as a failure.")
  var strict = false

  /// Prints results in the format that the options select.
  func print(_ contents: [ReportContent]) throws {
    try color.print(asIs: !format.isTable) { style in
      try format.text(input(contents)) ?? TerminalReport(style, details: details).render(contents)
    }
  }

  /// Writes results to the exports, then calls `print`. A failure of one destination does not affect the other
  /// destinations. Returns the errors of the destinations that failed.
  func deliver(
    _ contents: [ReportContent], to exports: [FileExport<ReportInput>], print: () throws -> Void
  ) -> [any Error] {
    let failures = FileExport.write(input(contents), to: exports)
    do { try print() } catch { return failures + [error] }
    return failures
  }

  /// Returns the input of the formats. The input contains the documents' sentences if there are several runs, at least
  /// one of which judges claims, and the lab has documents.
  private func input(_ contents: [ReportContent]) -> ReportInput {
    ReportInput(contents, strict: strict) {
      guard contents.count > 1, contents.contains(where: { !$0.document.isComparison }),
        let documents = try Lab.library.documents()
      else { return nil }
      return try SentenceIndex(documents, tried: try Lab.library.outlines(), results: contents.map(\.document))
    }
  }
}
