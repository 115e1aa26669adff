import Laboratory
import Measurement

/// The changes between two sets of result documents, the old side and the new side.
///
/// Rows are matched by scenario, variant, point and metric. Several documents of a scenario on one side are several
/// runs. Each run counts as one observation, since chance affects all rounds of a run alike.
public struct ResultDiff: Sendable {
  /// The runs of both sides.
  public let sides: (old: Side, new: Side)
  /// The figures that both sides contain, in the order of the new documents.
  public private(set) var rows: [Row] = []
  /// The figures that only the old side contains.
  public private(set) var missing: [FigureName] = []
  /// The figures that only the new side contains.
  public private(set) var added: [FigureName] = []
  /// The number of metrics that both sides may have and that are not compared, since no metric was named.
  public private(set) var metricsLeftOut = 0
  /// The claims whose verdicts differ between the old and the new side.
  public private(set) var verdicts: [VerdictChange] = []
  /// Differences between the circumstances of the sides: other machines, numbers of cores, or versions.
  public private(set) var otherCircumstances: [String] = []
  /// Remarks on differences that make the sides hard to compare: ``otherCircumstances``, other parameters, disturbances
  /// of the runs.
  public private(set) var cautions: [String] = []
  /// The parameters whose values differ between the sides, as text; nil if no parameter differs.
  public private(set) var otherSettings: String?
  /// The comparisons of the sides; nil if a side has other runs, or if the comparisons are of several scenarios.
  private let comparisons: (old: [ResultDocument], new: [ResultDocument])?
  /// The commands that repeat the run of each side with an export to a file whose name is `old-` or `new-` and must be
  /// completed; nil if a side has several runs or no command.
  let commands: (old: String, new: String)?
  /// The failures of the new side that do not depend on its figures: claims that failed, trials that broke, and trials
  /// that trapped or hung although they are meant to complete.
  public private(set) var faults: [String] = []
  /// The reasons why the figures do not show whether the new side became worse: interrupted runs, scenarios, claims and
  /// trials that the new side lacks, and builds or settings that differ between the sides.
  public private(set) var uncertainties: [String] = []

  /// Compares two sets of result documents.
  ///
  /// - Parameters:
  ///   - old: the documents of the old side.
  ///   - new: the documents of the new side.
  ///   - metrics: the names of the metrics to compare, or `all`. If the array is empty, the headline metric of each
  ///     scenario is compared; if the sides have different headlines, the headline of the old side.
  /// - Throws: ``InputError`` if no document has one of `metrics`, or if the kind, the unit or the better direction of
  ///   a figure differs between documents.
  public init(old: [ResultDocument], new: [ResultDocument], metrics: [String] = []) throws(InputError) {
    let known = Set((old + new).flatMap { $0.scenario.metrics.map(\.name) }).sorted()
    for metric in metrics where metric != "all" && !known.contains(metric) {
      throw .unknown("metric", metric, at: "--metric", known: known + ["all"])
    }
    sides = (Side(old), Side(new))
    comparisons = Self.comparisons(old, new)
    commands = Self.commands(old, new)
    // The sides may be ranked by different metrics. The headline of the old side is compared.
    let headlines = Dictionary(
      firstOf: (old + new).compactMap { document in document.scenario.show.first.map { (document.scenario.name, $0) } })
    let settings = EffectiveSettings(old + new)
    let before = Figures(old, metrics, headlines, settings), after = Figures(new, metrics, headlines, settings)
    try Self.refuseOtherMeasures(before, after)
    let otherSettings = Self.otherSettings(before, after, (old + new).flatMap(\.scenario.parameters))
    self.otherSettings = otherSettings
    let both = after.keys.filter { before.runs[$0] != nil }
    // The intervals of all rows contain the true ratios simultaneously with the stated confidence.
    rows = both.compactMap { key in
      guard let was = before.runs[key], let now = after.runs[key] else { return nil }
      return Self.row(was, now, among: both.count, isSameWork: otherSettings == nil)
    }
    added = after.keys.filter { before.runs[$0] == nil }
    missing = before.keys.filter { after.runs[$0] == nil }
    metricsLeftOut = metrics.isEmpty ? Set(known).subtracting(rows.map(\.metric)).count : 0
    verdicts = Self.verdicts(old, new)
    faults = Self.faults(new)
    uncertainties = Self.uncertainties(old, new) + [otherSettings].compactMap(\.self)
    otherCircumstances = Self.otherCircumstances(old, new)
    cautions =
      otherCircumstances + Self.cautions(old, new, otherSettings) + Self.disturbances("old", old)
      + Self.disturbances("new", new)
  }

