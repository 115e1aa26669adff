import Laboratory
import Platform

/// The scenarios there are.
public enum ScenarioList {
  /// A line for each, name and title, under the name of its family, which is its first tag; and whether it runs here.
  public static func render(_ experiments: [Experiment], on machine: Machine, _ style: TextStyle) -> String {
    var text = ""
    let column = 2 + (experiments.map(\.name.displayWidth).max() ?? 0) + 2
    func add(_ sentence: String, _ ink: (String) -> String, after start: String) {
      for (index, line) in sentence.wrapped(to: max(20, style.width - column)).enumerated() {
        text += (index == 0 ? start : String(repeating: " ", count: column)) + ink(line) + "\n"
      }
    }
    for (family, experiments) in experiments.grouped(by: \.tags.first) {
      text += Ink.heading(family ?? "others", style) + "\n"
      for experiment in experiments {
        add(
          experiment.title.inLine, \.self,
          after: "  " + Ink.name(experiment.name.padded(to: column - 2), style))
        if let obstacle = experiment.pattern.obstacle(on: machine) {
          add(
            "unavailable here: \(obstacle)", { Ink.care($0, style) }, after: String(repeating: " ", count: column))
        }
      }
    }
    let tags = Set(experiments.flatMap(\.tags)).sorted().joined(separator: ", ")
    let end = [
      "Run one with `gcdlab scenario NAME`, read about it with `gcdlab explain NAME`.",
      "Tags, for `gcdlab smoke --only TAG`: \(tags)",
    ]
    return text + "\n" + end.flatMap { $0.wrapped(to: max(20, style.width)) }.map { $0 + "\n" }.joined()
  }

  /// As GitHub Markdown: a table by family.
  public static func markdown(_ experiments: [Experiment]) -> String {
    MarkdownReport.grid(
      ["family", "scenario", "question"].map { Table.Heading($0, .left) },
      experiments.map { experiment in
        [
          MarkdownReport.escape(experiment.tags.first ?? ""), MarkdownReport.code(experiment.name, inTable: true),
          MarkdownReport.escape(experiment.title),
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
        metrics: experiment.pattern.metrics.map(\.name), unavailable: experiment.pattern.obstacle(on: machine))
    }
    return try JSONReport.pretty(entries)
  }
}
