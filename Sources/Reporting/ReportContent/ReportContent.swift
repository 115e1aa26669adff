import Laboratory
import Measurement

/// The content of a report on a document: statistics, the best run, tables, plots and remarks. All renderers show only
/// this content. The reports in all formats therefore agree.
public struct ReportContent: Sendable {
  /// The document that the report shows.
  public let document: ResultDocument

  /// A line about the changes since the previous run; nil if there is no previous run to compare with.
  public var sinceLast: String?

  /// Whether the report shows a run that the lab kept, which has a name and no file. A brief report then contains the
  /// start time of the run.
  public var isKept = false

  /// The documents whose sentences the claims test; nil in a lab without documents.
  let testedDocuments: SourceDocuments?
  /// The standings of the sentences according to this run.
  let standings: Standings

  let index: RunIndex
  /// The shown metrics, the headline first.
  let shown: [MetricFacts]
  /// The first of the shown metrics, which is used to compare the runs; nil if no metric is shown.
  var headline: MetricFacts? { shown.first }
  let comparison: RunComparison?
  let tables: [Table]
  /// The tables of a short report.
  let briefTables: [Table]
  /// The table of the resources that the trials used, without resources that other tables show; nil if the document
  /// contains no such resources.
  let costs: Table?
  /// The distributions of the latencies in the report.
  let distributions: [Distribution]
  /// The curves of the shown metrics, the headline first. A metric other than the headline has no curve if neither
  /// direction of the metric is better, if a cell shows the range of its samples, or if all its figures are 0.
  let sweeps: [SweepCurve]
  /// The picture at the beginning of a page; nil if there is nothing to draw.
  let picture: Picture?
  /// The speed-up of the headline metric with the number of cores; nil if cores are not swept, if other programs used
  /// the cores during the run, if the metric does not measure speed, or if there are no figures.
  let speedUp: SpeedUp?
  /// For each shown metric that has an empty timing loop, the median time of this loop as text: `0.31 ns
  /// (uncontended)`.
  let ownFloors: [String]

  /// Creates the content of a report.
  ///
  /// - Parameters:
  ///   - document: the document that the report shows.
  ///   - documents: the documents whose sentences the claims test; nil in a lab without documents.
  public init(_ document: ResultDocument, by documents: SourceDocuments? = nil) {
    testedDocuments = documents
    standings = Standings([document], by: documents)
    let index = RunIndex(document)
    let metrics = Dictionary(firstOf: document.scenario.metrics.map { ($0.name, $0) })
    let shown = document.scenario.show.compactMap { metrics[$0] }
    self.index = index
    self.shown = shown
    let comparison = shown.first.map { RunComparison(index, by: $0, shown: shown) }
    self.comparison = comparison
    let made = ReportTables(index: index, shown: shown, comparison: comparison)
    let outcomes = OutcomeShares(index, shown: shown)
    let hadCores = !document.warnings.contains { $0.kind == RunNote.coresTaken }
    let speedUp = hadCores ? shown.first.flatMap { SpeedUp(index, $0) } : nil
    self.speedUp = speedUp
    // The answer becomes part of the document, so that JSON contains the answer. A saved document keeps its own answer.
    self.document =
      document.scenario.isComparison
        && !document.findings.contains { [Conclusion.kind, Conclusion.explanation].contains($0.kind) }
      ? document.concluding(ComparisonAnswer.notes(index, by: shown, speedUp)) : document
    let others = [outcomes.table].compactMap(\.self)
    // In a scenario about the time until a trial ends, the outcomes matter more than the figures.
    let isAboutEnds = shown.first?.name == Metric.timeToEnd.name
    func ordered(_ figures: [Table]) -> [Table] { isAboutEnds ? others + figures : figures + others }
    tables = ordered(made.all + [speedUp?.table].compactMap(\.self))
    briefTables = ordered(made.brief + [speedUp?.briefTable].compactMap(\.self))
    costs = made.costs(
      document.scenario.metrics.filter { Self.costs.contains($0.name) && !shown.map(\.name).contains($0.name) })
    ownFloors = shown.compactMap { metric in
      // Each variant has an empty loop of its own.
      Summary(document.runs.compactMap { $0.metrics[metric.name]?.emptyLoop?.value }).map {
        let ends = [$0.min, $0.max].map { Quantity($0, metric.unit).description }.distinct
        return "\(ends.joined(separator: " to ")) (\(metric.name))"
      }
    }
    distributions = shown.filter { $0.kind == .latency }.compactMap { Distribution(index, $0) }
    sweeps = shown.filter { metric in
      let samples = document.runs.compactMap { $0.metrics[metric.name] }
      return metric.name == shown.first?.name || metric.better != .neither && !samples.contains(where: \.isRange)
    }.compactMap { metric in
      // A count of the flaw shows where it begins.
      let omits = metric.name != comparison?.flaw?.name
      return SweepCurve(index, metric, flaw: comparison?.flaw, without: omits ? comparison?.flawed ?? [] : [])
    }.filter { sweep in
      // A count that is 0 in every run needs no plot.
      sweep.metric.name == shown.first?.name
        || sweep.series.contains { $0.values.contains { $0.map { $0 != 0 } ?? false } }
    }
    picture = Picture(made, outcomes, sweeps)
  }

