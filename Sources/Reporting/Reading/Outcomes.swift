import Laboratory
import Measurement

/// What came out where more than one thing could, as jcstress tells it: each outcome of a race or a hazard with its count, its
/// share, and whether it is allowed. What the machine does not allow is a warning, not an outcome.
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
    case ofInterest = "of interest"
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
  /// A race is what claims an anomaly and counts outcomes of many tries. A hazard is what has no figure to be better at, and whose
  /// runs end otherwise than by completing at least as often as they have one.
  func bars(headline: MetricFacts?) -> OutcomeBars? {
    let runs = index.document.runs.indices.filter { index.document.runs[$0].rounds > 0 }
    if let race = races.first(where: { $0.better == .neither }), claims.contains(where: { $0.kind == .anomaly }) {
      let rows = runs.map { run in
        let samples = index.document.runs[run].metrics[race.name]
        let isOfFew = samples.map { $0.isRange && $0.histogram.count <= Self.fewValues.upperBound } ?? false
        var entries = isOfFew ? values(of: run, race) : []
        // The one thing that a sound variant shows is what the others are held against.
        if entries.count == 1, entries[0].expectation == nil, !index.isBroken(run) { entries[0].expectation = .allowed }
        return (run: run, entries: entries)
      }
      return OutcomeBars(index, title: race.name, note: race.says, rows)
    }
    let ended = runs.count(where: hasEnded)
    let measured = runs.count { run in headline.map { index.document.runs[run].metrics[$0.name] != nil } ?? false }
    guard ended > 0, ended >= measured, measured == 0 || headline?.better == .neither else { return nil }
    return OutcomeBars(index, title: "outcomes", note: Self.endings, runs.map { (run: $0, entries: ends(of: $0)) })
  }

  /// The metrics of which a run has several outcomes.
  private var races: [MetricFacts] {
    shown.filter { metric in index.document.runs.indices.contains { hasValues($0, metric) } }
  }

  // MARK: How trials ended

  /// The ends of a run's trials that the machine allowed, each with its count.
  private func counts(_ run: Int) -> [String: Int] {
    index.document.runs[run].outcomes.filter { $0.value > 0 && $0.key != Outcome.unavailable(reason: "").name }
  }

  /// Whether a trial of a run ended otherwise than by completing.
  private func hasEnded(_ run: Int) -> Bool { counts(run).keys.contains { $0 != Outcome.completed.name } }

  /// How the trials of a run ended.
  private func ends(of run: Int) -> [Entry] {
    let facts = index.document.runs[run]
    var ends = counts(run)
    let total = ends.values.reduce(0, +)
    let trapped = Outcome.trapped(signal: 0).name
    let expected = Dictionary(uniqueKeysWithValues: ends.keys.map { ($0, expectation(of: $0, run)) })
    var names = Dictionary(uniqueKeysWithValues: ends.keys.map { ($0, $0) })
    // Those that a signal ended stand by its name.
    for (signal, count) in facts.signals ?? [:] {
      let name = SignalName.name(signal, on: index.document.machine.os)
      ends[name] = count
      names[name] = trapped
      ends[trapped] = nil
    }
    return ends.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { end, count in
      Entry(run: run, outcome: end, count: count, total: total, expectation: expected[names[end] ?? end] ?? nil)
    }
  }

  /// A trial may complete; another end is expected where a claim or the variant itself foresaw it.
  private func expectation(of end: String, _ run: Int) -> Expectation? {
    if end == Outcome.completed.name { return .allowed }
    // Stopped by the lab, it is not known to what end it would have come.
    if end == Outcome.stopped(after: .zero).name { return nil }
    let variant = index.document.runs[run].variant
    let isForeseen = claims.contains { claim in
      claim.verdict.isBorneOut && claim.comparison?.figures.contains { $0.scope == variant && $0.metric == end } == true
    }
    guard isForeseen else { return .forbidden }
    return end == Outcome.hung.name ? .hangExpected : .trapExpected
  }

  // MARK: What trials counted

  /// So many values of a hundred samples and more are outcomes; else there is a range.
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

  /// By the claims that compare this metric of the variant with a number; else, what the sound variants show is allowed, and what
  /// only those show whose failure is the lesson is of interest.
  private func expectation(of value: Double, _ metric: MetricFacts, _ run: Int) -> Expectation? {
    let variant = index.document.runs[run].variant
    for claim in claims where claim.kind != .performance {
      guard let check = claim.comparison, case .figure(let figure) = check.left,
        case .quantity(let bound) = check.right,
        figure.scope == variant, figure.metric == metric.name, figure.statistic == nil
      else { continue }
      let isMet = check.comparison.holds(value, bound.value)
      return claim.kind == .guarantee ? (isMet ? .allowed : .forbidden) : isMet ? .ofInterest : .allowed
    }
    let sound = index.document.runs.indices.filter { !index.isBroken($0) }
      .compactMap { index.document.runs[$0].metrics[metric.name] }
    guard index.isBroken(run), !sound.isEmpty else { return nil }
    return sound.contains { $0.histogram.contains { $0.value.value == value } } ? .allowed : .ofInterest
  }
}
