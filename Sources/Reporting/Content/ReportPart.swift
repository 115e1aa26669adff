/// A part of a report. The content decides which parts a report has, in which order and with which words. A format has
/// one function for each kind of part. It shows nothing for a kind that it cannot render.
enum ReportPart: Sendable {
  /// The name of the subject with its question, and the answer.
  case head(String, String, [Line])
  /// The picture with which a page begins.
  case picture
  case lesson
  case claims
  /// Items below a title.
  case list(String, [String], SemanticColor?)
  /// The tables, each with the meaning of its signs.
  case tables
  /// The plots of the figures in the tables.
  case plots
  /// The pictures of recorded trials.
  case traces
  /// The code that ran.
  case code
  /// The facts about the run.
  case foot([Line])
}

/// A line of a report, in phrases. The colour of a phrase expresses how to read the phrase, and every format has a form
/// for each colour.
struct Line: Sendable {
  typealias Phrase = (text: String, color: SemanticColor?)

  let phrases: [Phrase]
  /// Whether the line is a shell command.
  let isCode: Bool

  /// Creates a line of one phrase.
  init(_ text: String, _ color: SemanticColor? = nil, isCode: Bool = false) {
    phrases = [(text, color)]
    self.isCode = isCode
  }

  /// Creates a line of a head and phrases with a separator between them; nil without phrases.
  init?(_ head: String, _ phrases: [Phrase], separator: String) {
    guard !phrases.isEmpty else { return nil }
    self.phrases = [(head, nil)] + phrases.map { [$0] }.joined(separator: [(separator, nil)])
    isCode = false
  }

  /// The line without colours.
  var text: String { phrases.map(\.text).joined() }
}

extension ReportContent {
  /// The parts of the report, in their order. A brief report has only those facts that change from run to run.
  func parts(isBrief: Bool = false) -> [ReportPart] {
    let caution = grades.caution.map { Line($0, .care) }
    // Every run has some outliers.
    let warnings = self.warnings.filter { !isBrief || $0.kind != "outliers" }.map(\.says)
    return [
      .head(
        document.scenario.name, document.scenario.title,
        [caution].compactMap(\.self) + answer + (isEmpty ? [Line("Nothing was measured.")] : [])),
      .picture, .lesson, .claims, .list("findings", findings, nil), .tables, .plots, .traces,
      .list("warnings", warnings, .care), .code, .foot(facts(isBrief: isBrief)),
    ]
  }

  /// The answer: a note if the trials did not have several cores, the standings of the documents' sentences, the counts
  /// `13 claims: 11 held, 2 supported`, and the conclusion of the scenario.
  var answer: [Line] {
    [coresNote.map { Line($0, .care) }, grades.line, counts, conclusion.map { Line($0, .heading) }].compactMap(\.self)
  }

  /// The number of claims and of each verdict, failures first; nil if there are no claims to be judged.
  var counts: Line? {
    if seeksBest || document.claims.isEmpty { return nil }
    // If all claims are left out, none is about this run.
    return Self.counts(claims) ?? Line("no claims on what was run")
  }

  /// Returns the number of `claims` and of each verdict among them, failures first; nil if there are no claims.
  static func counts(_ claims: [ClaimFacts]) -> Line? {
    Line(
      "\(claims.count.counted("claim")): ", verdicts(claims).map { ($0.text, $0.verdict.color) }, separator: ", ")
  }

  /// The facts about the run: the source of the scenario, the settings, the machine, and the command.
  private func facts(isBrief: Bool) -> [Line] {
    let texts = [
      isBrief ? "" : document.scenario.source, isBrief ? changedSettings : settings,
      (isBrief ? briefFacts : facts + origin).joined(separator: ", "),
    ]
    return texts.filter { !$0.isEmpty }.map { Line($0, .quiet) }
      + [command.map { Line($0, .quiet, isCode: true) }].compactMap(\.self)
  }
}
