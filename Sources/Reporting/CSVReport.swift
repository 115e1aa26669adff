import Laboratory
import Measurement

/// Results as tidy CSV (RFC 4180): one row a variant, point, metric and statistic.
public enum CSVReport {
  /// The rows of all results under one heading.
  public static func render(_ results: [Results]) -> String {
    let rows = results.flatMap { results in
      results.runs.flatMap { run in
        results.experiment.pattern.metrics.flatMap { metric -> [[String]] in
          guard let measured = run.measured(metric) else { return [] }
          let name = [results.experiment.name, run.variant.name, run.point.label, metric.name, metric.unit.rawValue]
          return [name + ["count", String(measured.summary.count)]]
            + Statistic.allCases.compactMap { statistic in
              measured.summary[statistic].map { name + [statistic.rawValue, number($0)] }
            }
        }
      }
    }
    return table([["scenario", "variant", "point", "metric", "unit", "statistic", "value"]] + rows)
  }

  /// Rows of cells, quoted where they must be.
  static func table(_ rows: [[String]]) -> String {
    rows.map { row in row.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  static func number(_ value: Double) -> String { Int64(exactly: value).map { String($0) } ?? String(value) }

  private static func field(_ text: String) -> String {
    guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
