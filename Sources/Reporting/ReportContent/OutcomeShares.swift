import Laboratory
import Measurement

/// The outcomes of races and hazards. Each outcome has a count, a share and an expectation, as in jcstress. A trial
/// that the machine did not allow is not an outcome, and reports show such a trial as a warning.
struct OutcomeShares {
  private let index: RunIndex
  private let shown: [MetricFacts]
  private let claims: [ClaimFacts]

  init(_ index: RunIndex, shown: [MetricFacts]) {
    self.index = index
    self.shown = shown
    claims = index.document.claims
  }

  /// The expectation of an outcome, according to the claims and the role of the variant.
  enum Expectation: String, Sendable, CaseIterable {
    case allowed, forbidden
    /// The outcome is wrong, and the variant exists to show this outcome.
    case anomaly
    case trapExpected = "trap expected"
    case hangExpected = "hang expected"
  }

  struct Entry: Sendable {
    let run: Int
    let outcome: String
    let count: Int
    /// The number of trials or samples among which the outcome was counted.
    let total: Int
    var expectation: Expectation?

    /// The share of the outcome in ``total``, from 0 to 1.
    var share: Double { Double(count) / Double(max(total, 1)) }
    var shareText: String { "\(Quantity.fixed(100 * share, decimals: share > 0 && share < 0.001 ? 3 : 1)) %" }
  }

  /// The table with a row for each outcome; nil if all trials completed and no shown metric has several outcomes.
  var table: Table? {
    let runs = index.document.runs.indices
    let hasIncompleteTrials = runs.contains(where: hasIncompleteTrial)
    let entries = runs.flatMap { run in
      // A run whose trials completed without a figure would otherwise have no row in any table.
      (hasIncompleteTrial(run) || hasIncompleteTrials && !hasHeadline(run) ? ends(of: run) : [])
        + shown.filter { hasValues(run, $0) }.flatMap { values(of: run, $0) }
    }
    guard !entries.isEmpty else { return nil }
    let rows = entries.grouped { Alike(variant: index.document.runs[$0.run].variant, outcome: $0.outcome) }
      .flatMap { alike, entries -> [Table.Row] in
        // If every trial at every setting ended in the same way, one row says so.
        let isOneRow =
          entries.count > 1 && entries.allSatisfy { $0.count == $0.total }
          && Set(entries.map(\.expectation)).count == 1
          && entries.count == index.document.runs.count { $0.variant == alike.variant }
        return isOneRow
          ? [row(entries[0], label: alike.variant, count: entries.reduce(0) { $0 + $1.count })]
          : entries.map { row($0, label: index.labels[$0.run], count: $0.count) }
      }
    let notes = (hasIncompleteTrials ? [Self.endings] : []) + races.map(says)
    return Table(
      title: "outcomes", note: notes.joined(separator: "; "), keys: 2,
      isGrid: false,
      headings: [
        .init("variant", .left), .init("outcome", .left), .init("count", omission: 1), .init("share", omission: 2),
        .init("expectation", .left, short: "expected"),
      ], rows: rows)
  }

  /// The properties that rows must share to become one row.
  private struct Alike: Hashable {
    let variant: String
    let outcome: String
  }

  private static let endings = "trials by outcome"

  private func says(_ metric: MetricFacts) -> String { "\(metric.name): \(metric.says)" }

  private func row(_ entry: Entry, label: String, count: Int) -> Table.Row {
    Table.Row(
      needsCare: entry.expectation == .forbidden,
      cells: [
        Cell(label, .key), Cell(entry.outcome, .key), Cell(count.withCommas),
        Cell(entry.shareText),
        Cell(entry.expectation?.rawValue ?? "", entry.expectation == nil ? .key : []),
      ])
  }

  // MARK: As a picture

