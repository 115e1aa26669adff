import Laboratory

/// A report on single sentences of the documents, each with all claims about the sentence and the scenarios that
/// contain these claims.
public struct SentenceReport: Sendable {
  private let index: SentenceIndex
  private let files: [String]

  /// Creates a report on the sentences of an index.
  ///
  /// - Parameters:
  ///   - index: the sentences with their results.
  ///   - files: the paths of the result documents with the verdicts; empty for the last runs on this machine.
  public init(_ index: SentenceIndex, of files: [String] = []) {
    self.index = index
    self.files = files
  }

  /// Returns the report as text for a terminal: each sentence with its document, its strength and its standing, each
  /// claim about the sentence with its verdict, its scenario and its check, and the commands that run the scenarios and
  /// show their code.
  public func text(_ style: TextStyle) -> String {
    index.chapters.flatMap { chapter in
      chapter.entries.map { TextStyle.text(page($0, of: chapter, style)) }
    }.joined(separator: "\n\n")
  }

  /// How a sentence without a decisive word expresses its strength, by its form.
  private static let forms = [
    "statement": "by its meaning, not by a word", "imperative": "as an imperative", "code": "as code",
  ]

  private func page(_ entry: SentenceIndex.Entry, of chapter: SentenceIndex.Chapter, _ style: TextStyle) -> [[String]] {
    let reason = Self.forms[entry.word] ?? "by the word \(entry.word)"
    let said =
      entry.strength.map { ["said: \($0.rawValue), \(reason)", "\($0.rawValue): \($0.means)"] } ?? ["said \(reason)"]
    let head =
      Heading.lines(entry.id, entry.says, nil, style)
      + style.wrapped(chapter.title, .quiet) + style.wrapped("in: \(entry.place)", .quiet)
      + DocumentsReport.origin(chapter, style)
      + said.flatMap { style.wrapped($0, .quiet) }
      + style.wrapped(DocumentsReport.standing(entry, style), entry.standing.color)
    let claims = entry.claims.flatMap { asked in
      DescriptionList(column: 14, style: style).lines(
        asked.judgedClaim?.opinion.words ?? "not judged",
        [
          (asked.claim.says, nil),
          (asked.judgedClaim.map { "\($0.claim.verdict.rawValue): \($0.evidence)" } ?? "", nil),
          (
            "\(asked.scenario): \(asked.claim.check)"
              + (asked.isAgainst(entry.id) ? "; contradicts the sentence if true" : ""), .quiet
          ),
        ])
    }
    let conditions = entry.conditions.flatMap {
      DescriptionList(column: 5, style: style).lines("-", [($0, nil)])
    }
    let answers = entry.answers.flatMap { answer in
      DescriptionList(column: 2 + (entry.answers.map(\.id.count).max() ?? 0) + 2, style: style).lines(
        answer.id, [(answer.says, nil), ("\(Tool.command) explain \(answer.id)", .quiet)])
    }
    let column = 2 + Tool.command.count + 10 + (entry.scenarios.map(\.count).max() ?? 0) + 2
    let commands = entry.scenarios.flatMap { name in
      DescriptionList(column: column, style: style).lines(
        "\(Tool.command) scenario \(name)", [("try it; its code: \(Tool.command) explain \(name) --code", .quiet)])
    }
    let isJudged = entry.claims.contains { $0.judgedClaim != nil }
    let source =
      isJudged ? style.wrapped("The verdicts are those of \(DocumentsReport.source(files)).", .quiet) : []
    return [
      head, style.section("tried with", conditions),
      style.section("on the same subject \(chapter.era == .dispatch ? "now" : "then")", answers),
      style.section("claims", claims + source), style.section("commands", commands),
    ]
  }
}

extension SentenceIndex.SentenceClaim {
  /// Returns whether the claim, if true, contradicts a sentence.
  fileprivate func isAgainst(_ id: String) -> Bool { claim.contradicts.contains(id) }
}

extension ClaimOpinion {
  /// The words for the opinion of the claim.
  var words: String {
    switch self {
    case .speaksFor: "for it"
    case .speaksAgainst: "against it"
    case .open: "open"
    case .unavailable: "unavailable"
    }
  }
}
