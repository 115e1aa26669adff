import Laboratory
import Platform

/// The scenarios there are.
public enum ScenarioList {
  /// A line for each, name and title, under the name of its family, which is its first tag; and whether it runs here.
  public static func render(_ scenarios: [ScenarioOutline], on machine: Machine, _ style: TextStyle) -> String {
    var lines: [String] = []
    let entry = Entry(column: 2 + (scenarios.map(\.name.displayWidth).max() ?? 0) + 2, style: style)
    for (family, scenarios) in scenarios.grouped(by: \.tags.first) {
      lines.append(Ink.heading(family ?? "others", style))
      for scenario in scenarios {
        let obstacle = scenario.pattern.obstacle(on: machine)
        let texts: [(String, Ink?)] = [
          (scenario.title.inLine, nil), (obstacle.map { "unavailable here: \($0)" } ?? "", .care),
        ]
        lines += entry.lines(scenario.name, texts.filter { !$0.0.isEmpty })
      }
    }
    let tags = Set(scenarios.flatMap(\.tags)).sorted().joined(separator: ", ")
    let end = [
      "Run one with `\(Tool.command) scenario NAME`, read about it with `\(Tool.command) explain NAME`.",
      "Tags, for `\(Tool.command) scenario --tag TAG` and `\(Tool.command) smoke --only TAG` (each heading above is one): \(tags)",
    ]
    return (lines + [""] + end.flatMap { $0.wrapped(to: max(20, style.width)) }).map { $0 + "\n" }.joined()
  }

  /// As GitHub Markdown: a table by family.
  public static func markdown(_ scenarios: [ScenarioOutline]) -> String {
    MarkdownReport.grid(
      ["family", "scenario", "question"].map { Table.Heading($0, .left) },
      scenarios.map { scenario in
        [
          MarkdownReport.escape(scenario.tags.first ?? ""), MarkdownReport.code(scenario.name, inTable: true),
          MarkdownReport.escape(scenario.title),
        ]
      }) + "\n"
  }

  /// As a JSON array, an object a scenario.
  ///
  /// - Throws: `EncodingError`, which no scenario can cause.
  public static func json(_ experiments: [Experiment], on machine: Machine) throws -> String {
    struct Entry: Encodable {
      let name, title, source, pattern: String
      let tags, variants, metrics: [String]
      /// Why it cannot be tried here.
      let unavailable: String?
    }
    let entries = experiments.map { experiment in
      Entry(
        name: experiment.name, title: experiment.title, source: experiment.source, pattern: experiment.pattern.name,
        tags: experiment.tags, variants: experiment.variants.map(\.name),
        metrics: experiment.pattern.metrics.map(\.name), unavailable: experiment.pattern.pattern.obstacle(on: machine))
    }
    return try JSONReport.pretty(entries)
  }
}
