import Laboratory
import Measurement

extension Atlas {
  /// The atlas as GitHub Markdown: the machines, the sentences on which they disagree, the other sentences, and a table
  /// for each scenario.
  public var markdown: String {
    (machinesAsMarkdown + sentencesAsMarkdown + scenariosAsMarkdown).joined(separator: "\n\n") + "\n"
  }

  /// The machines and the sentences, without the scenarios, as GitHub Markdown.
  public var sentencesMarkdown: String { (machinesAsMarkdown + sentencesAsMarkdown).joined(separator: "\n\n") + "\n" }

  private var machinesAsMarkdown: [String] {
    let facts = (columns.first?.facts ?? []).map(\.name)
    let rows = columns.enumerated().map { number, column in
      ["\(number + 1)"] + (column.facts.map(\.text) + [column.date, column.place]).map(MarkdownReport.escape)
    }
    return [MarkdownReport.grid([words.one] + facts + ["started", "file"], rows)]
      + (cautions.isEmpty ? [] : [MarkdownReport.list(cautions)])
  }

  private var variantHeadings: [Table.Heading] {
    (["variant"] + columns.indices.map { "\($0 + 1)" }).map { Table.Heading($0, .left) } + [Table.Heading("apart")]
  }

  private var sentencesAsMarkdown: [String] {
    guard !sentences.isEmpty else { return [] }
    func table(_ sentences: [AtlasSentence]) -> String {
      MarkdownReport.grid(
        ["sentence", "says"] + columns.indices.map { "\($0 + 1)" },
        sentences.map { sentence in
          [sentence.id, MarkdownReport.escape(sentence.says)] + sentence.standings.map(AtlasText.word)
        })
    }
    let parts = [
      ("Sentences on which \(words.many) disagree", sentences.filter { $0.disagreement != .none }),
      ("The other sentences with a verdict", sentences.filter { $0.disagreement == .none && $0.agreement != .never }),
    ]
    return [summary + "."]
      + parts.flatMap { title, sentences in ["## \(title)", sentences.isEmpty ? "None." : table(sentences)] }
  }

  private var scenariosAsMarkdown: [String] {
    scenarios.flatMap { scenario -> [String] in
      let rows = scenario.rows.map { row in
        ([row.label] + row.cells.map { $0?.cell.text ?? "-" } + [row.apartText]).map(MarkdownReport.escape)
      }
      return [
        "## \(MarkdownReport.escape(scenario.name)): \(MarkdownReport.escape(scenario.title))",
        MarkdownReport.escape(scenario.note),
      ]
        + (scenario.cautions.isEmpty ? [] : [MarkdownReport.list(scenario.cautions)])
        + [MarkdownReport.grid(variantHeadings, rows)]
    } + Self.notes.map(MarkdownReport.escape)
  }
}
