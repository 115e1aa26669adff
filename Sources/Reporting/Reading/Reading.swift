import Laboratory
import Measurement

/// A document, read once: what its figures come to, which run is best, the tables, the plots and what is to be said of
/// them. Every renderer shows this and nothing else, so that all say the same.
public struct Reading: Sendable {
  /// What was read.
  public let document: ResultDocument

  /// What changed since the run before, in one line, where there is one to compare with.
  public var sinceLast: String?

  /// The documents whose sentences its claims grade; nil where a lab has none.
  let documents: Documents?
  /// What became of those sentences in this run.
  let grades: Grades

  let index: RunIndex
  /// The metric that stands for the others: the first shown.
  let headline: MetricFacts?
  let standings: Standings?
  let tables: [Table]
  /// What a screen has room for of them.
  let briefTables: [Table]
  /// What the trials cost the machine, as far as the other tables do not show it; nil where the document does not tell.
  let costs: Table?
  /// The distributions of the shown latencies.
  let distributions: [Distribution]
  /// The shown figures along what is swept, the headline's first.
  let sweeps: [SweepCurve]
  /// What a page begins with; nil where there is nothing to draw.
  let picture: Picture?
  /// What more cores bring by the headline; nil where they are not swept.
  let speedUp: SpeedUp?
  /// What the timing loops of the shown metrics cost empty, where that was measured: `0.31 ns (uncontended)`.
  private let ownFloors: [String]

  /// Reads a document, whose claims grade sentences of some `documents`.
  public init(_ document: ResultDocument, by documents: Documents? = nil) {
    self.documents = documents
    grades = Grades([document], by: documents)
    let index = RunIndex(document)
    let metrics = Dictionary(document.scenario.metrics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let shown = document.scenario.show.compactMap { metrics[$0] }
    // Into the document, so that JSON says it, too. One that was saved says what it said then.
    self.document =
      document.scenario.seeksBest == true && !document.findings.contains { $0.kind == Conclusion.kind }
      ? document.concluding(SearchAnswer.text(index, by: shown)) : document
    self.index = index
    headline = shown.first
    standings = shown.first.map { Standings(index, by: $0, shown: shown) }
    let made = Tables(index: index, shown: shown, standings: standings)
    let outcomes = Outcomes(index, shown: shown)
    let speedUp = shown.first.flatMap { SpeedUp(index, $0) }
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
    }.compactMap { SweepCurve(index, $0) }
    picture = Picture(made, outcomes, sweeps)
  }

  /// The recorded trials, each with what of it the document does not have.
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

  /// Whether the question was which setting is best.
  var seeksBest: Bool { document.scenario.seeksBest == true }

  /// The curve of a search as a terminal draws it: of many variants the best one and its baseline, or else a yardstick.
  var briefSweep: SweepCurve? {
    guard let sweep = sweeps.first, sweep.metric.name == headline?.name else { return nil }
    let variants = document.scenario.variants
    let best = standings?.best.map { document.runs[$0].variant }
    let reference =
      document.scenario.baseline ?? variants.first { $0.isYardstick && $0.name != best }?.name
    return sweep.brief(of: [best, reference].compactMap { name in name.flatMap { index.variants[$0] } })
  }

  // MARK: The heading

  /// What was set: `iterations 1_000_000, work 15 ns`.
  var settings: String {
    document.scenario.parameters.compactMap { parameter in
      parameter.value.map { "\(parameter.name) \(parameter.describe($0))" }
    }.joined(separator: ", ")
  }

  /// The same of what the command line set to another value than the scenario has: `settings: iterations 5_003`.
  var changedSettings: String {
    let changed = document.scenario.parameters.filter { $0.changed == true }.compactMap { parameter in
      parameter.value.map { "\(parameter.name) \(parameter.describe($0))" }
    }
    let flags = ["--quick", "--set"].filter(document.command.contains).joined(separator: " and ")
    let by = flags.isEmpty ? "" : " by \(flags)"
    return changed.isEmpty ? "" : "settings changed\(by): " + changed.joined(separator: ", ")
  }

  /// The machine and the run.
  var facts: [String] {
    let (machine, floor) = (document.machine, Quantity(document.machine.floor, .nanoseconds))
    let own = ownFloors.isEmpty ? [] : ["empty timing loop \(ownFloors.joined(separator: ", "))"]
    return processor + ["\(machine.os) \(machine.kernel)"] + run + ["noise floor \(floor)"] + own
  }

