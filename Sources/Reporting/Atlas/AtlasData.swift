import Laboratory
import Measurement

extension Atlas {
  /// The atlas as GitHub Markdown: the machines, the sentences on which they disagree, the other sentences, and a table
  /// for each scenario.
  public var markdown: String {
    (machinesAsMarkdown + sentencesAsMarkdown + scenariosAsMarkdown).joined(separator: "\n\n") + "\n"
  }

  /// The sentences alone, as GitHub Markdown.
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
      ("The other sentences", sentences.filter { $0.disagreement == .none }),
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

  /// Returns the atlas as JSON, schema `gcdlab.atlas/1`.
  ///
  /// - Throws: `EncodingError`, which no atlas can cause.
  public func json() throws -> String {
    struct Column: Encodable {
      let machine: Int
      let name, file, started, version: String
      let facts: Machine
    }
    struct Opinions: Encodable {
      let machine: Int
      let opinion: ClaimOpinion
      let verdict: Verdict
      let evidence: String
    }
    struct Claim: Encodable {
      let scenario, says, check: String
      let machines: [Opinions]
      let apart: Number?
    }
    struct Sentence: Encodable {
      let id, says: String
      let said: Documents.Strength?
      let disagree: Bool
      let standings: [String]
      let claims: [Claim]
    }
    struct Cell: Encodable {
      let machine: Int
      let text: String
      let figure: String?
      let ratio, low, high: Number?
    }
    struct Row: Encodable {
      let run: String
      let machines: [Cell]
      let apart: Number?
      let significant: Bool?
    }
    struct Scenario: Encodable {
      let name, figure: String
      let rows: [Row]
      let cautions: [String]
    }
    struct All: Encodable {
      let schema = "gcdlab.atlas/1"
      let machines: [Column]
      let sentences: [Sentence]
      let scenarios: [Scenario]
      let cautions: [String]
    }
    let all = All(
      machines: columns.enumerated().map { number, column in
        Column(
          machine: number + 1, name: names[number], file: column.place, started: column.started,
          version: column.tool.version, facts: column.machine)
      },
      sentences: sentences.map { sentence in
        Sentence(
          id: sentence.id, says: sentence.says, said: sentence.said, disagree: sentence.disagreement != .none,
          standings: sentence.standings.map(AtlasText.word),
          claims: sentence.claims.map { claim in
            Claim(
              scenario: claim.scenario, says: claim.says, check: claim.check,
              machines: claim.judgedClaims.enumerated().compactMap { number, judgedClaim in
                judgedClaim.map {
                  Opinions(
                    machine: number + 1, opinion: $0.opinion, verdict: $0.claim.verdict, evidence: $0.claim.evidenceText
                  )
                }
              }, apart: claim.apart.map { .init($0.times) })
          })
      },
      scenarios: scenarios.map { scenario in
        Scenario(
          name: scenario.name, figure: scenario.note,
          rows: scenario.rows.map { row in
            Row(
              run: row.label,
              machines: row.cells.enumerated().compactMap { number, cell in
                cell.map {
                  Cell(
                    machine: number + 1, text: $0.cell.text, figure: $0.figure,
                    ratio: $0.contrast.map { .init($0.ratio) }, low: $0.contrast?.interval.map { .init($0.low) },
                    high: $0.contrast?.interval.map { .init($0.high) })
                }
              }, apart: row.apart.map { .init($0) }, significant: row.isTold)
          }, cautions: scenario.cautions)
      }, cautions: cautions)
    return try JSONReport.pretty(all)
  }
}
