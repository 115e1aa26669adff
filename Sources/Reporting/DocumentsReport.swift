import Laboratory
import Platform

/// The documents' sentences with their verdicts: for a terminal, as Markdown and as JSON.
public struct DocumentsReport: Sendable {
  private let index: SentenceIndex

  /// A report of an index.
  public init(_ index: SentenceIndex) { self.index = index }

  /// For a terminal: a heading a document, a sentence with its verdict and scenarios below it.
  public func text(_ style: TextStyle) -> String {
    var text = ""
    for chapter in index.chapters {
      text += Heading.lines(chapter.name, chapter.title, .heading, style).map { $0 + "\n" }.joined()
      text += lines(chapter.summary, indent: 0, .quiet, style)
      let column = 2 + (chapter.entries.map(\.id.count).max() ?? 0) + 2
      for entry in chapter.entries {
        let says = entry.says.inLine.wrapped(to: max(20, style.width - column))
        text += "  " + Ink.name(entry.id.padded(to: column - 2), style) + (says.first ?? "") + "\n"
        for line in says.dropFirst() { text += String(repeating: " ", count: column) + line + "\n" }
        text += lines(verdict(entry, style), indent: column, ink(entry), style)
      }
      text += "\n"
    }
    return text + end.flatMap { $0.wrapped(to: max(20, style.width)) }.map { $0 + "\n" }.joined()
  }

  private func lines(_ text: String, indent: Int, _ ink: Ink, _ style: TextStyle) -> String {
    text.wrapped(to: max(20, style.width - indent)).map {
      String(repeating: " ", count: indent) + ink($0, style) + "\n"
    }.joined()
  }

  private func ink(_ entry: SentenceIndex.Entry) -> Ink {
    entry.verdicts.first?.verdict.ink ?? .quiet
  }

  private func verdict(_ entry: SentenceIndex.Entry, _ style: TextStyle) -> String {
    if let reason = entry.reason { return "- cannot be tried: \(reason)" }
    let scenarios = entry.scenarios.joined(separator: ", ")
    guard let gravest = entry.verdicts.first?.verdict else { return "- not run: \(scenarios)" }
    return "\(gravest.mark(style)) \(Self.counts(entry)): \(scenarios)"
  }

  private static func counts(_ entry: SentenceIndex.Entry) -> String {
    entry.verdicts.map { "\($0.count) \($0.verdict.rawValue)" }.joined(separator: ", ")
  }

  private var end: [String] {
    index.results.isEmpty
      ? ["No verdicts yet: run scenarios (`gcdlab scenario --all`), or give result documents by --results."]
      : ["Verdicts of this machine's last runs, or of the results given: \(index.results.count) scenarios."]
  }

  /// As GitHub Markdown, a table a document.
  public var markdown: String {
    index.chapters.map { chapter in
      "## \(MarkdownReport.escape(chapter.title))\n\n\(chapter.summary)\n\n"
        + MarkdownReport.grid(
          ["sentence", "says", "verdict", "tried by"].map { Table.Heading($0, .left) },
          chapter.entries.map { entry in
            [
              entry.id, entry.says, entry.reason ?? (entry.verdicts.isEmpty ? "not run" : Self.counts(entry)),
              entry.scenarios.joined(separator: ", "),
            ].map(MarkdownReport.escape)
          }) + "\n"
    }.joined(separator: "\n")
  }

  /// As JSON, schema `gcdlab.documents/1`.
  ///
  /// - Throws: `EncodingError`, which no index can cause.
  public func json() throws -> String {
    struct Sentence: Encodable {
      let id, says: String
      let standing: SentenceIndex.Standing
      let reason: String?
      let scenarios: [String]
      let verdicts: [String: Int]
    }
    struct Document: Encodable {
      let document, title: String
      let sentences: [Sentence]
    }
    struct All: Encodable {
      let schema = "gcdlab.documents/1"
      let documents: [Document]
    }
    let all = All(
      documents: index.chapters.map { chapter in
        Document(
          document: chapter.name, title: chapter.title,
          sentences: chapter.entries.map { entry in
            Sentence(
              id: entry.id, says: entry.says, standing: entry.standing, reason: entry.reason,
              scenarios: entry.scenarios,
              verdicts: Dictionary(entry.verdicts.map { ($0.verdict.rawValue, $0.count) }, uniquingKeysWith: +))
          })
      })
    return try JSONReport.pretty(all)
  }
}
