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
  enum Expectation: String {
    case allowed, forbidden
    case ofInterest = "of interest"
  }

  /// A row an outcome; nil where every run has a single one, and all trials completed.
  var table: Table? {
    let runs = index.document.runs.indices
    let rows = runs.flatMap { run in ends(of: run) + shown.flatMap { values(of: run, $0) } }
    guard !rows.isEmpty else { return nil }
    let counted = shown.filter { metric in runs.contains { !values(of: $0, metric).isEmpty } }
    let notes =
      (runs.contains { !ends(of: $0).isEmpty } ? ["trials by how they ended"] : [])
      + counted.map { "\($0.name): \($0.says)" }
    return Table(
      title: "outcomes", note: notes.joined(separator: "; "), keys: 2,
      isGrid: false,
      headings: [
        .init("variant", .left), .init("outcome", .left), .init("count"), .init("share"), .init("expectation", .left),
      ], rows: rows)
  }

  private func row(_ run: Int, _ outcome: String, _ count: Int, of total: Int, _ expectation: Expectation?) -> Table.Row
  {
    let share = 100 * Double(count) / Double(max(total, 1))
    return Table.Row(
      needsCare: expectation == .forbidden,
      cells: [
        Cell(index.labels[run], .key), Cell(outcome, .key), Cell(count.withCommas),
        Cell("\(Quantity.fixed(share, decimals: share > 0 && share < 0.1 ? 3 : 1)) %"),
        Cell(expectation?.rawValue ?? "", expectation == nil ? .key : []),
      ])
  }

  // MARK: How trials ended

  /// How the trials of a run ended; nothing where all completed.
  private func ends(of run: Int) -> [Table.Row] {
    let facts = index.document.runs[run]
    var ends = facts.outcomes.filter { $0.value > 0 && $0.key != Outcome.unavailable(reason: "").name }
    guard ends.keys.contains(where: { $0 != Outcome.completed.name }) else { return [] }
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
      row(run, end, count, of: total, expected[names[end] ?? end] ?? nil)
    }
  }

  /// A trial may complete; another end is of interest where a claim or the variant itself foresaw it.
  private func expectation(of end: String, _ run: Int) -> Expectation? {
    if end == Outcome.completed.name { return .allowed }
    // Stopped by the lab, it is not known to what end it would have come.
    if end == Outcome.stopped(after: .zero).name { return nil }
    let variant = index.document.runs[run].variant
    let isForeseen = claims.contains { claim in
      claim.verdict.isBorneOut && claim.comparison?.figures.contains { $0.scope == variant && $0.metric == end } == true
    }
    return isForeseen ? .ofInterest : .forbidden
  }

  // MARK: What trials counted

  /// So many values of a hundred samples and more are outcomes; else there is a range.
  private static let fewValues = 2...3

  /// The values of a metric in a run, where they are few.
  private func values(of run: Int, _ metric: MetricFacts) -> [Table.Row] {
    guard let samples = index.document.runs[run].metrics[metric.name], samples.isRange, samples.kind == .count,
      samples.count >= 100, Self.fewValues.contains(samples.histogram.count)
    else { return [] }
    return samples.histogram.map { pair in
      let value = Quantity(pair.value.value, metric.unit).description
      return row(
        run, "\(metric.name) \(value)", pair.count, of: samples.count, expectation(of: pair.value.value, metric, run))
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
