import Laboratory
import Measurement

/// A report on the documents' sentences and their standings: as text for a terminal, as an HTML page, as Markdown and
/// as JSON.
public struct DocumentsReport: Sendable {
  let index: SentenceIndex
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

  /// Returns the report as text for a terminal: a heading for each document, and below it each sentence with its
  /// strength, its standing, and the claims that speak against the sentence or are open.
  ///
  /// Unless `details` is true, a sentence that was not run, or that was borne out and has no remark, is shown without
  /// its strength and its claims.
  ///
  /// - Parameters:
  ///   - style: the style of the text.
  ///   - details: whether each sentence is shown in full, with all claims about the sentence.
  public func text(_ style: TextStyle, details: Bool = false) -> String {
    var lines: [String] = []
    var hasFolded = false
    for (era, chapters) in index.parts {
      if let era {
        lines += Heading.lines(era.rawValue, era.means, .heading, style)
        lines += style.wrapped(SentenceIndex.summary(chapters.flatMap(\.entries))) + [""]
      }
      for chapter in chapters {
        lines += Heading.lines(chapter.name, chapter.title, .heading, style)
        lines += Self.origin(chapter, style)
        lines += style.wrapped(chapter.summary, .quiet)
        let column = 2 + (chapter.entries.map(\.id.count).max() ?? 0) + 2
        for entry in chapter.entries {
          let list = DescriptionList(column: column, style: style)
          if !details, chapter.entries.count > 1, Self.isFolded(entry) {
            hasFolded = true
            lines += list.lines(
              entry.id, [("\(entry.standing.mark(style)) \(entry.says.inLine)", entry.standing.color)])
            continue
          }
          lines += list.lines(
            entry.id,
            [
              ("\(entry.says.inLine) (\(entry.strengthText.inLine))", nil),
              (Self.standing(entry, style), entry.standing.color),
            ]
              + Self.placeAndConditions(entry).map { ($0, .quiet) }
              + Self.shown(entry, details: details).map { (Self.line($0, style), .quiet) })
        }
        lines.append("")
      }
    }
    if index.chapters.isEmpty { lines += style.wrapped("No sentence has this verdict.") }
    lines += key(style).flatMap { style.wrapped($0, .quiet) }
    lines += end.flatMap { style.wrapped($0) }
    if hasFolded {
      let more =
        "A sentence without further lines was borne out or not run: --details, or \(Tool.command) explain with its number, shows its claims."
      lines += style.wrapped(more, .quiet)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Returns whether the report shows only the text of a sentence: it was not run, or it was borne out in all
  /// configurations and has no remark.
  private static func isFolded(_ entry: SentenceIndex.Entry) -> Bool {
    entry.standing == .notRun || entry.standing == .borneOut && entry.absent.isEmpty && entry.remark == nil
  }

  /// Returns lines with the author of a document, and with the address at which the document can be read. The address
  /// is not wrapped, since terminals recognize only an address in one line.
  static func origin(_ chapter: SentenceIndex.Chapter, _ style: TextStyle) -> [String] {
    let line = chapter.origin.joined(separator: ", ")
    let lines = ["by \(chapter.origin[0])"] + chapter.origin.dropFirst()
    return (line.displayWidth <= style.width ? [line] : lines).map { SemanticColor.quiet($0.inLine, style) }
  }

  /// Returns the standing with its mark, as text: `✗ refuted, 4 for it, 1 against it: queue-order`.
  static func standing(_ entry: SentenceIndex.Entry, _ style: TextStyle) -> String {
    "\(entry.standing.mark(style)) " + standing(entry)
  }

  /// Returns the standing as text, with the numbers of claims, the scenarios whose verdicts decided the standing, the
  /// remark, and the scenarios that gave no verdict.
  private static func standing(_ entry: SentenceIndex.Entry) -> String {
    let word = entry.standing.rawValue
    let absences = entry.absent.map { "\($0.why.rawValue): \($0.scenarios.joined(separator: ", "))" }
    switch entry.standing {
    case .untried: return [word, entry.remark].compactMap(\.self).joined(separator: ": ")
    case .notRun:
      return absences.isEmpty ? word : absences.joined(separator: "; ")
    case .unavailable:
      return (absences.isEmpty ? word : absences.joined(separator: "; ")) + (entry.obstacle.map { " (\($0))" } ?? "")
    case .refuted, .partly, .undecided, .borneOut, .inOneConfiguration, .byInference, .standIn, .byConstruction:
      let head = "\(word), \(count(entry)): \(entry.judgedBy.joined(separator: ", "))"
      return ([head] + [entry.remark].compactMap(\.self) + absences).joined(separator: "; ")
    }
  }

  /// Returns the place of the sentence in its document, the configurations in which the sentence was tried, and the
  /// identifiers of the sentences in the other half of the documents that concern the question of the sentence.
  static func placeAndConditions(_ entry: SentenceIndex.Entry) -> [String] {
    let tried = entry.conditions.isEmpty ? [] : ["tried with: " + entry.conditions.joined(separator: "; ")]
    let answers =
      entry.answers.isEmpty ? [] : ["on the same subject: " + entry.answers.map(\.id).joined(separator: ", ")]
    return (["in: \(entry.place)"] + tried + answers).map(\.inLine)
  }

  /// Returns the numbers of claims for the sentence, against it, open and unavailable: `4 for it, 1 against it, 2
  /// open`. A number of 0 is omitted.
  private static func count(_ entry: SentenceIndex.Entry) -> String {
    let sides: [ClaimOpinion] = [.speaksFor, .speaksAgainst, .open, .unavailable]
    return sides.compactMap { opinion in
      let count = entry.judgedClaims.count { $0.opinion == opinion }
      return count > 0 ? "\(count) \(opinion.words)" : nil
    }.joined(separator: ", ")
  }

  /// Returns the claims that speak against the sentence or are open. If `details` is true, returns all judged claims.
  private static func shown(_ entry: SentenceIndex.Entry, details: Bool) -> [SentenceIndex.JudgedClaim] {
    details ? entry.judgedClaims : entry.judgedClaims.filter { $0.opinion == .speaksAgainst || $0.opinion == .open }
  }

  private static func line(_ judgedClaim: SentenceIndex.JudgedClaim, _ style: TextStyle) -> String {
    "\(judgedClaim.opinion.rawValue), \(judgedClaim.claim.verdict.rawValue): \(judgedClaim.claim.says) "
      + "(\(judgedClaim.evidence))"
  }

  /// Returns lines that explain the words in the report. Words that the report does not contain are not explained.
  private func key(_ style: TextStyle) -> [String] {
    let entries = index.chapters.flatMap(\.entries)
    let said = SourceDocuments.Strength.allCases.filter { strength in entries.contains { $0.strength == strength } }
      .map { "\($0.rawValue) (\($0.means))" }
    let standings = SentenceStanding.allCases.filter { standing in entries.contains { $0.standing == standing } }
      .compactMap { standing in standing.means.map { "\(standing.mark(style)) \(standing.rawValue) (\($0))" } }
    let claims =
      entries.contains { !$0.judgedClaims.isEmpty }
      ? "claims: how many are for it, against it, open (inconclusive, or a possible effect not seen), unavailable" : nil
    return [
      said.isEmpty ? nil : "said: " + said.joined(separator: ", "),
      standings.isEmpty ? nil : "verdict: " + standings.joined(separator: ", "), claims,
    ].compactMap { $0.map { $0 + "." } }
  }

  private var end: [String] {
    let outdated =
      index.outdated.isEmpty
      ? [] : ["Not counted, since another version of the lab gave them: \(index.outdated.joined(separator: ", "))."]
    return outdated + closing
  }

  private var closing: [String] {
    index.results.isEmpty
      ? ["No verdicts yet: run scenarios (`\(Tool.command) scenario --all`), or give result documents with --results."]
      : [
        index.chapters.isEmpty ? nil : index.summary + ".",
        "The verdicts are those of \(Self.source(files)): \(index.results.count.counted("scenario")).",
        index.omittedNotRun > 0
          ? "\(index.omittedNotRun.counted("sentence")) had no run that could judge \(index.omittedNotRun == 1 ? "it" : "them"): "
            + "`\(Tool.command) scenario --all` runs all scenarios." : nil,
      ].compactMap(\.self)
  }

  /// Returns the source of the verdicts as text: the result documents in `files`, or the last runs on this machine if
  /// `files` is empty.
  static func source(_ files: [String]) -> String {
    switch files.count {
    case 0: "the last runs on this machine"
    case 1...3: files.map(\.inLine).joined(separator: ", ")
    default: "\(files.count) files of results"
    }
  }

  /// The report as a self-contained HTML page: the counts, the refuted sentences, and each document.
  public var html: String {
    HTMLReport.page(
      "documents",
      """
      <h1>What the documents say, tried</h1>
      \(HTMLReport.refuted(index, []))\(HTMLReport.chapters(index, []))
      \(HTMLReport.paragraphs(closing.map { Line($0, .quiet) }))
      """)
  }

  /// The report as GitHub Markdown, with a table for each document. The tables contain no standings if there are no
  /// results.
  public var markdown: String {
    let isJudged = !index.results.isEmpty
    return index.parts.map { era, chapters in
      (era.map { "## \($0.title)\n\n" } ?? "")
        + chapters.map { chapter in
          "\(era == nil ? "##" : "###") \(MarkdownReport.escape(chapter.title))\n\n"
            + (chapter.address.map { "<\($0)>\n\n" }
              ?? "\(MarkdownReport.escape(chapter.origin.joined(separator: ", ")))\n\n")
            + (isJudged ? "\(chapter.summary)\n\n" : "")
            + MarkdownReport.grid(
              ["sentence", "says", "place", "said", "tried with"] + (isJudged ? ["standing"] : []) + ["tried by"],
              chapter.entries.map { entry in
                let standing = [entry.standing.rawValue, Self.count(entry), entry.remark ?? ""].filter { !$0.isEmpty }
                let absences = entry.absent.map { "\($0.why.rawValue): \($0.scenarios.joined(separator: ", "))" }
                let judges = ([entry.judgedBy.joined(separator: ", ")] + absences).filter { !$0.isEmpty }
                let tries = entry.scenarios.isEmpty ? entry.remark ?? "" : entry.scenarios.joined(separator: ", ")
                return
                  ([
                    entry.id, entry.says, entry.place, entry.strengthText, entry.conditions.joined(separator: "; "),
                  ] + (isJudged ? [standing.joined(separator: "; "), judges.joined(separator: "; ")] : [tries]))
                  .map(MarkdownReport.escape)
              }) + "\n"
        }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

}

extension SentenceIndex.JudgedClaim {
  /// The trial that shows the verdict, or the figures of all trials, as text.
  var evidence: String { shown ?? claim.evidenceText }
}
