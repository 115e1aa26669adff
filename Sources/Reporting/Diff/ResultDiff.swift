import Laboratory
import Measurement

/// What changed from one set of result documents to another.
///
/// Rows are matched by scenario, variant, point and metric. The two sides were measured at different times, so nothing is
/// paired: an interval tells chance within the runs from a change between them, but not a change of the program from a
/// change of the machine.
public struct ResultDiff: Sendable {
  /// How a figure changed.
  public enum Change: String, Sendable, Codable {
    /// The interval excludes no change, towards the better.
    case better
    /// The interval excludes no change, towards the worse.
    case worse
    /// The interval excludes no change, of a metric that neither way is better.
    case different
    /// The interval includes no change.
    case none = "within noise"
    /// Too few rounds for an interval, or figures that have no ratio.
    case unknown = "cannot tell"
  }

  /// One figure on both sides.
  public struct Row: Sendable {
    /// The scenario.
    public let scenario: String
    /// Variant and point: `apply[stride=64]`.
    public let label: String
    /// The metric.
    public let metric: String
    /// Its unit.
    public let unit: Unit
    /// The typical round before and after: the geometric mean, or the median where a round is 0.
    public let old, new: Double
    /// New to old; nil for too few rounds, or where a round is 0.
    public let ratio: ConfidenceInterval?
    /// What came of it.
    public let change: Change

    /// Whether it became worse by more than `share`, and the rounds exclude that nothing changed.
    public func isWorse(byMoreThan share: Double) -> Bool {
      guard change == .worse, let ratio else { return false }
      return max(ratio.estimate, 1 / ratio.estimate) > 1 + share
    }
  }

  /// A claim whose verdict is another one now.
  public struct VerdictChange: Sendable {
    /// The scenario.
    public let scenario: String
    /// The sentence.
    public let says: String
    /// Its verdict before and after.
    public let old, new: Verdict
  }

  /// The figures that both sides have, in the order of the new documents.
  public private(set) var rows: [Row] = []
  /// Figures that only the old side has: `apply-stride apply[stride=4] elapsed`.
  public private(set) var missing: [String] = []
  /// Figures that only the new side has.
  public private(set) var added: [String] = []
  /// Claims with another verdict than before.
  public private(set) var verdicts: [VerdictChange] = []
  /// What makes the two sides hard to compare: other machines, other parameters.
  public private(set) var cautions: [String] = []

  /// Compares documents by the headline metric of each scenario, or by `metrics`; `all` stands for every metric.
  ///
  /// - Throws: ``InputError`` for a metric that no document has.
  public init(old: [ResultDocument], new: [ResultDocument], metrics: [String] = []) throws(InputError) {
    let known = Set((old + new).flatMap { $0.scenario.metrics.keys }).sorted()
    for metric in metrics where metric != "all" && !known.contains(metric) {
      throw InputError(
        "unknown metric '\(metric)' (known: \(known.joined(separator: ", ")), or all)", at: "--metric", near: metric,
        of: known)
    }
    let before = Self.entries(old, metrics)
    let after = Self.entries(new, metrics)
    let places = Dictionary(before.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in after {
      if let was = places[entry.key] { rows.append(Self.row(was, entry)) } else { added.append(entry.key) }
    }
    let present = Set(after.map(\.key))
    missing = before.map(\.key).filter { !present.contains($0) }
    verdicts = Self.verdicts(old, new)
    cautions = Self.cautions(old, new, before, after)
  }

  private struct Entry {
    let scenario: String
    let label: String
    let metric: String
    let facts: ResultDocument.MetricFacts
    let parameters: [String: ParameterValue]
    let seed: UInt64
    var key: String { "\(scenario) \(label) \(metric)" }
  }

  private static func entries(_ documents: [ResultDocument], _ metrics: [String]) -> [Entry] {
    documents.flatMap { document in
      let shown = document.scenario.show
      let wanted =
        metrics.isEmpty
        ? Array(shown.prefix(1))
        : metrics.contains("all")
          ? shown + document.scenario.metrics.keys.filter { !shown.contains($0) }.sorted() : metrics
      return document.runs.flatMap { run in
        wanted.compactMap { metric in
          run.metrics[metric].map {
            Entry(
              scenario: document.scenario.name, label: run.label(document.scenario), metric: metric, facts: $0,
              parameters: run.parameters, seed: document.seed)
          }
        }
      }
    }
  }

  private static func row(_ old: Entry, _ new: Entry) -> Row {
    let (before, after) = (old.facts.rounds.map(\.value), new.facts.rounds.map(\.value))
    let ratio = ConfidenceInterval.ofRatio(after, to: before, seed: new.seed)
    let change: Change
    if let ratio {
      let isUp = ratio.low > 1
      if !isUp, ratio.high >= 1 {
        change = .none
      } else {
        change = new.facts.better == .neither ? .different : isUp == (new.facts.better == .higher) ? .better : .worse
      }
    } else if Set(before + after).count == 1 {
      change = .none  // The same figure in every round of both sides, such as a count of 0.
    } else {
      change = .unknown
    }
    return Row(
      scenario: new.scenario, label: new.label, metric: new.metric, unit: new.facts.unit, old: old.facts.typical,
      new: new.facts.typical, ratio: ratio, change: change)
  }

  private static func verdicts(_ old: [ResultDocument], _ new: [ResultDocument]) -> [VerdictChange] {
    new.flatMap { document -> [VerdictChange] in
      guard let before = old.first(where: { $0.scenario.name == document.scenario.name }) else { return [] }
      return document.claims.compactMap { claim in
        guard let was = before.claims.first(where: { $0.check == claim.check && $0.kind == claim.kind }),
          was.verdict != claim.verdict
        else { return nil }
        return VerdictChange(scenario: document.scenario.name, says: claim.says, old: was.verdict, new: claim.verdict)
      }
    }
  }

  private static func cautions(
    _ old: [ResultDocument], _ new: [ResultDocument], _ before: [Entry], _ after: [Entry]
  ) -> [String] {
    guard let was = old.first?.machine, let now = new.first?.machine else { return [] }
    var cautions: [String] = []
    func differ(_ what: String, _ old: String, _ new: String) {
      if old != new { cautions.append("another \(what): \(old) before, \(new) now") }
    }
    differ("system", "\(was.os) \(was.kernel)", "\(now.os) \(now.kernel)")
    differ("processor", was.cpu ?? "unknown", now.cpu ?? "unknown")
    differ("number of cores", "\(was.cores)", "\(now.cores)")
    differ("Swift", was.swift, now.swift)
    differ("build", was.optimised ? "optimised" : "debug", now.optimised ? "optimised" : "debug")
    // Where the same work takes another time, every figure moves with it.
    let speed = was.work.stepsPerMicrosecond / now.work.stepsPerMicrosecond
    if speed.isFinite, abs(speed - 1) > 0.05 {
      cautions.append("calibrated work took \(Quantity.ratio(speed)) times as long on the new machine as on the old")
    }
    let places = Dictionary(before.map { ($0.key, $0.parameters) }, uniquingKeysWith: { first, _ in first })
    var settings: [String] = []
    for entry in after {
      guard let was = places[entry.key] else { continue }
      for (name, value) in entry.parameters where was[name] != nil && was[name] != value && !settings.contains(name) {
        settings.append(name)
      }
    }
    if !settings.isEmpty {
      cautions.append("other values of \(settings.sorted().joined(separator: ", ")) on the two sides")
    }
    if (old + new).contains(where: { $0.interrupted == true }) { cautions.append("one side was interrupted") }
    return cautions
  }
}
