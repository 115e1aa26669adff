import Exploration

/// A format in which explorations are exported. A new format is a line in ``all``.
public struct ExplorationFormat: Sendable {
  /// The extension of the format's files, without the dot.
  public let ending: String
  /// Returns the text of some results.
  public let render: @Sendable ([ExplorationResult]) throws -> String

  /// Every format, in the order of `help`.
  public static let all = [
    ExplorationFormat(ending: "json") { try JSONReport.pretty(ExplorationDocument($0)) },
    ExplorationFormat(ending: "html") { ExplorationPage.render($0) },
    ExplorationFormat(ending: "txt") { results in
      let style = TextStyle(width: 100)
      return style.safe(ExplorationText(style: style).render(results, steps: true))
    },
  ]
}
