import Laboratory

extension DocumentsReport {
  /// Returns the report as JSON, schema `gcdlab.documents/2`.
  ///
  /// - Throws: `EncodingError` if a value cannot be represented in JSON. The values of a report can be represented.
  public func json() throws -> String {
    struct Claim: Encodable {
      let opinion: ClaimOpinion
      let scenario, says, check: String
      let verdict: Verdict
      let evidence: String
      let trial: String?
    }
    struct Sentence: Encodable {
      let id, says, place: String
      let said: SourceDocuments.Strength?
      let word: String
      let conditions: [String]
      let standing: SentenceStanding
      let remark: String?
      /// The names of all scenarios with a claim about the sentence, and the names of those whose verdicts decided the
      /// standing.
      let scenarios, judgedBy: [String]
      /// The identifiers of the sentences in documents of the other era that concern the question of this sentence.
      let answers: [String]
      let claims: [Claim]
    }
    struct Document: Encodable {
      let document, title: String
      let era: SourceDocuments.Era?
      let address: String?
      let sentences: [Sentence]
    }
    struct All: Encodable {
      let schema = "gcdlab.documents/2"
      let documents: [Document]
    }
    let all = All(
      documents: index.chapters.map { chapter in
        Document(
          document: chapter.name, title: chapter.title, era: chapter.era, address: chapter.address,
          sentences: chapter.entries.map { entry in
            Sentence(
              id: entry.id, says: entry.says, place: entry.place, said: entry.strength, word: entry.word,
              conditions: entry.conditions, standing: entry.standing, remark: entry.remark,
              scenarios: entry.scenarios, judgedBy: entry.judgedBy, answers: entry.answers.map(\.id),
              claims: entry.judgedClaims.map {
                Claim(
                  opinion: $0.opinion, scenario: $0.scenario, says: $0.claim.says, check: $0.claim.check,
                  verdict: $0.claim.verdict, evidence: $0.claim.evidenceText, trial: $0.shown)
              })
          })
      })
    return try JSONReport.pretty(all)
  }
}
