import ArgumentParser
import Laboratory
import Measurement
import Reporting

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compare two result documents.",
    discussion: """
      Figures are matched by scenario, variant, point and metric. A change is told from chance by a 99 % interval over \
      the rounds of both sides.
      """)

  @Argument(
    help: ArgumentHelp("The result document before.", valueName: "old.json"), completion: .file(extensions: ["json"]))
  var old: String

  @Argument(
    help: ArgumentHelp("The result document after.", valueName: "new.json"), completion: .file(extensions: ["json"]))
  var new: String

  @Option(
    name: .customLong("metric"),
    help: "Compare by this metric instead of each scenario's first (repeatable; 'all' for all).")
  var metrics: [String] = []

  @Option(
    help: ArgumentHelp(
      "Exit with 1 when a figure became worse by more than this, as in 10%, and its interval excludes no change.",
      valueName: "percent"))
  var failAbove: String?

  @Option(help: "How to print: table, json, markdown or csv.")
  var format: OutputFormat = .table

  @OptionGroup var color: ColorOptions

  func validate() throws { _ = try threshold() }

  func run() throws {
    let diff = try ResultDiff(
      old: ResultDocument.read(old), new: ResultDocument.read(new), metrics: metrics)
    let report = DiffReport(diff, failAbove: try threshold())
    try color.print { style in
      switch format {
      case .table: report.text(style)
      case .json: try report.json()
      case .markdown: report.markdown
      case .csv: report.csv
      }
    }
    if !report.failures.isEmpty { throw ExitCode(1) }
  }

  private func threshold() throws -> Double? {
    try failAbove.map { try Share(option: "--fail-above", $0, allowed: 0...1000).value }
  }
}
