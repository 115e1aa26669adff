import Laboratory
import Measurement

/// What came out where more than one thing could, as jcstress tells it: each outcome of a race or a hazard with its
/// count, its share, and whether it is allowed. What the machine does not allow is a warning, not an outcome.
struct Outcomes {
  private let index: RunIndex
  private let shown: [MetricFacts]
  private let claims: [ClaimFacts]

  init(_ index: RunIndex, shown: [MetricFacts]) {
    self.index = index
    self.shown = shown
    claims = index.document.claims
  }

  /// What an outcome is to the claims, and to what the variant is there to show.
  enum Expectation: String, Sendable, CaseIterable {
    case allowed, forbidden
    /// What goes wrong, and is there to be seen.
    case anomaly
    case trapExpected = "trap expected"
    case hangExpected = "hang expected"
  }

  /// An outcome of a run.
  struct Entry: Sendable {
    let run: Int
    let outcome: String
    let count: Int
    /// How many there were of all outcomes.
    let total: Int
    var expectation: Expectation?

    /// The share of all, from 0 to 1.
    var share: Double { Double(count) / Double(max(total, 1)) }
    var shareText: String { "\(Quantity.fixed(100 * share, decimals: share > 0 && share < 0.001 ? 3 : 1)) %" }
  }

  /// A row an outcome; nil where every run has a single one, and all trials completed.
  var table: Table? {
    let runs = index.document.runs.indices
    let entries = runs.flatMap { run in
      (hasEnded(run) ? ends(of: run) : []) + shown.filter { hasValues(run, $0) }.flatMap { values(of: run, $0) }
    }
    guard !entries.isEmpty else { return nil }
    let notes = (runs.contains(where: hasEnded) ? [Self.endings] : []) + races.map(says)
    return Table(
      title: "outcomes", note: notes.joined(separator: "; "), keys: 2,
      isGrid: false,
      headings: [
        .init("variant", .left), .init("outcome", .left), .init("count"), .init("share"), .init("expectation", .left),
      ], rows: entries.map(row))
  }

  private static let endings = "trials by how they ended"

  private func says(_ metric: MetricFacts) -> String { "\(metric.name): \(metric.says)" }

  private func row(_ entry: Entry) -> Table.Row {
    Table.Row(
      needsCare: entry.expectation == .forbidden,
      cells: [
        Cell(index.labels[entry.run], .key), Cell(entry.outcome, .key), Cell(entry.count.withCommas),
        Cell(entry.shareText),
        Cell(entry.expectation?.rawValue ?? "", entry.expectation == nil ? .key : []),
      ])
  }

  // MARK: As a picture

  /// The outcomes as bars, where they are what the scenario is about; nil where they are an aside.
  ///
  /// A race is what claims an anomaly and counts outcomes of many tries. A hazard is what has no figure to be better
  /// at, and whose runs end otherwise than by completing at least as often as they have one.
  func bars(headline: MetricFacts?) -> OutcomeBars? {
    let runs = index.document.runs.indices.filter { index.document.runs[$0].rounds > 0 }
    if let race = races.first(where: { $0.better == .neither }), claims.contains(where: { $0.kind == .anomaly }) {
      let rows = runs.map { run in
        let samples = index.document.runs[run].metrics[race.name]
        let isOfFew = samples.map { $0.isRange && $0.histogram.count <= Self.fewValues.upperBound } ?? false
        var entries = isOfFew ? values(of: run, race) : []
        // The one thing that a sound variant shows is what the others are held against.
        if entries.count == 1, entries[0].expectation == nil, !index.isBroken(run) { entries[0].expectation = .allowed }
        return (run: run, entries: anomaly(of: run, beside: entries).map { [$0] } ?? entries)
      }
      return OutcomeBars(index, title: race.name, note: race.says, rows)
    }
    let ended = runs.count(where: hasEnded)
    let measured = runs.count { run in headline.map { index.document.runs[run].metrics[$0.name] != nil } ?? false }
    guard ended > 0, ended >= measured, measured == 0 || headline?.better == .neither else { return nil }
    return OutcomeBars(index, title: "outcomes", note: Self.endings, runs.map { (run: $0, entries: ends(of: $0)) })
  }

  /// What a variant is there to show, where it was seen by another figure than that of the race, in so many of its
  /// trials; nil where the race shows it.
  private func anomaly(of run: Int, beside entries: [Entry]) -> Entry? {
    guard !entries.contains(where: { $0.expectation == .anomaly }) else { return nil }
    let variant = index.document.runs[run].variant
    for claim in claims where claim.verdict == .witnessed {
      guard let figure = claim.comparison?.figures.first, figure.scope == .variant(variant) else { continue }
      return Entry(
        run: run, outcome: "trials with \(figure.metric)", count: claim.evidence.met, total: claim.evidence.trials,
        expectation: .anomaly)
    }
    return nil
  }

