import Laboratory
import Platform

/// The explanation of a scenario: its lesson, variants, parameters, metrics and claims.
public enum Explanation {
  /// Returns the explanation as text for a terminal.
  public static func render(_ experiment: Experiment, _ style: TextStyle) -> String {
    let pattern = experiment.pattern
    let facts = [experiment.source, experiment.tags.isEmpty ? "" : "tags: " + experiment.tags.joined(separator: ", ")]
    let parameters = pattern.settable.flatMap { parameter -> [String] in
      let value = experiment.parameters[parameter.name] ?? parameter.standard
      let swept = experiment.sweep.first { $0.name == parameter.name }
      let now =
        swept.map {
          "swept over \($0.values.map(parameter.describe).joined(separator: ", ")), otherwise \(parameter.describe(value))"
        }
        ?? parameter.describe(value)
      return entry(parameter.name, parameter.summary, "\(now); allowed: \(parameter.allowed)", style)
    }
    let metrics = pattern.metrics.flatMap {
      entry($0.name, $0.summary, $0.unit == .none ? $0.kind.text : "\($0.kind.text), \($0.unit.rawValue)", style)
    }
    let claims = experiment.claims.flatMap {
      let check = "\($0.check.text); \(ClaimRelation.text(bears: $0.bears, contradicts: $0.contradicts))"
      return list(style).lines($0.kind.rawValue, [($0.says, nil), (check, .quiet)])
    }
    return TextStyle.text([
      Heading.lines(experiment.name, experiment.title, nil, style)
        + facts.filter { !$0.isEmpty }.flatMap { style.wrapped($0, .quiet) },
      Lesson(experiment.lesson).lines(style),
      style.section(
        "variants",
        experiment.variants.flatMap { entry($0.name, $0.summary, $0.character, style) } + legend(Legend.roles, style)),
      style.section("parameters, set with --set NAME=VALUE", parameters), style.section("metrics", metrics),
      style.section(
        "claims",
        legend([ClaimRelation.counts(experiment.claims.map(\.sentenceIDs))], style) + claims
          + legend(Legend.kinds, style)),
    ])
  }

  private static func legend(_ lines: [String], _ style: TextStyle) -> [String] {
    style.wrapped(lines.joined(separator: "; "), .quiet, indent: 2)
  }

  private static func list(_ style: TextStyle) -> DescriptionList { DescriptionList(column: 26, style: style) }

  private static func entry(_ name: String, _ says: String, _ detail: String, _ style: TextStyle) -> [String] {
    list(style).lines(name, [("\(says) (\(detail))", nil)])
  }
}

extension Metric.Kind {
  /// The noun for a sample of the metric.
  fileprivate var text: String { self == .latency ? "duration" : rawValue }
}

extension Variant {
  /// A description of the variant: its role, the expected end of its trials unless the trials are expected to complete,
  /// and its requirements.
  fileprivate var character: String {
    let end: String? =
      switch ending {
      case .completes: nil
      case .traps: "expected to trap"
      case .hangs: "expected to hang"
      }
    let needs = needs.isEmpty ? nil : "needs " + needs.map(\.says).joined(separator: " and ")
    return [role.rawValue, end, needs].compactMap(\.self).joined(separator: ", ")
  }
}
