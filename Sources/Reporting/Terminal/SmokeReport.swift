import Laboratory
import Measurement

/// A report on a smoke run: a line for each scenario, the reasons why claims could not be judged, and a full report on
/// each scenario that failed.
public enum SmokeReport {
  /// Returns a line for each of several scenarios, and the totals, without details.
  ///
  /// - Parameter strict: whether a refuted performance claim is a failure.
  public static func table(_ contents: [ReportContent], strict: Bool, _ style: TextStyle) -> String {
    contents.map { head($0, strict: strict, hidesInconclusive: false, style) }.joined()
      + summary(contents, strict: strict, style)
  }

  /// Returns a line with the result of a scenario, and a list of the reasons why claims could not be judged. For a
  /// scenario that failed, the full report replaces the list.
  ///
  /// - Parameter strict: whether a refuted performance claim is a failure.
  public static func line(_ content: ReportContent, strict: Bool, _ style: TextStyle) -> String {
    // Three rounds cannot judge performance, so the line does not count inconclusive claims.
    var text = head(content, strict: strict, hidesInconclusive: true, style)
    let document = content.document
    let losses = content.lost
    if status(of: document, strict: strict) == .failed {
      return text + "\n" + TerminalReport(style, details: true).render(content) + "\n"
    }
    // Claims about one variant often have the same reason, which is shown once.
    let unavailable = document.claims.filter { $0.verdict == .unavailable }
    var sentences = unavailable.grouped(by: \.evidenceText).map { reason, claims in
      "\(claims.map(\.check).joined(separator: ", ")): \(reason)"
    }
    // If only some trials of a run were lost, the other trials decided the claims about the run, and no claim mentions
    // the lost trials.
    let labels = Set(losses.filter { !$0.areAll }.map(\.label))
    sentences += document.warnings.filter { $0.kind == RunNote.notMeasured && !labels.isDisjoint(with: $0.runs) }.map(
      \.says)
    for sentence in sentences {
      let lines = style.wrapped(sentence, .quiet, indent: 4).map { $0.dropFirst(4) }
      for (index, line) in lines.enumerated() { text += (index == 0 ? "  - " : "    ") + line + "\n" }
    }
    return text
  }

  /// Returns the line of a scenario: `✓ queue-order   3 held, 1 witnessed  30 trials, 1.20 s`.
  private static func head(_ content: ReportContent, strict: Bool, hidesInconclusive: Bool, _ style: TextStyle)
    -> String
  {
    let document = content.document
    let counts = ReportContent.verdicts(content.claims.filter { !hidesInconclusive || $0.verdict != .inconclusive })
      .map(
        \.text)
    let lost = content.lost.map(\.count).reduce(0, +)
    let mark =
      switch status(of: document, strict: strict) {
      case .failed: SemanticColor.bad(style.sign("✗", "x"), style)
      case .cut: SemanticColor.care("!", style)
      case .notJudged: SemanticColor.quiet("-", style)
      case .passed: SemanticColor.good(style.sign("✓", "+"), style)
      }
    let notJudged =
      counts.isEmpty && !content.claims.isEmpty
      ? ["all claims are about performance, which needs more rounds"] : []
    let cut = document.interrupted == true ? ["cut short"] : []
    let became =
      (content.standings.standIn == nil ? "" : "stand-in: ") + (cut + counts + notJudged).joined(separator: ", ")
    // A trial that was not run because of an obstacle that was known before the run is not counted.
    let trials = document.runs.reduce(0) {
      $0 + $1.rounds - (content.hasKnownObstacle($1) ? $1.outcomes.count(where: \.hasNoResult) : 0)
    }
    let tried = trials == 0 ? "no trial can run here" : "\(trials.counted("trial"))"
    let ran = "\(tried), \(ReportContent.time(document))"
    let lostToo = lost > 0 ? ", \(lost.counted("trial")) lost" : ""
    // On a narrow terminal, each element has a line of its own.
    let column = 22
    let fits = 2 + column + 1 + became.displayWidth + 2 + ran.displayWidth + lostToo.displayWidth <= style.width
    let gap = fits ? "" : "\n  "
    let name = document.scenario.name
    return
      "\(mark) " + SemanticColor.name(fits ? name.padded(to: column) : name.inLine, style) + (fits ? " " : gap) + became
      + (fits ? "  " : gap) + SemanticColor.quiet(ran, style) + (lost > 0 ? SemanticColor.care(lostToo, style) : "")
      + "\n"
  }

  private enum Status {
    case passed, failed
    /// The run was interrupted before its end.
    case cut
    /// Some claims could not be judged although no obstacle was known before the run, or no claim could be judged.
    case notJudged
  }

  private static func status(of document: ResultDocument, strict: Bool) -> Status {
    let verdicts = document.claims.map(\.verdict)
    if document.hasFailed(strict: strict) { return .failed }
    if document.interrupted == true { return .cut }
    if document.claims.contains(where: \.isUnjudged) { return .notJudged }
    return verdicts.isEmpty || verdicts.contains { $0 != .unavailable } ? .passed : .notJudged
  }

  /// Returns the refuted sentences and the closing line: `5 passed, 0 failed`, and the names of the scenarios that were
  /// tried with a stand-in, interrupted, not judged or not run.
  ///
  /// - Parameters:
  ///   - contents: the runs, each with the content of its report.
  ///   - notRun: the names of the scenarios that were not run.
  ///   - strict: whether a refuted performance claim is a failure.
  ///   - style: the style of the text.
  public static func summary(_ contents: [ReportContent], notRun: [String] = [], strict: Bool, _ style: TextStyle)
    -> String
  {
    let statuses = contents.map { status(of: $0.document, strict: strict) }
    func names(_ wanted: Status) -> [String] {
      zip(contents, statuses).filter { $0.1 == wanted }.map(\.0.document.scenario.name)
    }
    let standIns = contents.filter { $0.standings.standIn != nil }.map(\.document.scenario.name).filter(
      names(.passed).contains)
    let rest = [
      ("on a stand-in", standIns), ("cut short", names(.cut)), ("not judged", names(.notJudged)), ("not run", notRun),
    ]
    .filter { !$0.1.isEmpty }.map { ", \($0.0): \($0.1.joined(separator: ", ").inLine)" }
    let (passed, failed) = (names(.passed).count - standIns.count, names(.failed).count)
    return refuted(contents, style) + "\(passed) passed, \(failed) failed\(rest.joined())\n"
  }

  /// Returns a line for each refuted sentence, with the scenarios that tried the sentence; empty if no sentence is
  /// refuted.
  private static func refuted(_ contents: [ReportContent], _ style: TextStyle) -> String {
    let refuted = Standings(contents.map(\.document), by: contents.first?.testedDocuments ?? nil).refuted
    guard !refuted.isEmpty else { return "" }
    let column = 4 + (refuted.map(\.sentence.id.count).max() ?? 0)
    let lines = refuted.flatMap { entry in
      DescriptionList(column: column, style: style).lines(
        entry.sentence.id, [("\(entry.sentence.says.inLine) (\(entry.scenarios.joined(separator: ", ")))", nil)])
    }
    return ([SemanticColor.bad("Sentences of the documents that these runs refute", style)] + lines).map { $0 + "\n" }
      .joined()
  }
}
