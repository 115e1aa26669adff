import Laboratory

extension Atlas {
  /// Returns the atlas as JSON, schema `gcdlab.atlas/1`.
  ///
  /// - Throws: `EncodingError` if a figure is not finite. The figures of an atlas are finite.
  public func json() throws -> String {
    let all = AtlasDocument(
      machines: columns.enumerated().map { number, column in
        AtlasDocument.Column(
          machine: number + 1, name: names[number], file: column.place, started: column.started,
          version: column.tool.version, facts: column.machine)
      },
      sentences: sentences.map { sentence in
        AtlasDocument.Sentence(
          id: sentence.id, says: sentence.says, said: sentence.strength, disagree: sentence.disagreement != .none,
          standings: sentence.standings.map(AtlasText.word),
          claims: sentence.claims.map { claim in
            AtlasDocument.Claim(
              scenario: claim.scenario, says: claim.says, check: claim.check,
              machines: claim.judgedClaims.enumerated().compactMap { number, judgedClaim in
                judgedClaim.map {
                  AtlasDocument.Opinions(
                    machine: number + 1, opinion: $0.opinion, verdict: $0.claim.verdict, evidence: $0.claim.evidenceText
                  )
                }
              }, apart: claim.apart.map { .init($0.times) })
          })
      },
      scenarios: scenarios.map { scenario in
        AtlasDocument.Scenario(
          name: scenario.name, figure: scenario.note,
          rows: scenario.rows.map { row in
            AtlasDocument.Row(
              run: row.label,
              machines: row.cells.enumerated().compactMap { number, cell in
                cell.map {
                  AtlasDocument.Cell(
                    machine: number + 1, text: $0.cell.text, figure: $0.figure,
                    ratio: $0.contrast.map { .init($0.ratio) }, low: $0.contrast?.interval.map { .init($0.low) },
                    high: $0.contrast?.interval.map { .init($0.high) })
                }
              }, apart: row.apart.map { .init($0) }, significant: row.isSignificant)
          }, cautions: scenario.cautions)
      }, cautions: cautions)
    return try JSONReport.pretty(all)
  }
}

/// The content of an atlas in JSON, schema `gcdlab.atlas/1`.
private struct AtlasDocument: Encodable {
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
    let said: SourceDocuments.Strength?
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
  let schema = "gcdlab.atlas/1"
  let machines: [Column]
  let sentences: [Sentence]
  let scenarios: [Scenario]
  let cautions: [String]
}