  /// The metrics of which a run has several outcomes.
  private var races: [MetricFacts] {
    shown.filter { metric in index.document.runs.indices.contains { hasValues($0, metric) } }
  }

  // MARK: How trials ended

  /// The ends of a run's trials that the machine allowed.
  private func kinds(_ run: Int) -> [Outcome.Kind] {
    index.document.runs[run].outcomes.kinds.filter { $0 != .unavailable }
  }

  /// Whether a trial of a run ended otherwise than by completing.
  private func hasEnded(_ run: Int) -> Bool { kinds(run).contains { $0 != .completed } }

  /// How the trials of a run ended, the most frequent end first.
  private func ends(of run: Int) -> [Entry] {
    let facts = index.document.runs[run]
    let total = facts.outcomes.count { $0 != .unavailable }
    let entries = kinds(run).flatMap { end -> [Entry] in
      let expectation = expectation(of: end, run)
      func entry(_ name: String, _ count: Int) -> Entry {
        Entry(run: run, outcome: name, count: count, total: total, expectation: expectation)
      }
      // Those that a signal ended stand by its name.
      guard end == .trapped, let signals = facts.signals else { return [entry(end.rawValue, facts.outcomes[end])] }
      return signals.map { entry(SignalName.name($0.key, on: index.document.machine.os), $0.value) }
    }
    return entries.sorted { ($1.count, $0.outcome) < ($0.count, $1.outcome) }
  }

  /// A trial may complete; another end is expected where a claim or the variant itself foresaw it.
  private func expectation(of end: Outcome.Kind, _ run: Int) -> Expectation? {
    switch end {
    case .completed: return .allowed
    // Stopped by the lab, it is not known to what end it would have come.
    case .stopped: return nil
    case .trapped, .hung, .broken, .unavailable: break
    }
    let variant = index.document.runs[run].variant
    let isForeseen = claims.contains { claim in
      claim.verdict.isBorneOut
        && claim.comparison?.figures.contains { $0.scope == .variant(variant) && $0.metric == end.rawValue } == true
    }
    guard isForeseen else { return .forbidden }
    return end == .hung ? .hangExpected : .trapExpected
  }

  // MARK: What trials counted

  /// The numbers of values of a hundred samples and more that are outcomes; of others there is a range.
  private static let fewValues = 2...3

  /// Whether a metric has several values in a run, and few.
  private func hasValues(_ run: Int, _ metric: MetricFacts) -> Bool {
    index.document.runs[run].metrics[metric.name].map { samples in
      samples.isRange && samples.kind == .count && samples.count >= 100
        && Self.fewValues.contains(samples.histogram.count)
    } ?? false
  }

  /// The values of a metric in a run.
  private func values(of run: Int, _ metric: MetricFacts) -> [Entry] {
    guard let samples = index.document.runs[run].metrics[metric.name] else { return [] }
    return samples.histogram.map { pair in
      let value = Quantity(pair.value.value, metric.unit).description
      return Entry(
        run: run, outcome: "\(metric.name) \(value)", count: pair.count, total: samples.count,
        expectation: expectation(of: pair.value.value, metric, run))
    }
  }

  /// By the claims that compare this metric of the variant with a number; else, what the sound variants show is
  /// allowed, and what only those show whose failure is the lesson is an anomaly.
  private func expectation(of value: Double, _ metric: MetricFacts, _ run: Int) -> Expectation? {
    let variant = index.document.runs[run].variant
    for claim in claims where claim.kind != .performance {
      guard let check = claim.comparison, case .figure(let figure) = check.left,
        case .quantity(let bound) = check.right,
        figure.scope == .variant(variant), figure.metric == metric.name, figure.statistic == nil
      else { continue }
      let isMet = check.comparison.holds(value, bound.value)
      return claim.kind == .guarantee ? (isMet ? .allowed : .forbidden) : isMet ? .anomaly : .allowed
    }
    let sound = index.document.runs.indices.filter { !index.isBroken($0) }
      .compactMap { index.document.runs[$0].metrics[metric.name] }
    guard index.isBroken(run), !sound.isEmpty else { return nil }
    return sound.contains { $0.histogram.contains { $0.value.value == value } } ? .allowed : .anomaly
  }
}
