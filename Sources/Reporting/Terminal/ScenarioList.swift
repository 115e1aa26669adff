import Laboratory
import Platform

/// The list of scenarios as text, as Markdown and as JSON.
public enum ScenarioList {
  /// Returns a line for each scenario, below the scenario's first tag: the name, the title, and the reason why the
  /// scenario cannot be run on `machine`, if there is one.
  ///
  /// The last lines contain the tags and the first command for a new user, which runs the scenario `first`.
  public static func render(
    _ scenarios: [ScenarioOutline], on machine: Machine, beginWith first: String, _ style: TextStyle
  ) -> String {
    var lines: [String] = []
    let entry = DescriptionList(column: 2 + (scenarios.map(\.name.displayWidth).max() ?? 0) + 2, style: style)
    for (family, scenarios) in scenarios.grouped(by: \.tags.first) {
      lines.append(SemanticColor.heading(family ?? "others", style))
      for scenario in scenarios {
        let obstacle = scenario.pattern.obstacle(on: machine)
        lines += entry.lines(
          scenario.name, [(scenario.title, nil), (obstacle.map { "unavailable here: \($0)" } ?? "", .care)])
      }
    }
    let tags = Set(scenarios.flatMap(\.tags)).sorted().joined(separator: ", ")
    let end = [
      "Run one with `\(Tool.command) scenario NAME`, read about it with `\(Tool.command) explain NAME`.",
      "Tags, for `\(Tool.command) scenario --tag TAG` and `\(Tool.command) smoke --only TAG` (each heading above is a tag): \(tags)",
      "New here? Begin with `\(Tool.command) scenario \(first)`, which takes a few seconds.",
    ]
    return (lines + [""] + end.flatMap { style.wrapped($0) }).map { $0 + "\n" }.joined()
  }

  /// Returns the list as a GitHub Markdown table, with a row for each scenario.
  public static func markdown(_ scenarios: [ScenarioOutline]) -> String {
    MarkdownReport.grid(
      ["family", "scenario", "question"],
      scenarios.map { scenario in
        [
          MarkdownReport.escape(scenario.tags.first ?? ""), MarkdownReport.code(scenario.name, inTable: true),
          MarkdownReport.escape(scenario.title),
        ]
      }) + "\n"
  }

  /// Returns the list as a JSON array, with an object for each scenario. The object states whether the scenario can be
  /// run on `machine`.
  ///
  /// - Throws: `EncodingError` if a value cannot be represented in JSON. The values of a scenario can be represented.
  public static func json(_ experiments: [Experiment], on machine: Machine) throws -> String {
    struct Entry: Encodable {
      let name, title, source, pattern: String
      let tags, variants, metrics: [String]
      /// The reason why the scenario cannot be run on `machine`; nil if the scenario can be run.
      let unavailable: String?
    }
    let entries = experiments.map { experiment in
      Entry(
        name: experiment.name, title: experiment.title, source: experiment.source, pattern: experiment.pattern.name,
        tags: experiment.tags, variants: experiment.variants.map(\.name),
        metrics: experiment.pattern.metrics.map(\.name),
        unavailable: experiment.pattern.implementation.obstacle(on: machine))
    }
    return try JSONReport.pretty(entries)
  }
}