  /// Returns a chart of the outcomes; nil if the scenario is neither a race nor a hazard, or if no outcome is known.
  ///
  /// A race is a scenario that claims an anomaly and counts the outcomes of many tries. A hazard is a scenario in which
  /// at least one run has incomplete trials, and in which these runs are at least as many as the runs with a figure of
  /// the headline. If the headline of a hazard was measured, neither direction of the headline is better.
  func bars(headline: MetricFacts?) -> OutcomeBars? {
    let runs = index.document.runs.indices.filter { index.document.runs[$0].rounds > 0 }
    if let race = races.first(where: { $0.better == .neither }), claims.contains(where: { $0.kind == .anomaly }) {
      let rows = runs.map { run in
        let samples = index.document.runs[run].metrics[race.name]
        let isOfFew = samples.map { $0.isRange && $0.histogram.count <= Self.fewValues.upperBound } ?? false
        var entries = isOfFew ? values(of: run, race) : []
        // If a variant that is not broken has a single outcome, this outcome is allowed.
        if entries.count == 1, entries[0].expectation == nil, !index.isBroken(run) { entries[0].expectation = .allowed }
        return (run: run, entries: anomaly(of: run, beside: entries).map { [$0] } ?? entries)
      }
      return OutcomeBars(index, title: race.name, note: race.says, rows)
    }
    let ended = runs.count(where: hasIncompleteTrial)
    let measured = runs.count { run in headline.map { index.document.runs[run].metrics[$0.name] != nil } ?? false }
    guard ended > 0, ended >= measured, measured == 0 || headline?.better == .neither else { return nil }
    return OutcomeBars(index, title: "outcomes", note: Self.endings, runs.map { (run: $0, entries: ends(of: $0)) })
  }

  /// Returns the anomaly of a witnessed claim about a run's variant, with the number of trials that show the
  /// anomaly; nil if no claim about the variant was witnessed, or if `entries` already contains an anomaly.
  private func anomaly(of run: Int, beside entries: [Entry]) -> Entry? {
    guard !entries.contains(where: { $0.expectation == .anomaly }) else { return nil }
    let variant = index.document.runs[run].variant
    for claim in claims where claim.verdict == .witnessed {
      guard let figure = claim.writtenCheck?.figures.first, figure.scope == .variant(variant) else { continue }
      return Entry(
        run: run, outcome: "trials with \(figure.metric)", count: claim.evidence.met, total: claim.evidence.trials,
        expectation: .anomaly)
    }
    return nil
  }

  /// The shown metrics with several outcomes in at least one run.
  private var races: [MetricFacts] {
    shown.filter { metric in index.document.runs.indices.contains { hasValues($0, metric) } }
  }

  // MARK: Ends of trials

  /// Returns the ways in which a run's trials ended, without trials that the machine did not allow.
  private func kinds(_ run: Int) -> [Outcome.Kind] {
    index.document.runs[run].outcomes.kinds.filter { $0 != .unavailable }
  }

  /// Returns whether a run has an incomplete trial that the machine allowed.
  private func hasIncompleteTrial(_ run: Int) -> Bool {
    index.document.runs[run].outcomes.incompleteKinds.contains { $0 != .unavailable }
  }

  /// Returns whether a run has a figure of the headline metric. The result is true if no metric is shown.
  private func hasHeadline(_ run: Int) -> Bool {
    shown.first.map { index.document.runs[run].metrics[$0.name] != nil } ?? true
  }

  /// Returns the number of trials for each outcome of a run, with the most frequent outcome first.
  private func ends(of run: Int) -> [Entry] {
    let facts = index.document.runs[run]
    let total = facts.outcomes.count { $0 != .unavailable }
    let entries = kinds(run).flatMap { end -> [Entry] in
      let expectation = expectation(of: end, run)
      func entry(_ name: String, _ count: Int) -> Entry {
        Entry(run: run, outcome: name, count: count, total: total, expectation: expectation)
      }
      // A trial that a signal ended is listed by the name of the signal.
      guard end == .trapped, let signals = facts.signals else { return [entry(end.rawValue, facts.outcomes[end])] }
      return signals.map { entry(SignalName.name($0.key, on: index.document.machine.os), $0.value) }
    }
    return entries.sorted { ($1.count, $0.outcome) < ($0.count, $1.outcome) }
  }

