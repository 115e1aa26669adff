import FoundationEssentials
import Laboratory
import Measurement
import Testing

@testable import Reporting

/// Tests that the terminal, HTML, Markdown and JSON reports of a run contain the same figures.
@Suite struct AgreementTests {
  /// The rows of a table that was read back from a report. Each row contains the cells that are not empty.
  typealias Rows = [[String]]

  // MARK: The tables of the reports

  private static func pages(_ html: String) -> [Rows] {
    html.split(separator: "<table>").dropFirst().map { table in
      let body = table.prefix { _ in true }.split(separator: "</table>")[0]
      return body.split(separator: "<tr").dropFirst().map { row in
        row.matches(of: /<t[hd][^>]*>([^<]*)<\/t[hd]>/).map { unescaped(String($0.output.1)) }.filter { !$0.isEmpty }
      }
    }
  }

  private static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }

  private static func markdown(_ text: String) -> [Rows] {
    let sections = text.split(separator: "\n\n").map { $0.split(separator: "\n") }
    return sections.filter { $0.first?.hasPrefix("| ") == true && !$0[0].contains("verdict") }.map { lines in
      lines.filter { !$0.hasPrefix("|:") && !$0.hasPrefix("|-") }.map { line in
        line.split(separator: " | ").map { cell in
          String(cell).replacing("\\", with: "").trimmed("| ")
        }.filter { !$0.isEmpty }
      }
    }
  }

  /// Returns the tables of a terminal report that have the headings of the page's tables. Other parts of the report
  /// have other lines, and the meaning of the signs is below a table.
  private static func terminal(_ text: String, like pages: [Rows]) -> [Rows] {
    let sections = text.split(separator: "\n\n").map { section in
      section.split(separator: "\n").dropFirst().map { line in
        line.matches(of: /\S+( \S+)*/).map { String($0.output.0) }
      }
    }
    return pages.compactMap { table in
      sections.first { $0.first == table[0] && $0.prefix(table.count) == table[...] }.map {
        Array($0.prefix(table.count))
      }
    }
  }

  private static func check(_ results: Results, tables: Int, _ comment: Comment? = nil) throws {
    let content = results.content
    let html = pages(HTMLReport.render([content]))
    #expect(html.count == tables + content.tables.count { $0.title == "outcomes" }, comment)
    #expect(markdown(MarkdownReport.render(content)) == html, comment)
    #expect(terminal(TerminalReport(TextStyle(width: 400), details: true).render(content), like: html) == html, comment)
    try checkFigures(results, html)
  }

  // MARK: The figures of the document

  private struct Document: Decodable {
    struct Samples: Decodable {
      struct Round: Decodable {
        let round: Int
        let value: Double
      }
      let kind: String
      let unit: String
      let floor: Double?
      let count: Int
      let min: Double
      let p50: Double
      let p90: Double?
      let p99: Double?
      let max: Double
      let rounds: [Round]
    }
    struct Run: Decodable {
      let variant: String
      let point: [String: Int]
      let metrics: [String: Samples]
    }
    struct Scenario: Decodable {
      let show: [String]
      let sweep: [String]
      let baseline: String?
      let isComparison: Bool?
    }
    let scenario: Scenario
    let runs: [Run]
  }

  /// Checks each figure of the tables against a figure that is calculated only from the JSON.
  private static func checkFigures(_ results: Results, _ tables: [Rows]) throws {
    let json = try JSONReport.render([results.document])
    let document = try JSONDecoder().decode(Document.self, from: Data(json.utf8))
    guard document.scenario.sweep.count < 2 else { return }
    var compared = 0
    for run in document.runs {
      let keys = [run.variant] + document.scenario.sweep.map { run.point[$0].map { "\($0)" } ?? "-" }
      let metrics: [[String]] = [Array(document.scenario.show.prefix(1)), Array(document.scenario.show.dropFirst())]
      for (table, metrics) in zip(tables, metrics) {
        guard let row = table.first(where: { Array($0.prefix(keys.count)) == keys }) else { continue }
        for metric in metrics {
          guard let samples = run.metrics[metric], let unit = Unit(rawValue: samples.unit) else { continue }
          func text(_ value: Double) -> String {
            let isNear = samples.floor.map { value > 0 && value <= 2 * $0 } ?? false
            return Quantity(value, unit).description + (isNear ? "~" : "")
          }
          for expected in cells(metric, samples, text, isHeadline: metric == document.scenario.show[0]) {
            compared += 1
            #expect(row.contains(expected), "\(keys) \(metric): \(expected) in \(row)")
          }
        }
      }
      if let ratio = ratio(of: run, in: document) {
        let row = tables[0].first { Array($0.prefix(keys.count)) == keys } ?? []
        #expect(
          row.contains { cell in
            // A cell has the ends of an interval if its ratio would mislead.
            [ratio, "no difference found", "undecided", "x to "].contains { cell.contains($0) }
          },
          "\(keys): \(ratio) in \(row)")
      }
    }
    #expect(compared > 0)
  }

  private static func cells(
    _ metric: String, _ samples: Document.Samples, _ text: (Double) -> String, isHeadline: Bool
  ) -> [String] {
    if isHeadline, samples.kind == "latency" {
      // The median is the median of the rounds, as in claims and plots, and not the median of all samples.
      let p50 = Summary(samples.rounds.map(\.value))?.p50 ?? samples.p50
      return [samples.min, p50, samples.p90, samples.p99, samples.max].compactMap { $0.map(text) }
    }
    if samples.kind != "latency", samples.count > samples.rounds.count {
      let ends = [samples.min, samples.max].map(text)
      return [ends[0] == ends[1] ? ends[0] : ends.joined(separator: " … ")]
    }
    return Summary(samples.rounds.map(\.value)).map { [text($0.p50)] } ?? []
  }

  /// Returns the ratio of a run to the baseline over the rounds that both runs have; nil if there is no ratio.
  private static func ratio(of run: Document.Run, in document: Document) -> String? {
    guard let baseline = document.scenario.baseline, run.variant != baseline,
      let left = run.metrics[document.scenario.show[0]],
      let right = document.runs.first(where: { $0.variant == baseline })?.metrics[document.scenario.show[0]]
    else { return nil }
    let others = Dictionary(uniqueKeysWithValues: right.rounds.map { ($0.round, $0.value) })
    let ratios = left.rounds.compactMap { figure in others[figure.round].map { figure.value / $0 } }
    return Ranking.typical(ratios).map { Quantity.ratio($0 <= 1 ? 1 / $0 : $0) + "x" }
  }

  // MARK: Runs

  @Test func `all formats have the same percentiles, medians and ratios`() throws {
    try Self.check(Fixture.pair, tables: 2)
    try Self.check(Fixture.results([("few", [[10, 20], [30]]), ("two", [[5], [6]])], baseline: "few"), tables: 2)
  }

  /// Results with failed trials, so that the index of a round's figure is not the round's number.
  static let holes = Fixture.made(
    [
      ("plain", Fixture.rounds(8) { $0 == 1 ? nil : ["elapsed": [Double(1000 << $0)], "rate": [Double(5 + $0)]] }),
      ("other", Fixture.rounds(8) { $0 == 6 ? nil : ["elapsed": [Double(2000 << $0)], "missed": [1, 1, 1]] }),
      ("never", Fixture.rounds(8) { _ in nil }),
    ], baseline: "plain", outcome: .trapped(signal: 5))

  @Test func `a ratio pairs rounds by their number, even if a round failed`() throws {
    try Self.check(Self.holes, tables: 2)
    // In each round, one figure is exactly twice the other.
    let html = HTMLReport.render([Self.holes.content])
    #expect(html.contains("<td>2.00x slower ±0.0 %</td>"))
    #expect(Self.holes.document.runs[0].metrics["elapsed"]?.rounds.map(\.round) == [1, 3, 4, 5, 6, 7, 8])
    #expect(
      Self.pages(html).last == [
        ["variant", "outcome", "count", "share", "expectation"], ["plain", "completed", "7", "87.5 %", "allowed"],
        ["plain", "SIGTRAP", "1", "12.5 %", "forbidden"], ["other", "completed", "7", "87.5 %", "allowed"],
        ["other", "SIGTRAP", "1", "12.5 %", "forbidden"], ["never", "SIGTRAP", "8", "100.0 %", "forbidden"],
      ])
  }

  @Test func `every format has a range for a metric with many samples in a trial`() throws {
    let results = Fixture.made([
      (
        "a",
        Fixture.rounds(6) { _ in ["elapsed": [10], "missed": Array(repeating: 1, count: 1000), "rate": [1, 2, 9]] }
      )
    ])
    try Self.check(results, tables: 2)
    // There is one value for each trial, and not for each of a round's thousand samples.
    #expect(HTMLReport.render([results.content]).contains("<td>1</td><td>1 /s … 9 /s</td>"))
  }

  @Test func `all formats agree on a comparison and on a grid`() throws {
    let swept = try Fixture.compared([("stride", [1, 4, 16, 64])]) { variant, values in
      guard variant == "apply", let stride = values["stride"] else { return 20_000 }
      return stride == 1 ? 50_000 : stride == 64 ? nil : stride == 16 ? 10_004 : 10_000
    }
    try Self.check(swept, tables: 1)
    let html = HTMLReport.render([swept.content])
    #expect(
      html.contains("no difference found (at most ") && html.contains("● best mean")
        && html.contains("<td>stopped</td>"))
    for rounds in [3, 6] {
      try Self.check(
        Fixture.compared([("stride", [1, 4]), ("work", [10, 20])], rounds: rounds) { variant, values in
          Double((variant == "plain" ? 3 : 1) * (values["work"] ?? 1) * (values["stride"] == 4 ? 1000 : 2000))
        }, tables: 2)
    }
  }

  @Test func `all formats agree on random results`() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<20 {
      let variants = (0..<Int.random(in: 1...4, using: &generator)).map { index -> (String, [Fixture.Samples]) in
        let rounds = Int.random(in: 1...8, using: &generator)
        return ("way\(index)", Fixture.rounds(rounds) { _ in Self.samples(&generator) })
      }
      let results = Fixture.made(variants, baseline: "way0", outcome: .hung)
      let measured = results.document.runs.flatMap(\.metrics.keys)
      try Self.check(
        results, tables: (measured.contains("elapsed") ? 1 : 0) + (measured.contains { $0 != "elapsed" } ? 1 : 0))
    }
  }

  private static func samples(_ generator: inout SplitMix64) -> Fixture.Samples {
    if Int.random(in: 0..<5, using: &generator) == 0 { return nil }
    var samples: [String: [Double]] = [:]
    for metric in ["elapsed", "missed", "rate"] {
      let count = [0, 1, 3, 40].randomElement(using: &generator) ?? 1
      samples[metric] = (0..<count).map { _ in Double.random(in: 0...1e5, using: &generator) }
    }
    return samples
  }

  // MARK: The best run

  /// Stride 1 is the best by the medians of the rounds, and stride 4 is the best by all samples. All reports must use
  /// the same rule.
  @Test func `tables and plots choose the best run by the same rule`() throws {
    let figures = [1: [1000.0, 1000, 1000, 1000, 5000, 9000], 4: [1200, 1200, 1200, 1200, 1200, 1200]]
    let results = try Fixture.compared([("stride", [1, 4]), ("threads", [10, 20])], samples: 40) {
      variant, round, values in
      let figure = variant == "plain" ? 9000 : figures[values["stride"] ?? 1]?[round]
      return figure.map { values["threads"] == 20 ? $0 * 3 : $0 }
    }
    let content = results.content
    let best = try #require(content.comparison?.best)
    #expect(content.index.labels[best] == "apply[stride=4,threads=10]")
    #expect(content.distributions[0].series.map(\.label) == ["plain[threads=10]", "apply[stride=4,threads=10]"])
    #expect(
      TerminalReport(TextStyle(width: 160)).render(content).contains(
        "Lowest mean: apply with stride 4 at threads 10, 1.20 us, but"))
    for text in [MarkdownReport.render(content), HTMLReport.render([content])] {
      #expect(text.contains("1.20 us?") && text.contains("Lowest mean: apply with stride 4 at threads 10, 1.20 us"))
    }
    // The points of the chart are the means that rank the runs.
    #expect(HTMLReport.render([content]).contains("apply[threads=10], stride=1: 1.89 us</title>"))
  }
}

extension String {
  fileprivate func trimmed(_ characters: String) -> String {
    String(drop { characters.contains($0) }.reversed().drop { characters.contains($0) }.reversed())
  }
}
