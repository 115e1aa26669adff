import Laboratory

/// Results as tidy CSV (RFC 4180): one row for each variant, point, metric and statistic, and one column for each swept
/// parameter. Figures and settings are plain numbers: durations in nanoseconds, sizes in bytes.
///
/// A cell that begins with `=`, `+`, `-` or `@` and is not a number is preceded by an apostrophe, since a spreadsheet
/// would execute the cell as a formula. Invisible characters are written as escapes.
public enum CSVReport {
  /// Returns the CSV text of all results, with one heading row and a column for each parameter that any of the results
  /// swept.
  public static func render(_ documents: [ResultDocument]) -> String {
    var swept: [String] = []
    for name in documents.flatMap(\.scenario.sweep) where !swept.contains(name) { swept.append(name) }
    var csv = table([["scenario", "variant"] + swept + ["metric", "unit", "statistic", "value"]])
    for document in documents {
      for run in document.runs {
        // The cells that the rows of a run share are created once, since a comparison has about a hundred rows
        // for each run.
        let settings = swept.map { run.point[$0].map(text) ?? "" }
        let shared = line([document.scenario.name, run.variant] + settings)
        for metric in document.scenario.metrics {
          guard let samples = run.metrics[metric.name] else { continue }
          let start = shared + "," + line([metric.name, metric.unit.rawValue]) + ","
          csv += start + "count,\(samples.count)\r\n"
          // The figure of the tables of a comparison.
          if let mean = samples.roundMean { csv += start + "round-mean," + number(mean) + "\r\n" }
          for statistic in Statistic.allCases {
            if let value = samples[statistic] { csv += start + statistic.rawValue + "," + number(value) + "\r\n" }
          }
        }
      }
    }
    return csv
  }

  private static func text(_ value: ParameterValue) -> String {
    switch value {
    case .integer(let number): String(number)
    case .text(let text): text
    }
  }

  /// Returns rows of cells as CSV text. Cells are quoted if necessary.
  static func table(_ rows: [[String]]) -> String {
    rows.map { line($0) + "\r\n" }.joined()
  }

  private static func line(_ cells: [String]) -> String { cells.map(field).joined(separator: ",") }

  static func number(_ value: Double) -> String { Int64(exactly: value).map { String($0) } ?? String(value) }

  private static func field(_ text: String) -> String {
    // OWASP, CSV injection.
    let isFormula = text.utf8.first.map("=+-@".utf8.contains) == true && Double(text) == nil
    let text = (isFormula ? "'" + text : text).inLine
    guard text.utf8.contains(where: ",\"".utf8.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
