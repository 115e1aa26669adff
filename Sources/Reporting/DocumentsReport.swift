import Laboratory
import Platform

/// The documents' sentences with their standings: for a terminal, as Markdown and as JSON.
public struct DocumentsReport: Sendable {
  private let index: SentenceIndex

  /// A report of an index.
  public init(_ index: SentenceIndex) { self.index = index }

  /// For a terminal: a heading a document, and below it each sentence with how strongly it is said, its standing, and the claims
  /// that decide it; with `details` all claims on it.
  public func text(_ style: TextStyle, details: Bool = false) -> String {
    var lines: [String] = []
    for chapter in index.chapters {
      lines += Heading.lines(chapter.name, chapter.title, .heading, style)
      if let address = chapter.address { lines.append(Ink.quiet(address, style)) }
      lines += chapter.summary.wrapped(to: max(20, style.width)).map { Ink.quiet($0, style) }
      let column = 2 + (chapter.entries.map(\.id.count).max() ?? 0) + 2
      for entry in chapter.entries {
        let said = entry.said.map { " (\($0.rawValue))" } ?? ""
        lines += Entry(column: column, style: style).lines(
          entry.id,
          [(entry.says.inLine + said, nil), (Self.standing(entry, style), entry.standing.ink)]
            + Self.shown(entry, details: details).map { (Self.line($0, style), .quiet) })
      }
      lines.append("")
    }
    lines += end.flatMap { $0.wrapped(to: max(20, style.width)) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// `✗ refuted by 1 of 5 claims: queue-order`, and what is to be said of it.
  private static func standing(_ entry: SentenceIndex.Entry, _ style: TextStyle) -> String {
    let scenarios = entry.scenarios.joined(separator: ", ")
    let head = "\(entry.standing.mark(style)) \(entry.standing.rawValue)"
    guard entry.standing != .untried else { return [head, entry.remark].compactMap(\.self).joined(separator: ": ") }
    let tally = Self.tally(entry)
    return head + (tally.isEmpty ? "" : ", \(tally)") + ": \(scenarios)" + (entry.remark.map { "; \($0)" } ?? "")
  }

  /// `4 claims for it, 1 against`.
  private static func tally(_ entry: SentenceIndex.Entry) -> String {
    let sides: [(Opinion, String)] = [
      (.speaksFor, "for it"), (.speaksAgainst, "against it"), (.open, "open"), (.unavailable, "unavailable"),
    ]
    return sides.compactMap { opinion, words in
      let count = entry.testimonies.count { $0.opinion == opinion }
      return count > 0 ? "\(count) \(words)" : nil
    }.joined(separator: ", ")
  }

  /// The claims that decide the standing: what speaks against a sentence, or is open; all of them in the details.
  private static func shown(_ entry: SentenceIndex.Entry, details: Bool) -> [SentenceIndex.Testimony] {
    details ? entry.testimonies : entry.testimonies.filter { $0.opinion == .speaksAgainst || $0.opinion == .open }
  }

  private static func line(_ testimony: SentenceIndex.Testimony, _ style: TextStyle) -> String {
    "\(testimony.opinion.rawValue): \(words(testimony))"
  }

  /// What a claim says, its verdict, and the trial that shows it or its figures.
  private static func words(_ testimony: SentenceIndex.Testimony) -> String {
    "\(testimony.claim.says) \(testimony.claim.verdict.rawValue), "
      + (testimony.shown ?? testimony.claim.evidenceText)
  }

  private var end: [String] {
    let outdated =
      index.outdated.isEmpty
      ? [] : ["Not counted, since another version of the lab gave them: \(index.outdated.joined(separator: ", "))."]
    return outdated + standings
  }

  private var standings: [String] {
    index.results.isEmpty
      ? ["No verdicts yet: run scenarios (`\(Tool.command) scenario --all`), or give result documents by --results."]
      : [
        index.summary + ".",
        "Verdicts of this machine's last runs, or of the results given: \(index.results.count) scenario\(index.results.count == 1 ? "" : "s").",
      ]
  }

  /// As GitHub Markdown, a table a document.
  public var markdown: String {
    index.chapters.map { chapter in
      "## \(MarkdownReport.escape(chapter.title))\n\n"
        + (chapter.address.map { "<\($0)>\n\n" } ?? "") + "\(chapter.summary)\n\n"
        + MarkdownReport.grid(
          ["sentence", "says", "said", "standing", "tried by"].map { Table.Heading($0, .left) },
          chapter.entries.map { entry in
            [
              entry.id, entry.says, entry.said?.rawValue ?? "",
              [entry.standing.rawValue, Self.tally(entry), entry.remark ?? ""].filter { !$0.isEmpty }
                .joined(separator: "; "),
              entry.scenarios.joined(separator: ", "),
            ].map(MarkdownReport.escape)
          }) + "\n"
    }.joined(separator: "\n")
  }

  /// As JSON, schema `gcdlab.documents/2`.
  ///
  /// - Throws: `EncodingError`, which no index can cause.
  public func json() throws -> String {
    struct Claim: Encodable {
      let opinion: Opinion
      let scenario, says, check: String
      let verdict: Verdict
      let evidence: String
      let trial: String?
    }
    struct Sentence: Encodable {
      let id, says: String
      let said: Documents.Strength?
      let standing: Standing
      let remark: String?
      let scenarios: [String]
      let claims: [Claim]
    }
    struct Document: Encodable {
      let document, title: String
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
          document: chapter.name, title: chapter.title, address: chapter.address,
          sentences: chapter.entries.map { entry in
            Sentence(
              id: entry.id, says: entry.says, said: entry.said, standing: entry.standing, remark: entry.remark,
              scenarios: entry.scenarios,
              claims: entry.testimonies.map {
                Claim(
                  opinion: $0.opinion, scenario: $0.scenario, says: $0.claim.says, check: $0.claim.check,
                  verdict: $0.claim.verdict, evidence: $0.claim.evidenceText, trial: $0.shown)
              })
          })
      })
    return try JSONReport.pretty(all)
  }
}

extension Standing {
  /// Its colour at a terminal.
  var ink: Ink {
    switch self {
    case .borneOut: .good
    case .refuted: .bad
    case .partly, .undecided: .care
    case .standIn, .byConstruction, .unavailable, .notRun, .untried: .quiet
    }
  }

  /// The mark before it.
  func mark(_ style: TextStyle) -> String {
    switch self {
    case .borneOut: style.sign("✓", "+")
    case .refuted: style.sign("✗", "x")
    case .partly: style.sign("±", "~")
    case .undecided: "?"
    case .standIn, .byConstruction, .unavailable, .notRun, .untried: "-"
    }
  }
}