  private static func comparisons(
    _ old: [ResultDocument], _ new: [ResultDocument]
  ) -> (old: [ResultDocument], new: [ResultDocument])? {
    let all = old + new
    return all.allSatisfy(\.scenario.isSearch) && Set(all.map(\.scenario.name)).count == 1 ? (old, new) : nil
  }

  /// Whether the sides consist of comparisons of a scenario.
  var isOfComparisons: Bool { comparisons != nil }

  private static func commands(_ old: [ResultDocument], _ new: [ResultDocument]) -> (old: String, new: String)? {
    guard old.count == 1, new.count == 1, let before = old[0].commandLine(exporting: "old-"),
      let after = new[0].commandLine(exporting: "new-")
    else { return nil }
    return (before, after)
  }

  /// What the comparisons of each side answer; nil if a side has other runs, or a comparison without an answer. Several
  /// comparisons can have different answers.
  var answers: (old: [String], new: [String], bests: BestChanges?)? {
    guard let comparisons else { return nil }
    let contents = [comparisons.old, comparisons.new].map { side in side.map { ReportContent($0) } }
    let texts = contents.map { side in side.map { $0.decision.map(\.text).joined(separator: " ") } }
    guard !texts.joined().contains("") else { return nil }
    let areRanked = contents.joined().allSatisfy(\.index.hasEnoughRounds)
    let bests = contents.map { side in side.flatMap(SearchAnswer.bests) }
    return (texts[0], texts[1], areRanked ? BestChanges(bests[0], bests[1]) : nil)
  }

  /// The settings at which the best runs of two comparisons differ.
  struct BestChanges {
    /// The number of settings that both comparisons have.
    let count: Int
    /// The settings at which no run is among the best of both comparisons, with the names of the best runs.
    let changed: [(place: String, old: [String], new: [String])]

    /// Creates the changes; nil if the sides do not have several settings with a best run in common. A run that is
    /// among the best in one comparison of a side is among the best of the side.
    init?(_ old: [SearchAnswer.Best], _ new: [SearchAnswer.Best]) {
      func names(_ bests: [SearchAnswer.Best]) -> [(place: String, names: [String])] {
        bests.grouped(by: \.place).map { ($0, $1.flatMap(\.names).distinct) }
      }
      let before = Dictionary(firstOf: names(old).map { ($0.place, $0.names) })
      let both = names(new).compactMap { place, names in before[place].map { (place: place, old: $0, new: names) } }
      guard both.count > 1, !both.contains(where: { $0.old.isEmpty || $0.new.isEmpty }) else { return nil }
      count = both.count
      changed = both.filter { Set($0.old).isDisjoint(with: $0.new) }
    }
  }

  /// The name of a figure: the scenario, the variant with the settings of the sweep, and the metric.
  public struct FigureName: Hashable, Sendable, CustomStringConvertible {
    let scenario, variant: String
    /// The settings that distinguish the run: `["threads=2", "hold=1us"]`.
    let settings: [String]
    let metric: String

    /// The variant and the settings: `mutex[threads=2,hold=1us]`.
    var label: String { settings.isEmpty ? variant : "\(variant)[\(settings.joined(separator: ","))]" }

    /// The name as text: `apply-stride apply[stride=4] elapsed`.
    public var description: String { "\(scenario) \(label) \(metric)" }
  }

  /// A figure of one run.
  private struct Entry {
    let name: FigureName
    let meaning: Metric.Meaning
    let facts: SampleFacts
    let parameters: [String: ParameterValue]
  }

  /// The settings of runs for all parameters that any document sweeps. A run of a fixed setting thus has the settings
  /// of a run of a sweep.
  private struct EffectiveSettings {
    /// The parameters that any document of a scenario sweeps, by the name of the scenario.
    private let swept: [String: [ParameterFacts]]
    /// The names of the swept parameters that affect a variant, by the names of the scenario and of the variant.
    private let affecting: [[String]: Set<String>]