  /// Returns the expectation of an outcome; nil for trials that the lab stopped. Completion is allowed. Any other
  /// outcome is expected if a claim about this outcome of the run's variant was borne out, and forbidden otherwise.
  private func expectation(of end: Outcome.Kind, _ run: Int) -> Expectation? {
    switch end {
    case .completed: return .allowed
    // The lab stopped the trial, so the end that the trial would have had is unknown.
    case .stopped: return nil
    case .trapped, .hung, .broken, .unavailable: break
    }
    let variant = index.document.runs[run].variant
    let isForeseen = claims.contains { claim in
      claim.verdict.isBorneOut
        && claim.writtenCheck?.figures.contains { $0.scope == .variant(variant) && $0.metric == end.rawValue } == true
    }
    guard isForeseen else { return .forbidden }
    return end == .hung ? .hangExpected : .trapExpected
  }

  // MARK: Counts of trials

  /// The numbers of distinct values for which each value is listed as an outcome. A metric with more values is shown as
  /// a range.
  private static let fewValues = 2...3

  /// Returns whether a metric is a count with two or three distinct values among at least 100 samples of a run. These
  /// values are listed as outcomes.
  private func hasValues(_ run: Int, _ metric: MetricFacts) -> Bool {
    index.document.runs[run].metrics[metric.name].map { samples in
      samples.isRange && samples.kind == .count && samples.count >= 100
        && Self.fewValues.contains(samples.histogram.count)
    } ?? false
  }

  /// Returns the values of a metric in a run as outcomes.
  private func values(of run: Int, _ metric: MetricFacts) -> [Entry] {
    guard let samples = index.document.runs[run].metrics[metric.name] else { return [] }
    return samples.histogram.map { pair in
      let value = Quantity(pair.value.value, metric.unit).description
      return Entry(
        run: run, outcome: "\(metric.name) \(value)", count: pair.count, total: samples.count,
        expectation: expectation(of: pair.value.value, metric, run))
    }
  }

  /// Returns the expectation of a value, according to the first guarantee or anomaly that compares this metric of the
  /// variant, or of all variants, with a number.
  ///
  /// Without such a claim, the result is nil for a variant that is not broken, or if no sound variant has the metric.
  /// Otherwise, a value is allowed if a sound variant has the same value, and is an anomaly if not. A variant is sound
  /// if it is not broken, and if no guarantee about the variant was violated.
  private func expectation(of value: Double, _ metric: MetricFacts, _ run: Int) -> Expectation? {
    let variant = index.document.runs[run].variant
    for claim in claims where claim.kind != .performance {
      guard let check = claim.writtenCheck, case .figure(let figure) = check.left,
        case .quantity(let bound) = check.right,
        [.all, .variant(variant)].contains(figure.scope), figure.metric == metric.name, figure.statistic == nil
      else { continue }
      let isMet = check.relation.holds(value, bound.value)
      return claim.kind == .guarantee ? (isMet ? .allowed : .forbidden) : isMet ? .anomaly : .allowed
    }
    let violated = claims.filter { $0.verdict == .violated }.flatMap { $0.writtenCheck?.figures.map(\.scope) ?? [] }
    let sound = index.document.runs.indices
      .filter { !index.isBroken($0) && !violated.contains(.variant(index.document.runs[$0].variant)) }
      .compactMap { index.document.runs[$0].metrics[metric.name] }
    guard index.isBroken(run), !sound.isEmpty else { return nil }
    return sound.contains { $0.histogram.contains { $0.value.value == value } } ? .allowed : .anomaly
  }
}