  /// The recorded trials, each with a note on the part of the record that the document lacks. The note is nil if the
  /// document contains the whole record.
  var traces: [(trace: Trace, note: String?)] {
    (document.traces ?? []).map { facts in
      var trace = facts.trace(of: document.scenario.name)
      let variant = document.scenario.variants.first { $0.name == trace.variant }
      trace.isForeseen = trace.end.isForeseen(by: variant?.ends)
      return (trace, facts.note)
    }
  }

  /// Whether the run is a comparison.
  var isComparison: Bool { document.scenario.isComparison }

  /// Returns the curve of a comparison for a terminal; nil if the headline has no curve.
  ///
  /// The curve contains the variants that depend on the parameter, and a reference: the baseline, or a yardstick if
  /// there is no baseline. If `isBrief` is true and there are many series, the variants that the answer names have
  /// precedence over the reference, and the reference has precedence over all other variants.
  func sweepPlot(isBrief: Bool) -> SweepCurve? {
    guard let sweep = sweeps.first, sweep.metric.name == headline?.name else { return nil }
    let variants = document.scenario.variants
    let best = comparison?.best.flatMap { index.variants[document.runs[$0].variant] }
    let reference =
      (document.scenario.baseline.map { name in variants.first { $0.name == name } }
      ?? variants.first { $0.isYardstick && index.variants[$0.name] != best }).flatMap { index.variants[$0.name] }
    let curve = sweep.dependent(besides: reference)
    guard isBrief else { return curve }
    let dependent = curve.series.filter { !$0.isFlat }.map(\.variant)
    let first = dependent.first { $0 == best } ?? dependent.first
    func ratio(_ run: Int) -> Double { comparison?.contrasts[run].map { abs(.log($0.ratio)) } ?? 0 }
    let runs = [comparison?.bests, comparison?.nearBest, comparison?.undecided].flatMap { runs in
      (runs ?? []).filter { !index.isBroken($0) }.sorted { (ratio($0), $0) < (ratio($1), $1) }
    }
    let named = runs.compactMap { index.variants[document.runs[$0].variant] }.filter(dependent.contains)
    let wanted = [[first].compactMap(\.self), named, [reference].compactMap(\.self)].joined()
    return curve.brief(of: wanted.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
  }

  /// Whether the document contains no figures except for the resources that trials use.
  var isEmpty: Bool { document.runs.allSatisfy { Self.costs.isSuperset(of: $0.metrics.keys) } }

  private static let costs = Set(Metric.costs.map(\.name))

  /// The largest number of rounds of any run.
  var rounds: Int { document.runs.map(\.rounds).max() ?? 0 }

  // MARK: The answer

  /// A note on the effect of the cores on the figures: the trials had only one core, or other programs used the cores.
  /// The note is nil if neither applies, or if the report compares no figures.
  var coresNote: String? {
    guard comparesFigures else { return nil }
    if document.machine.usedCores == 1 {
      return "On one core no two threads run at the same time"
        + (document.isAboutCores ? ": this run cannot say how much several cores gain." : ".")
    }
    return document.warnings.first { $0.kind == RunNote.coresTaken }.map { note in
      let holds = document.warnings.first { $0.kind == RunNote.oneCore }.map { "; so \($0.says)" } ?? ""
      return "\(document.fitting(note).says.capitalizedFirst)\(holds)."
    }
  }

  /// Whether the run is a comparison, or a claim compares figures.
  private var comparesFigures: Bool { isComparison || document.claims.contains { $0.kind == .performance } }

  /// The warnings of the document, without the warnings that ``coresNote`` contains and without the precision, which
  /// the facts about the run contain.
  var warnings: [RunNote] {
    let elsewhere = [RunNote.precision] + (comparesFigures ? [RunNote.coresTaken, RunNote.oneCore] : [])
    return document.warnings.filter { !elsewhere.contains($0.kind) }.map(document.fitting)
  }

  /// Returns the number of claims for each verdict, with the most severe verdict first: `2 refuted`, `1 not so`, `9
  /// held`.
  static func verdicts(_ claims: [ClaimFacts]) -> [(text: String, verdict: Verdict)] {
    mostSevereFirst.flatMap { verdict in
      [verdict.rawValue, ClaimFacts.notSo].compactMap { word in
        let count = claims.count { $0.verdict == verdict && $0.word == word }
        return count > 0 ? ("\(count) \(word)", verdict) : nil
      }
    }
  }

  static let mostSevereFirst: [Verdict] = [
    .violated, .notWitnessed, .refuted, .inconclusive, .unavailable, .held, .witnessed, .supported,
  ]

  /// The claims of a short report. `shown` contains the claims to list, the most severe first. `asSaid` contains the
  /// claims whose result is as claimed.
  var claimsBySeverity: (shown: [ClaimFacts], asSaid: [ClaimFacts]) {
    let severities = claims.map { ($0, $0.severity) }
    let shown = ClaimFacts.Severity.allCases.dropLast().flatMap { severity in
      severities.filter { $0.1 == severity }.map(\.0)
    }
    return (shown, severities.filter { $0.1 == .asSaid }.map(\.0))
  }

  /// The conclusion of the scenario; nil if the scenario has no conclusion, or if the claims on which the conclusion
  /// depends were not borne out. The conclusion of a comparison contains the best setting and the pattern's advice.
  var conclusion: String? {
    let sentences = conclusions.map {
      $0.hasPrefix(ComparisonAnswer.item) ? $0.dropFirst(ComparisonAnswer.item.count) : $0[...]
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// The sentences of the conclusion, the most important sentence first.
  var conclusions: [String] {
    Conclusion.kinds.flatMap { kind in document.findings.filter { $0.kind == kind }.map(\.says) }
  }

  /// The findings that are not part of the conclusion.
  var findings: [String] {
    // The answer of a comparison already contains the best setting and the certainty of this result.
    let inAnswer = Conclusion.kinds + (isComparison ? [RunNote.bestStride] : [])
    return document.findings.filter { !inAnswer.contains($0.kind) }.map(\.says)
  }

  // MARK: Below the tables

  /// All tables, including the table of resources.
  var detailedTables: [Table] { tables + [costs].compactMap(\.self) }

  /// Returns tables, each with notes that explain the signs of the table. A note below one table is not repeated below
  /// later tables.
  func explained(_ tables: [Table]) -> [(table: Table, notes: [String])] {
    var seen: Set<String> = []
    return tables.map { table in (table, footnotes([table]).filter { seen.insert($0).inserted }) }
  }

  /// The claims about the runs of the document. For a comparison, only the failed claims are included.
  var claims: [ClaimFacts] { document.judgedClaims }

  /// A line with the number of claims about variants or settings that the command line left out; nil for a comparison,
  /// or if there are no such claims.
  var leftOut: String? {
    let count = isComparison ? 0 : document.claims.count(where: \.isLeftOut)
    guard count > 0 else { return nil }
    let options = ["--variant", "--set", "--cores"].filter(document.hasOption)
    return
      "\(count) claim\(count == 1 ? " is" : "s are") not shown: \(count == 1 ? "it is" : "they are") about variants or settings that this run leaves out"
      + (options.isEmpty ? "" : "; without \(options.listed("or")), the run judges \(count == 1 ? "it" : "them")")
  }

  /// The runs with lost trials, each with its label, the number of lost trials, and whether all trials were lost. A
  /// lost trial was stopped, or was not allowed by the machine. Runs with an obstacle that was known before the trials
  /// are not included.
  var lost: [(label: String, count: Int, areAll: Bool)] {
    zip(document.runs, index.labels).compactMap { run, label in
      let lost = run.outcomes.count(where: \.hasNoResult)
      return lost > 0 && !hasKnownObstacle(run) ? (label, lost, lost == run.rounds) : nil
    }
  }

  /// Returns whether an obstacle to a run was known before its trials: the machine does not meet a requirement of the
  /// run or of its variant.
  func hasKnownObstacle(_ run: RunFacts) -> Bool {
    run.obstacle != nil || document.scenario.variants.contains { $0.name == run.variant && $0.obstacle != nil }
  }
}

extension ResultDocument {
  /// The claims, except claims about variants or settings that are not part of the run. For a comparison, only the
  /// claims that failed.
  fileprivate var judgedClaims: [ClaimFacts] {
    claims.filter { scenario.isComparison ? $0.verdict.isFailure(strict: false) : !$0.isLeftOut }
  }

  /// The metrics of claims that failed or speak against a document.
  var metricsOfFailingClaims: Set<String> {
    let failing = claims.filter { $0.severity == .failed || $0.severity == .againstDocument }
    return Set(failing.flatMap { $0.writtenCheck?.figures ?? [] }.map(\.metric))
  }

  /// Whether the run is about the gain of several cores: cores are swept, or a judged claim compares a metric of this
  /// gain.
  fileprivate var isAboutCores: Bool {
    scenario.sweep.contains(Cores.name)
      || judgedClaims.contains { claim in
        claim.kind == .performance && claim.writtenCheck?.figures.contains { Self.gains.contains($0.metric) } == true
      }
  }

  /// The names of the metrics for the gain of several cores.
  private static let gains = MetricFacts.speedUps.union(["efficiency"])

  /// Returns a warning with its consequence for the run. If other programs used the cores, a run about the gain of
  /// several cores cannot determine this gain, and any other run has wide intervals. Other warnings are returned
  /// unchanged.
  func fitting(_ warning: RunNote) -> RunNote {
    guard warning.kind == RunNote.coresTaken else { return warning }
    let consequence =
      isAboutCores
      ? "this run cannot say how much several cores gain"
      : "intervals are wide" + (scenario.isComparison ? ", so repeat the run on a quiet machine before you choose" : "")
    return RunNote(warning.kind, "\(warning.says); \(consequence)", runs: warning.runs)
  }
}