    init(_ documents: [ResultDocument]) {
      swept = Dictionary(grouping: documents, by: \.scenario.name).mapValues { documents in
        documents.flatMap { RunIndex($0).swept }.grouped(by: \.name).map { $0.elements[0] }
      }
      affecting = documents.reduce(into: [:]) { affecting, document in
        for run in document.runs {
          affecting[[document.scenario.name, run.variant], default: []].formUnion(run.point.keys)
        }
      }
    }

    /// Returns the settings of a run in the notation of `--set`.
    func settings(of run: RunFacts, in scenario: ScenarioFacts) -> [String] {
      let names = affecting[[scenario.name, run.variant]] ?? []
      return (swept[scenario.name] ?? []).compactMap { parameter in
        guard names.contains(parameter.name) else { return nil }
        return (run.point[parameter.name] ?? run.parameters[parameter.name]).map(parameter.label)
      }
    }
  }

  /// The figures of one side, by their names.
  private struct Figures {
    /// The names of the figures, in the order of the documents.
    private(set) var keys: [FigureName] = []
    private(set) var runs: [FigureName: [Entry]] = [:]

    init(
      _ documents: [ResultDocument], _ metrics: [String], _ headlines: [String: String],
      _ effective: EffectiveSettings
    ) {
      for document in documents {
        let shown = document.scenario.show
        let others = document.scenario.metrics.map(\.name).filter { !shown.contains($0) }
        let headline = [headlines[document.scenario.name]].compactMap(\.self)
        let wanted = metrics.isEmpty ? headline : metrics.contains("all") ? shown + others : metrics
        for run in document.runs {
          let settings = effective.settings(of: run, in: document.scenario)
          for metric in wanted {
            guard let facts = run.metrics[metric] else { continue }
            let described = document.scenario.metrics.first { $0.name == metric }
            let name = FigureName(
              scenario: document.scenario.name, variant: run.variant, settings: settings, metric: metric)
            let entry = Entry(
              name: name, meaning: described?.meaning ?? .init(facts.kind, facts.unit, isAmount: false), facts: facts,
              parameters: run.parameters)
            if runs[name] == nil { keys.append(name) }
            runs[name, default: []].append(entry)
          }
        }
      }
    }
  }

  /// Returns the row of a figure.
  ///
  /// - Parameter isSameWork: whether the settings of both sides are equal. Otherwise, no change is better or worse.
  private static func row(_ old: [Entry], _ new: [Entry], among comparisons: Int, isSameWork: Bool) -> Row? {
    guard let entry = new.first else { return nil }
    let (before, after) = (old.map(\.facts.figures), new.map(\.facts.figures))
    let better: Metric.Better = isSameWork ? entry.facts.better : .neither
    let ratio = ConfidenceInterval.ofRatio(after, to: before, among: comparisons)
    let all = Array((before + after).joined())
    var change = Change.unknown
    var reason: String?
    if let ratio {
      if ratio.low > 1 || ratio.high < 1 {
        change = better == .neither ? .different : (ratio.low > 1) == (better == .higher) ? .better : .worse
      } else if !ratio.isNoise {
        change = .none
      } else {
        reason =
          min(old.count, new.count) > 1
          ? "\(min(old.count, new.count)) runs per side show only larger changes"
          : "one run per side shows only large changes"
      }
    } else if Set(all).count == 1 {
      change = .none  // Every round of both sides has the same figure, such as a count of 0.
    } else if !all.allSatisfy({ $0 > 0 }) {
      reason = "0 in some rounds, which therefore have no ratio"
    } else {
      let rounds = min(before.joined().count, after.joined().count)
      reason = "\(rounds.counted("round")): \(ConfidenceInterval.fewest) or more are needed per side"
    }
    let isOpenPair = change == .unknown && before.count == 1 && after.count == 1
    return Row(
      figure: entry.name, unit: entry.facts.unit,
      runs: (old.count, new.count), old: typical(old), new: typical(new), ratio: ratio,
      byRounds: isOpenPair ? .ofRounds(after[0], to: before[0], among: comparisons) : nil,
      runsNeeded: change == .unknown
        ? ConfidenceInterval.runs(toShow: 1 + soughtChange, after, before, among: comparisons, most: mostRunsNeeded)
        : nil,
      change: change, reason: reason,
      better: better, kind: entry.facts.kind, meaning: entry.meaning)
  }

  /// The change, as a share, for which a report says how many runs would show it, and the maximum number of runs per
  /// side that a report suggests.
  static let (soughtChange, mostRunsNeeded) = (0.15, 20)