  /// The same without what other commands tell of the machine.
  var briefFacts: [String] { processor + run }

  private var processor: [String] {
    [document.machine.cpu, document.machine.coresText].compactMap(\.self)
  }

  private var run: [String] {
    return ["\(rounds) round\(rounds == 1 ? "" : "s") in \(Self.time(document))", "seed \(document.seed)"]
  }

  /// How long it took: to the millisecond, which is as much as a document has of it.
  static func time(_ document: ResultDocument) -> String {
    document.seconds < 0.001 ? "less than 1 ms" : Quantity(document.seconds * 1e9, .nanoseconds).description
  }

  /// What made the document, and when.
  var origin: [String] {
    ["\(document.tool.name) \(document.tool.version)", "Swift \(document.machine.swift)", dispatch, document.started]
      .compactMap(\.self)
  }

  /// Which Dispatch was tried, where it is not the one that comes with Swift.
  private var dispatch: String? { document.machine.dispatch.map { "Dispatch \($0)" } }

  /// The command line as a shell reads it; nil when a program asked for the run.
  var command: String? { Self.command(document) }

  static func command(_ document: ResultDocument) -> String? {
    guard !document.command.isEmpty else { return nil }
    return ([Tool.name] + document.command.map(Self.quoted)).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_@%+=:,./-".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Whether nothing was measured, but for what it cost.
  var isEmpty: Bool { document.runs.allSatisfy { Self.costs.isSuperset(of: $0.metrics.keys) } }

  private static let costs = Set(Metric.costs.map(\.name))

  /// The most that a run has.
  var rounds: Int { document.runs.map(\.rounds).max() ?? 0 }

  // MARK: The answer

  /// How many claims there are, and what became of them, failures first; empty where there are none to be judged.
  var answer: [(text: String, verdict: Verdict?)] {
    if seeksBest { return [] }
    let answer = Self.answer(claims)
    // Where all are left out, none is a claim of this run.
    return answer.isEmpty ? document.claims.isEmpty ? [] : [("no claims on what was run", nil)] : answer
  }

  /// The same of any claims.
  static func answer(_ claims: [ClaimFacts]) -> [(text: String, verdict: Verdict?)] {
    guard !claims.isEmpty else { return [] }
    return [("\(claims.count) claim\(claims.count == 1 ? "" : "s")", nil)]
      + counts(claims).map { ($0.text, $0.verdict) }
  }

  /// `2 refuted`, `1 not so`, `9 held`, the gravest first.
  static func counts(_ claims: [ClaimFacts]) -> [(text: String, verdict: Verdict)] {
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

  /// The claims as a short report has them: those to be told, the gravest first, and those that came out as they say.
  var claimsByGravity: (told: [ClaimFacts], asSaid: [ClaimFacts]) {
    let gravities = claims.map { ($0, $0.gravity) }
    let told = ClaimFacts.Gravity.allCases.dropLast().flatMap { gravity in
      gravities.filter { $0.1 == gravity }.map(\.0)
    }
    return (told, gravities.filter { $0.1 == .asSaid }.map(\.0))
  }

  /// The same in one line; empty where there are none.
  var answerText: String {
    guard let first = answer.first, answer.count > 1 else { return answer.first?.text ?? "" }
    return "\(first.text): " + answer.dropFirst().map(\.text).joined(separator: ", ")
  }

  /// What to take home, in the scenario's words, where the claims that it stands on were borne out. In a search, which
  /// setting does, and what the pattern advises.
  var conclusion: String? {
    let parts = [Conclusion.kind, Conclusion.advice].compactMap { kind in document.findings.first { $0.kind == kind } }
    return parts.isEmpty ? nil : parts.map(\.says).joined(separator: " ")
  }

  /// What else the pattern has to say.
  var findings: [String] {
    document.findings.filter { ![Conclusion.kind, Conclusion.advice].contains($0.kind) }.map(\.says)
  }

  // MARK: Below the tables

  /// What the signs in the tables that are shown mean, a line each, and how far to trust so few rounds.
  func footnotes(_ shown: [Table]) -> [String] {
    let facts = shown.reduce(into: Cell.Facts()) { $0.formUnion($1.facts) }
    var notes: [String] = []
    if !facts.isDisjoint(with: [.best, .nearBest, .unclear]), let best = standings?.best, let headline {
      let groups = standings?.groups ?? ""
      // Of different problems none is the best.
      let hasBestOfAll = !groups.isEmpty && document.scenario.problem == nil
      notes.append(
        "\(Signs.best) best\(groups.isEmpty ? "" : " for each \(groups), over all variants") (\(headline.better.rawValue) is better)"
          + (facts.contains(.nearBest) ? ", \(Signs.nearBest) no difference from the best was found" : "")
          + (facts.contains(.unclear) ? ", \(Signs.unclear) too noisy to rank" : "")
          + (hasBestOfAll ? "; of all: \(figure(best, headline)) at \(index.labels[best])" : "")
          + "; by the geometric mean of the rounds, where medians are shown")
    }
    if let reference = standings?.reference {
      let signs = [
        facts.contains(.noDifference) ? "\(Signs.nearBest) no difference from \(reference) was found" : nil,
        facts.contains(.noisy) ? "\(Signs.unclear) too noisy to tell from \(reference)" : nil,
      ].compactMap(\.self)
      if !signs.isEmpty { notes.append(signs.joined(separator: ", ")) }
    }
    if !facts.isDisjoint(with: [.interval, .ends]) {
      let signs = [
        facts.contains(.interval) ? "\(Signs.margin)" : nil,
        facts.contains(.ends) ? "[low \(Signs.range) high]" : nil,
      ]
      notes.append(
        "\(signs.compactMap(\.self).joined(separator: " and ")): \(certainty) of the ratios of paired rounds")
    } else if facts.contains(.told) {
      notes.append(
        "without \(Signs.nearBest) or \(Signs.unclear): significantly different from \(standings?.reference ?? "the best"), by \(certainty)"
      )
    }
    if facts.contains(.nearFloor) {
      notes.append(
        "\(Signs.nearFloor) within twice the noise floor of \(Quantity(document.machine.floor, .nanoseconds))"
          + (facts.contains(.sharedFloor) ? ", divided by the operations of a batch" : ""))
    }
    if facts.contains(.ownFloor) {
      notes.append(
        "\(Signs.nearFloor) less than twice what the empty timing loop costs: \(ownFloors.joined(separator: ", "))")
    }
    if facts.contains(.tooFew) { notes.append("-: too few samples for this percentile") }
    let fewest = ConfidenceInterval.fewest
    if !shown.isEmpty, rounds < fewest {
      notes.append(
        "\(rounds) round\(rounds == 1 ? "" : "s"): too few for intervals (\(fewest) needed)")
    } else if facts.contains(.glimpse) {
      notes.append("a ratio without an interval is of fewer than the \(fewest) rounds that one needs")
    }
    return notes
  }

  /// All intervals of a table hold together with this confidence.
  private var certainty: String {
    "simultaneous \(Quantity(100 * ConfidenceInterval.confidence, .percent)) confidence intervals"
  }

  private func figure(_ run: Int, _ metric: MetricFacts) -> String {
    document.runs[run].metrics[metric.name]?.median.map { Quantity($0, metric.unit).description } ?? "-"
  }

  /// The claims on what was run; where the best is sought, only those that failed: the others are about other settings.
  var claims: [ClaimFacts] {
    seeksBest
      ? document.claims.filter { $0.verdict.isFailure(strict: false) } : document.claims.filter { !$0.isLeftOut }
  }

  /// One line on claims that are not shown, since they speak of what the command line left out; nil for none.
  var leftOut: String? {
    let count = seeksBest ? 0 : document.claims.count(where: \.isLeftOut)
    guard count > 0 else { return nil }
    return
      "\(count) claim\(count == 1 ? " is" : "s are") not shown: \(count == 1 ? "it speaks" : "they speak") of what this run leaves out"
  }

  /// The runs of which trials were lost to the machine, how many were, and whether all. What a machine is known not to
  /// have is no loss.
  var lost: [(label: String, count: Int, areAll: Bool)] {
    zip(document.runs, index.labels).compactMap { run, label in
      let lost = run.outcomes.count(where: \.wasNotTried)
      return lost > 0 && !isDeclaredAway(run) ? (label, lost, lost == run.rounds) : nil
    }
  }

  /// Whether the machine was known not to have what a run needs.
  func isDeclaredAway(_ run: RunFacts) -> Bool {
    run.obstacle != nil || document.scenario.variants.contains { $0.name == run.variant && $0.obstacle != nil }
  }
}

extension Machine {
  /// `2 cores`, or `1 of 2 cores` where trials were confined.
  var coresText: String {
    (confinedTo.map { $0.count < cores ? "\($0.count) of " : "" } ?? "") + "\(cores) core\(cores == 1 ? "" : "s")"
  }
}
