import Laboratory
import Platform

/// The scenarios there are.
public enum ScenarioList {
  /// A table of name, title, tags and whether it runs here, then the sources.
  public static func render(_ experiments: [Experiment], on machine: Machine, _ style: TextStyle) -> String {
    var text = ""
    for experiment in experiments {
      text += Ink.name(experiment.name.padded(to: 24), style) + experiment.title.inLine + "\n"
      let facts = [experiment.source, "tags: " + experiment.tags.joined(separator: ", ")]
      for line in facts.flatMap({ $0.wrapped(to: max(20, style.width - 24)) }) {
        text += String(repeating: " ", count: 24) + Ink.quiet(line, style) + "\n"
      }
      if let obstacle = experiment.pattern.obstacle(on: machine) {
        for line in "unavailable here: \(obstacle)".wrapped(to: max(20, style.width - 24)) {
          text += String(repeating: " ", count: 24) + Ink.care(line, style) + "\n"
        }
      }
    }
    return text + "\nRun one with `gcdlab scenario NAME`, read about it with `gcdlab explain NAME`.\n"
  }
}