  private static func typical(_ entries: [Entry]) -> Double { Ranking.typical(entries.map(\.facts.typical)) ?? 0 }

  /// Verifies that the kind, the unit and the better direction of each figure are equal on both sides, since a ratio of
  /// different measures has no meaning.
  ///
  /// - Throws: ``InputError`` if the kind, the unit or the better direction of a figure differs between documents.
  private static func refuseOtherMeasures(_ before: Figures, _ after: Figures) throws(InputError) {
    for key in after.keys {
      guard let was = before.runs[key] else { continue }
      let entries = was + (after.runs[key] ?? [])
      for entry in entries.dropFirst() where entry.facts.measure != was[0].facts.measure {
        throw InputError(
          "\(key): not comparable: it is \(was[0].facts.measure) in one document and \(entry.facts.measure) in another")
      }
    }
  }

  /// Returns each claim of some runs with its most severe verdict. A claim that failed in one run has failed. A claim
  /// that could not be judged in one run does not count as held.
  private static func mostSevere(_ documents: [ResultDocument]) -> [(scenario: String, claim: ClaimFacts)] {
    func severity(_ verdict: Verdict) -> Int { verdict.isFailure(strict: false) ? 2 : verdict == .unavailable ? 1 : 0 }
    var mostSevere: [(scenario: String, claim: ClaimFacts)] = []
    for document in documents {
      for claim in document.claims {
        let place = mostSevere.firstIndex { $0.scenario == document.scenario.name && $0.claim.isSame(as: claim) }
        if let place {
          if severity(claim.verdict) > severity(mostSevere[place].claim.verdict) { mostSevere[place].claim = claim }
        } else {
          mostSevere.append((document.scenario.name, claim))
        }
      }
    }
    return mostSevere
  }

  private static func verdicts(_ old: [ResultDocument], _ new: [ResultDocument]) -> [VerdictChange] {
    // A comparison is about figures. It reports a claim only if the claim fails.
    let before = mostSevere(old.filter { !$0.isSearch })
    return mostSevere(new.filter { !$0.isSearch }).compactMap { scenario, claim in
      let was = before.first { $0.scenario == scenario && $0.claim.isSame(as: claim) }
      guard let was, was.claim.verdict != claim.verdict else { return nil }
      return VerdictChange(
        scenario: scenario, says: claim.says, old: was.claim.verdict, new: claim.verdict,
        evidence: (was.claim.evidenceText, claim.evidenceText))
    }
  }

  private static func faults(_ new: [ResultDocument]) -> [String] {
    mostSevere(new).filter { $0.claim.verdict.isFailure(strict: false) }.map { scenario, claim in
      "\(scenario), now \(claim.verdict.rawValue): \(claim.says)"
    }
      + new.filter(\.hasBrokenTrials).grouped { $0.scenario.name }.map { scenario, documents in
        let count = documents.reduce(0) { $0 + $1.brokenTrials }
        return "\(scenario): \(count.counted("broken trial"))"
      } + EndingCounts(new).crashes
  }

  /// Returns the parameters whose values differ between the sides, as text; nil if no parameter differs.
  private static func otherSettings(
    _ before: Figures, _ after: Figures, _ parameters: [ParameterFacts]
  ) -> String? {
    var settings: [String: [ParameterValue]] = [:]
    for key in after.keys {
      guard let now = after.runs[key], let was = before.runs[key] else { continue }
      let first = was[0].parameters
      for (name, value) in (was + now).flatMap(\.parameters) {
        guard let other = first[name], other != value else { continue }
        settings[name, default: []] += [other, value]
      }
    }
    let texts = settings.sorted { $0.key < $1.key }.map { name, values in
      let facts = parameters.first { $0.name == name }
      return "\(name) (\(values.distinct.compactMap { facts?.describe($0) }.joined(separator: ", ")))"
    }
    return texts.isEmpty ? nil : "other values of \(texts.joined(separator: ", ")) on the two sides"
  }
}

extension SampleFacts {
  /// A text with the properties in which two metrics must agree to be comparable.
  fileprivate var measure: String {
    let unit = unit == .none ? "a plain number" : "in \(unit.rawValue)"
    return "a \(kind.rawValue) \(unit) (better: \(better.rawValue))"
  }

  /// The typical figure of the rounds; the median of all samples if no round has a figure.
  fileprivate var typical: Double { Ranking.typical(figures) ?? p50.value }
}
