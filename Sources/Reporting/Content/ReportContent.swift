import Laboratory
import Measurement

/// Everything that a report shows of a document: the results of its figures, the best run, the tables, the plots and
/// the remarks. All renderers show this content and nothing else, so that they agree.
public struct ReportContent: Sendable {
  /// The document.
  public let document: ResultDocument

  /// The changes since the run before, in one line; nil if there is no earlier run to compare with.
  public var sinceLast: String?

  /// The documents whose sentences the claims grade; nil in a lab without documents.
  let documents: Documents?
  /// The standings of the sentences according to this run.
  let grades: Grades

  let index: RunIndex
  /// The first shown metric, by which the runs are compared.
  let headline: MetricFacts?
  let comparison: RunComparison?
  let tables: [Table]
  /// The tables that a screen has room for.
  let briefTables: [Table]
  /// The table of the resources that the trials used, without those that other tables show; nil if the document has
  /// none.
  let costs: Table?
  /// The distributions of the shown latencies.
  let distributions: [Distribution]
  /// The shown figures along the sweep, the headline's first.
  let sweeps: [SweepCurve]
  /// The picture with which a page begins; nil if there is nothing to draw.
  let picture: Picture?
  /// The speed-up by the headline metric with more cores; nil if cores are not swept.
  let speedUp: SpeedUp?
  /// The times of the shown metrics' empty timing loops, if they were measured: `0.31 ns (uncontended)`.
  let ownFloors: [String]

