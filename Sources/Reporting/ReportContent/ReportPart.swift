import Laboratory

/// A part of a report. ``ReportContent/parts(isBrief:)`` returns the parts in their order. A format omits the parts
/// that the format cannot render.
enum ReportPart: Sendable {
  /// The name and the title of the scenario, and the lines of the answer.
  case head(String, String, [Line])
  /// The picture at the beginning of a page.
  case picture
  case lesson
  case claims
  /// A title, the items below the title, and the colour of the items.
  case list(String, [String], SemanticColor?)
  /// The tables, each with explanations of its signs.
  case tables
  /// The plots of the figures in the tables.
  case plots
  /// The pictures of recorded trials.
  case traces
  /// The source code of the variants that ran.
  case code
  /// The lines with the facts about the run.
  case foot([Line])
}

/// A line of a report, which consists of phrases. The colour of a phrase expresses the meaning of the phrase. Every
/// format has a representation of each colour.
struct Line: Sendable {
  typealias Phrase = (text: String, color: SemanticColor?)

  let phrases: [Phrase]
  /// Whether the line is a shell command.
  let isCode: Bool
  /// Whether the line is an item of a list.
  let isItem: Bool

  /// Creates a line that consists of one phrase.
  init(_ text: String, _ color: SemanticColor? = nil, isCode: Bool = false, isItem: Bool = false) {
    phrases = [(text, color)]
    (self.isCode, self.isItem) = (isCode, isItem)
  }

  /// Creates a line from a head and phrases with a separator between the phrases; nil if there are no phrases.
  init?(_ head: String, _ phrases: [Phrase], separator: String) {
    guard !phrases.isEmpty else { return nil }
    self.phrases = [(head, nil)] + phrases.map { [$0] }.joined(separator: [(separator, nil)])
    (isCode, isItem) = (false, false)
  }

  /// The text of the line without colours.
  var text: String { phrases.map(\.text).joined() }

  /// The command of the lab at the end of a sentence, and the words before it, which end with a colon; nil if the text
  /// does not end with such a command. In a terminal, a command on lines of its own can be copied.
  var commandAtEnd: (words: String, command: String)? {
    guard text.hasSuffix("`."), !isItem, let command = Self.spans(String(text.dropLast())).last,
      command.isCode, command.text.hasPrefix("\(Tool.command) ")
    else { return nil }
    let words = text.dropLast(command.text.count + 3)
    return (words.hasSuffix(": ") ? String(words.dropLast()) : "\(words.dropLast()):", command.text)
  }

  /// Returns a text divided at its backticks. The parts between two backticks are code. A text with an odd number of
  /// backticks, or with nothing between two, is not divided.
  static func spans(_ text: String) -> [(text: String, isCode: Bool)] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
      (text: String(part), isCode: place % 2 == 1)
    }
    let isPaired = parts.count % 2 == 1 && !parts.contains { $0.isCode && $0.text.isEmpty }
    return isPaired ? parts.filter { !$0.text.isEmpty } : [(text, false)]
  }
}

extension ReportContent {
  /// Returns the parts of the report, in order. In a brief report, the foot contains fewer facts, and the warnings do
  /// not mention outliers. A brief report on a comparison begins with the facts and the warnings, so that nothing
  /// separates the tables from the answer at the end of the report.
  func parts(isBrief: Bool = false) -> [ReportPart] {
    let caution = standings.caution.map { Line($0, .care) }
    // Every run has some outliers, so a brief report does not warn about outliers.
    let warnings = self.warnings.filter { !isBrief || $0.kind != RunNote.outliers }.map(\.says)
    let findings = ReportPart.list("findings", self.findings, nil)
    // In a comparison, the findings explain the tables. In other runs, the findings belong to the claims.
    let figures: [ReportPart] = isComparison ? [.tables, findings, .plots] : [findings, .tables, .plots]
    let head = ReportPart.head(
      document.scenario.name, document.scenario.title,
      [caution].compactMap(\.self) + answer + (isEmpty ? [Line("Nothing was measured.")] : []))
    let (cautions, foot) = (ReportPart.list("warnings", warnings, .care), ReportPart.foot(facts(isBrief: isBrief)))
    return isComparison && isBrief
      ? [head, foot, cautions, .claims] + figures
      : [head, .picture, .lesson, .claims] + figures + [.traces, cautions, .code, foot]
  }

  /// The lines of the answer: a note if the trials did not have several cores to themselves, the standings of the
  /// documents' sentences, the counts `13 claims: 11 held, 2 supported`, and the conclusion of the scenario.
  var answer: [Line] {
    [coresLine, standings.line, counts].compactMap(\.self) + conclusionLines
  }

  /// ``coresNote`` as a line.
  var coresLine: Line? { coresNote.map { Line($0, .care) } }

  private var conclusionLines: [Line] {
    conclusions.enumerated().map { place, text in
      text.hasPrefix(ComparisonAnswer.item)
        ? Line(String(text.dropFirst(ComparisonAnswer.item.count)), isItem: true)
        : Line(text, place == 0 ? .heading : nil)
    }
  }

  /// The lines of a comparison's answer at the beginning of a report: the answers of the pattern, the decision, and
  /// a limit that the pattern knows.
  var decision: [Line] {
    Array(conclusionLines.prefix(document.findings.count { Conclusion.decisions.contains($0.kind) }))
  }

  /// The lines of the answer that a long report repeats at its end: the counts of the claims, and the first sentence of
  /// the conclusion.
  var summary: [Line] { [counts, conclusions.first.map { Line($0, .heading) }].compactMap(\.self) }

  /// The number of claims in total and for each verdict, the most severe verdict first; nil for a comparison, or if the
  /// document has no claims. If all claims are about variants or settings that the command line left out, the line
  /// states this.
  var counts: Line? {
    if isComparison || document.claims.isEmpty { return nil }
    // If all claims are left out, no claim is about this run.
    return Self.counts(claims) ?? Line("no claims on what was run")
  }

  /// Returns the number of `claims` in total and for each verdict, the most severe verdict first; nil if there are no
  /// claims.
  static func counts(_ claims: [ClaimFacts]) -> Line? {
    Line(
      "\(claims.count.counted("claim")): ", verdicts(claims).map { ($0.text, $0.verdict.color) }, separator: ", ")
  }

  /// Returns the facts about the run: the source of the scenario, the settings, the machine, and the command. A brief
  /// report omits the source, the settings that the command line did not change, the versions, and the facts about the
  /// machine other than its processor and cores.
  private func facts(isBrief: Bool) -> [Line] {
    let texts = [
      isBrief ? "" : document.scenario.source, isBrief ? changedSettingsLine : settings,
      (isBrief ? briefFacts : facts + origin).joined(separator: ", "),
    ]
    return texts.filter { !$0.isEmpty }.map { Line($0, .quiet) }
      + [command.map { Line($0, .quiet, isCode: true) }].compactMap(\.self)
  }
}
