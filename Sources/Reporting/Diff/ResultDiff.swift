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
  /// A sentence if other programs kept the cores busy during the runs of one side only; otherwise nil. A change of a
  /// figure may then be due to these programs.
  public private(set) var otherLoad: String?
  /// The names of the metrics to compare, or `all`; empty if the headline of each scenario is compared.
  let metrics: [String]
  /// The change, as a share, for which a report says how many runs would show it.
  let soughtChange: Double
  /// Remarks on what makes the sides hard to compare, besides ``otherCircumstances`` and ``otherSettings``: another
  /// speed of the machine, and interruptions and disturbances of runs.
  public private(set) var cautions: [String] = []
  /// The parameters whose values differ between the sides, as text; nil if no parameter differs.
  public private(set) var otherSettings: String?
  /// The metric for a unit of work, such as `per-iteration`, if the settings of the sides differ and only other metrics
  /// are compared; nil if there is none.
  private(set) var metricPerUnit: String?
  /// The command of a comparison that varies in one run what differs between the sides; nil if there is none.
  private(set) var comparison: String?
  /// The names of the parameters that any document sweeps, in the order of the sweeps.
  let sweptParameters: [String]
  /// The comparisons of the sides; nil if a side has other runs, or if the comparisons are of several scenarios.
  let comparedDocuments: (old: [ResultDocument], new: [ResultDocument])?
  /// The commands that repeat the runs of each side with an export to a file whose name is `old-` or `new-` and must be
  /// completed, each with the seconds that it takes; nil if the runs of a side have several commands or none.
  let commands: (old: Repetition, new: Repetition)?
  typealias Repetition = (command: String, seconds: Double)
  /// Whether the runs of both sides have one command, apart from the file of their export.
  let hasEqualCommands: Bool
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
  ///   - soughtChange: the change, as a share, for which a report says how many runs would show it; 15 % if it is nil,
  ///     or 0, which no number of runs shows.
  /// - Throws: ``InputError`` if no document has one of `metrics`, or if the kind, the unit or the better direction of
  ///   a figure differs between documents.
  public init(
    old: [ResultDocument], new: [ResultDocument], metrics: [String] = [], seeking soughtChange: Double? = nil
  ) throws(InputError) {
    let known = Set((old + new).flatMap { $0.scenario.metrics.map(\.name) }).sorted()
    for metric in metrics where metric != "all" && !known.contains(metric) {
      throw .unknown("metric", metric, at: "--metric", known: known + ["all"])
    }
    self.metrics = metrics
    sides = (Side(old), Side(new))
    let soughtChange = soughtChange.flatMap { $0 > 0 ? $0 : nil } ?? Self.usualChange
    self.soughtChange = soughtChange
    otherLoad = Self.otherLoad(old, new)
    comparedDocuments = Self.comparedDocuments(old, new)
    commands = Self.commands(old, new)
    hasEqualCommands = Set((old + new).map { $0.commandLine(exporting: "") }).count == 1
    // The sides may be ranked by different metrics. The headline of the old side is compared.
    let headlines = Dictionary(
      firstOf: (old + new).compactMap { document in document.scenario.show.first.map { (document.scenario.name, $0) } })
    let settings = EffectiveSettings(old + new)
    sweptParameters = (old + new).flatMap(\.scenario.sweep).distinct
    let before = Figures(old, metrics, headlines, settings), after = Figures(new, metrics, headlines, settings)
    try Self.refuseOtherMeasures(before, after)
    let settingsApart = Self.otherSettings(before, after)
    let otherSettings = Self.text(of: settingsApart, (old + new).flatMap(\.scenario.parameters))
    self.otherSettings = otherSettings
    if otherSettings != nil, metrics.isEmpty {
      let perUnit = (old + new).flatMap(\.scenario.metrics).map(\.name).first { $0.hasPrefix(Self.perUnit) }
      metricPerUnit = perUnit.flatMap { headlines.values.contains($0) ? nil : $0 }
    }
    let both = after.keys.filter { before.runs[$0] != nil }
    // The intervals of all rows contain the true ratios simultaneously with the stated confidence.
    rows = both.compactMap { key in
      guard let was = before.runs[key], let now = after.runs[key] else { return nil }
      return Self.row(was, now, among: both.count, seeking: soughtChange)
    }
    added = after.keys.filter { before.runs[$0] == nil }
    missing = before.keys.filter { after.runs[$0] == nil }
    let compared = Set(rows.map { [$0.scenario, $0.metric] })
    let all = Set(
      (old + new).flatMap { document in document.scenario.metrics.map { [document.scenarioName, $0.name] } })
    metricsLeftOut = metrics.isEmpty ? all.subtracting(compared).count : 0
    verdicts = Self.verdicts(old, new)
    faults = Self.faults(new, settings)
    uncertainties = Self.uncertainties(old, new, settings) + [otherSettings].compactMap(\.self)
    otherCircumstances = Self.otherCircumstances(old, new)
    comparison = Self.comparison(of: old + new, settingsApart, circumstances: otherCircumstances.count)
    cautions =
      [Self.otherSpeed(old, new)].compactMap(\.self) + Self.interruptions("old", old) + Self.interruptions("new", new)
      + Self.disturbances("old", old) + Self.disturbances("new", new)
  }

  /// The beginning of the name of a metric for a unit of work.
  private static let perUnit = "per-"

  /// The change for which a report says how many runs would show it, unless a gate has a limit.
  private static let usualChange = 0.15

  private static func comparedDocuments(
    _ old: [ResultDocument], _ new: [ResultDocument]
  ) -> (old: [ResultDocument], new: [ResultDocument])? {
    let all = old + new
    return !old.isEmpty && !new.isEmpty && all.allSatisfy(\.scenario.isComparison)
      && Set(all.map(\.scenario.name)).count == 1 ? (old, new) : nil
  }

  private static func commands(
    _ old: [ResultDocument], _ new: [ResultDocument]
  ) -> (old: Repetition, new: Repetition)? {
    func repetition(_ side: [ResultDocument], exporting file: String) -> Repetition? {
      // A command with --runs makes several runs, and exports all of them to one file.
      let all = side.map { $0.hasOption("--runs") ? nil : $0.commandLine(exporting: file) }.distinct
      guard all.count == 1, let command = all[0] else { return nil }
      // A command can run several scenarios, each of which has a document.
      let documents = Dictionary(grouping: side, by: \.scenarioName).values
      let seconds = documents.map { $0.map(\.seconds).reduce(0, +) / Double($0.count) }.reduce(0, +)
      return (command, seconds)
    }
    guard let before = repetition(old, exporting: "old-"), let after = repetition(new, exporting: "new-") else {
      return nil
    }
    return (before, after)
  }
}