  /// Creates the content of a document whose claims grade sentences of `documents`.
  public init(_ document: ResultDocument, by documents: Documents? = nil) {
    self.documents = documents
    grades = Grades([document], by: documents)
    let index = RunIndex(document)
    let metrics = Dictionary(document.scenario.metrics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let shown = document.scenario.show.compactMap { metrics[$0] }
    // The answer becomes part of the document, so that JSON has it, too. A saved document keeps the answer that it has.
    self.document =
      document.scenario.seeksBest == true && !document.findings.contains { $0.kind == Conclusion.kind }
      ? document.concluding(SearchAnswer.text(index, by: shown)) : document
    self.index = index
    headline = shown.first
    comparison = shown.first.map { RunComparison(index, by: $0, shown: shown) }
    let made = Tables(index: index, shown: shown, comparison: comparison)
    let outcomes = OutcomeShares(index, shown: shown)
    let hadCores = !document.warnings.contains { $0.kind == RunNote.coresTaken }
    let speedUp = hadCores ? shown.first.flatMap { SpeedUp(index, $0) } : nil
    self.speedUp = speedUp
    let others = [outcomes.table].compactMap(\.self)
    tables = made.all + [speedUp?.table].compactMap(\.self) + others
    briefTables = made.brief + [speedUp?.briefTable].compactMap(\.self) + others
    costs = made.costs(
      document.scenario.metrics.filter { Self.costs.contains($0.name) && !shown.map(\.name).contains($0.name) })
    ownFloors = shown.compactMap { metric in
      Summary(document.runs.compactMap { $0.metrics[metric.name]?.yardstick?.value }).map {
        "\(Quantity($0.p50, metric.unit)) (\(metric.name))"
      }
    }
    distributions = shown.filter { $0.kind == .latency }.compactMap { Distribution(index, $0) }
    sweeps = shown.filter { metric in
      let samples = document.runs.compactMap { $0.metrics[metric.name] }
      return metric.name == shown.first?.name || metric.better != .neither && !samples.contains(where: \.isRange)
    }.compactMap { SweepCurve(index, $0) }.filter { sweep in
      // A count that is 0 everywhere needs no plot.
      sweep.metric.name == shown.first?.name
        || sweep.series.contains { $0.values.contains { $0.map { $0 != 0 } ?? false } }
    }
    picture = Picture(made, outcomes, sweeps)
  }

  /// The recorded trials, each with a note on the part that the document lacks.
  var traces: [(trace: Trace, note: String?)] {
    (document.traces ?? []).map { facts in
      var trace = facts.trace(of: document.scenario.name)
      let variant = document.scenario.variants.first { $0.name == trace.variant }
      switch trace.end {
      case .hung: trace.isForeseen = variant?.ends == "hangs"
      case .trapped: trace.isForeseen = variant?.ends == "traps"
      case .completed, .other: break
      }
      return (trace, facts.note)
    }
  }

  /// Whether the run was a search for the best setting.
  var seeksBest: Bool { document.scenario.seeksBest == true }

  /// Returns the curve of a search as a terminal shows it: the variants that depend on the parameter, and as a
  /// reference the baseline or otherwise a yardstick. If `isBrief` is true and there are many variants, only the best
  /// one and the reference are kept.
  func sweepPlot(isBrief: Bool) -> SweepCurve? {
    guard let sweep = sweeps.first, sweep.metric.name == headline?.name else { return nil }
    let variants = document.scenario.variants
    let best = comparison?.best.flatMap { index.variants[document.runs[$0].variant] }
    let reference =
      (document.scenario.baseline.map { name in variants.first { $0.name == name } }
      ?? variants.first { $0.isYardstick && index.variants[$0.name] != best }).flatMap { index.variants[$0.name] }
    let curve = sweep.heeding(besides: reference)
    guard isBrief else { return curve }
    let heeding = curve.series.filter { !$0.isFlat }.map(\.variant)
    let first = heeding.first { $0 == best } ?? heeding.first
    return curve.brief(of: [first, reference].compactMap(\.self))
  }

  /// Whether nothing was measured, except for costs.
  var isEmpty: Bool { document.runs.allSatisfy { Self.costs.isSuperset(of: $0.metrics.keys) } }

  private static let costs = Set(Metric.costs.map(\.name))

  /// The largest number of rounds of a run.
  var rounds: Int { document.runs.map(\.rounds).max() ?? 0 }

  // MARK: The answer

  /// The reason why the run does not show the gain of several cores: there was one core, or other programs used the
  /// others. The reason is the first line of the answer. Nil if the trials had several cores, or if no figures are
  /// compared: guarantees and anomalies are the same on busy cores.
  var coresNote: String? {
    guard comparesFigures else { return nil }
    if document.machine.usedCores == 1 {
      return "On one core no two threads run at once: this run cannot say how much several cores gain."
    }
    return document.warnings.first { $0.kind == RunNote.coresTaken }.map { note in
      let says = document.fitting(note).says
      return "\(says.prefix(1).uppercased())\(says.dropFirst())."
    }
  }

  /// Whether a search ranks settings, or a claim compares figures.
  private var comparesFigures: Bool { seeksBest || document.claims.contains { $0.kind == .performance } }

  /// The warnings, without the one in ``coresNote``.
  var warnings: [RunNote] {
    document.warnings.filter { !comparesFigures || $0.kind != RunNote.coresTaken }.map(document.fitting)
  }

  /// Returns the numbers of each verdict, the gravest first: `2 refuted`, `1 not so`, `9 held`.
  static func verdicts(_ claims: [ClaimFacts]) -> [(text: String, verdict: Verdict)] {
    gravestFirst.flatMap { verdict in
      [verdict.rawValue, ClaimFacts.notSo].compactMap { word in
        let count = claims.count { $0.verdict == verdict && $0.word == word }
        return count > 0 ? ("\(count) \(word)", verdict) : nil
      }
    }
  }

  static let gravestFirst: [Verdict] = [
    .violated, .notWitnessed, .refuted, .inconclusive, .unavailable, .held, .witnessed, .supported,
  ]

  /// The claims of a short report: those that are shown, the most severe first, and those whose result is as claimed.
  var claimsBySeverity: (shown: [ClaimFacts], asSaid: [ClaimFacts]) {
    let severities = claims.map { ($0, $0.severity) }
    let shown = ClaimFacts.Severity.allCases.dropLast().flatMap { severity in
      severities.filter { $0.1 == severity }.map(\.0)
    }
    return (shown, severities.filter { $0.1 == .asSaid }.map(\.0))
  }

  /// The conclusion of the scenario, if the claims that it depends on were borne out. For a search, the best setting
  /// and the pattern's advice.
  var conclusion: String? {
    let parts = [Conclusion.kind, Conclusion.advice].compactMap { kind in document.findings.first { $0.kind == kind } }
    return parts.isEmpty ? nil : parts.map(\.says).joined(separator: " ")
  }

  /// The other remarks of the pattern.
  var findings: [String] {
    let kinds = Set(document.findings.map(\.kind))
    // The answer of a search names the best setting, and says how certain that is.
    let inAnswer = [Conclusion.kind, Conclusion.advice] + (seeksBest ? [Self.bestStride] : [])
    let findings = document.findings.filter { !inAnswer.contains($0.kind) }.map(\.says)
    guard seeksBest, kinds.contains(Self.bestStride), !kinds.contains(Self.costModel) else { return findings }
    let hadCores = document.machine.usedCores > 1 && !hasTakenCores
    return findings + [
      "no cost formula: "
        + (hadCores ? "it needs at least four strides" : "it is about several cores, which the trials did not have")
    ]
  }

  /// The kinds of the findings about the strides of a loop.
  private static let (bestStride, costModel) = ("best-stride", "cost-model")

  /// Whether other programs used the cores.
  private var hasTakenCores: Bool { document.warnings.contains { $0.kind == RunNote.coresTaken } }

  // MARK: Below the tables

  /// The tables with that of the costs, for reports that have room for everything.
  var detailedTables: [Table] { tables + [costs].compactMap(\.self) }

  /// Returns some tables, each with notes on its signs. A note below one table is not repeated below the next ones.
  func explained(_ tables: [Table]) -> [(table: Table, notes: [String])] {
    var seen: Set<String> = []
    return tables.map { table in (table, footnotes([table]).filter { seen.insert($0).inserted }) }
  }

  /// The claims about the runs of the document. In a search for the best setting, only the failed claims are shown: the
  /// others are about other settings.
  var claims: [ClaimFacts] {
    seeksBest
      ? document.claims.filter { $0.verdict.isFailure(strict: false) } : document.claims.filter { !$0.isLeftOut }
  }

  /// A line about the claims that are not shown because the command line left out what they are about; nil if there are
  /// none.
  var leftOut: String? {
    let count = seeksBest ? 0 : document.claims.count(where: \.isLeftOut)
    guard count > 0 else { return nil }
    return
      "\(count) claim\(count == 1 ? " is" : "s are") not shown: \(count == 1 ? "it is" : "they are") about what this run leaves out"
  }

  /// The runs with lost trials, with the number of lost trials and whether all trials were lost. Trials with a
  /// requirement that the machine is known not to meet do not count as lost.
  var lost: [(label: String, count: Int, areAll: Bool)] {
    zip(document.runs, index.labels).compactMap { run, label in
      let lost = run.outcomes.count(where: \.wasNotTried)
      return lost > 0 && !isDeclaredAway(run) ? (label, lost, lost == run.rounds) : nil
    }
  }

  /// Returns whether the machine was known not to meet a requirement of a run.
  func isDeclaredAway(_ run: RunFacts) -> Bool {
    run.obstacle != nil || document.scenario.variants.contains { $0.name == run.variant && $0.obstacle != nil }
  }
}

extension ResultDocument {
  /// Whether the question, or a claim, is about the gain of several cores: cores are swept, trials waited for a second
  /// core, or a figure of the claims is a speed-up.
  private var dependsOnCores: Bool {
    if scenario.sweep.contains(Cores.name) { return true }
    if warnings.contains(where: { $0.kind == "lacking" && $0.says.hasPrefix(Cores.second) }) { return true }
    return claims.contains { claim in
      claim.kind == .performance && claim.comparison?.figures.contains { Self.gains.contains($0.metric) } == true
    }
  }

  /// The metrics that express the gain of several cores.
  private static let gains: Set<String> = ["speedup", "speed-up", "efficiency"]

  /// Returns a warning in the words that suit the run. If nothing in the run is about the gain of several cores, taken
  /// cores only make its intervals wide.
  func fitting(_ warning: RunNote) -> RunNote {
    guard warning.kind == RunNote.coresTaken, !dependsOnCores else { return warning }
    let share = warning.says.firstMatch(of: #/took (\d+ %)/#).map { " (\($0.1))" } ?? ""
    return RunNote(warning.kind, "busy machine\(share): intervals are wide", runs: warning.runs)
  }
}
