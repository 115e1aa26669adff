import Laboratory
import Measurement

/// The figures of both sides of a diff, and the rows that compare them.
extension ResultDiff {
  /// The name of a figure: the scenario, the variant with the settings of the sweep, and the metric.
  public struct FigureName: Hashable, Sendable, CustomStringConvertible {
    let scenario, variant: String
    /// The settings that distinguish the run: `["threads=2", "hold=1us"]`.
    let settings: [String]
    let metric: String

    /// The variant and the settings: `mutex[threads=2,hold=1us]`.
    var label: String { Self.label(variant, settings) }

    /// Returns the text for a variant and its settings: `mutex[threads=2,hold=1us]`.
    static func label(_ variant: String, _ settings: [String]) -> String {
      settings.isEmpty ? variant : "\(variant)[\(settings.joined(separator: ","))]"
    }

    /// The name as text: `apply-stride apply[stride=4] elapsed`.
    public var description: String { "\(scenario) \(label) \(metric)" }
  }

  /// A figure of one run.
  struct Entry {
    let name: FigureName
    let meaning: Metric.Meaning
    let facts: SampleFacts
    let parameters: [String: ParameterValue]
  }

  /// The settings of runs for all parameters that any document sweeps. A run of a fixed setting thus has the settings
  /// of a run of a sweep.
  struct EffectiveSettings {
    /// The parameters that any document of a scenario sweeps, by the name of the scenario.
    private let swept: [String: [ParameterFacts]]
    /// The names of the swept parameters that affect a variant, by the names of the scenario and of the variant.
    private let affecting: [[String]: Set<String>]
    /// The names of the scenarios of which any run has a setting of the cores.
    private let withCores: Set<String>

    init(_ documents: [ResultDocument]) {
      swept = Dictionary(grouping: documents, by: \.scenario.name).mapValues { documents in
        documents.flatMap { RunIndex($0).swept }.grouped(by: \.name).map { $0.elements[0] }
      }
      withCores = Set(
        documents.filter { $0.runs.contains { $0.parameters[Cores.name] != nil } }.map(\.scenario.name))
      affecting = documents.reduce(into: [:]) { affecting, document in
        for run in document.runs {
          affecting[[document.scenario.name, run.variant], default: []].formUnion(run.point.keys)
        }
      }
    }

    /// Returns the values of all parameters of a run of `document`. A run without a setting of the cores uses all cores
    /// of its machine. The cores have no value if no run has a setting of them.
    func parameters(of run: RunFacts, in document: ResultDocument) -> [String: ParameterValue] {
      guard withCores.contains(document.scenario.name) else { return run.parameters }
      return run.parameters.merging([Cores.name: .integer(document.machine.usedCores)]) { own, _ in own }
    }

    /// Returns the settings of a run of `document` in the notation of `--set`.
    func settings(of run: RunFacts, in document: ResultDocument) -> [String] {
      let name = document.scenario.name
      let names = affecting[[name, run.variant]] ?? []
      return (swept[name] ?? []).compactMap { parameter in
        guard names.contains(parameter.name) else { return nil }
        return (run.point[parameter.name] ?? parameters(of: run, in: document)[parameter.name]).map(parameter.label)
      }
    }
  }

  /// The figures of one side, by their names.
  struct Figures {
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
        let wanted = metrics.isEmpty ? headline : metrics.contains("all") ? shown + others : metrics.distinct
        for run in document.runs {
          let settings = effective.settings(of: run, in: document)
          for metric in wanted {
            guard let facts = run.metrics[metric] else { continue }
            let described = document.scenario.metrics.first { $0.name == metric }
            let name = FigureName(
              scenario: document.scenario.name, variant: run.variant, settings: settings, metric: metric)
            let entry = Entry(
              name: name, meaning: described?.meaning ?? .init(facts.kind, facts.unit, isAmount: false), facts: facts,
              parameters: effective.parameters(of: run, in: document))
            if runs[name] == nil { keys.append(name) }
            runs[name, default: []].append(entry)
          }
        }
      }
    }
  }

  /// Returns the row of a figure.
  ///
  /// If the settings of the runs differ, no change is better or worse.
  static func row(
    _ old: [Entry], _ new: [Entry], among comparisons: Int, seeking soughtChange: Double
  ) -> Row? {
    guard let entry = new.first else { return nil }
    let (before, after) = (old.map(\.facts.figures), new.map(\.facts.figures))
    let better: Metric.Better = otherSettings(old, new).isEmpty ? entry.facts.better : .neither
    let all = Array((before + after).joined())
    // Every round of both sides can have the same figure, such as a count. An interval would say less.
    let isSame = Set(all).count == 1
    let ratio = isSame ? nil : ConfidenceInterval.ofRatio(after, to: before, among: comparisons)
    var change = Change.unknown
    var reason: String?
    if isSame {
      change = .none
    } else if let ratio {
      if ratio.low > 1 || ratio.high < 1 {
        change = better == .neither ? .different : (ratio.low > 1) == (better == .higher) ? .better : .worse
      } else if !ratio.isNoise {
        change = .none
      } else {
        reason =
          max(old.count, new.count) > 1
          ? "\(Set([old.count, new.count]).sorted().map(String.init).joined(separator: " or ")) runs per side show only larger changes"
          : "one run per side shows only large changes"
      }
    } else if !all.allSatisfy({ $0 > 0 }) {
      reason = "0 in some rounds, which therefore have no ratio"
    } else {
      let rounds = min(before.joined().count, after.joined().count)
      reason = "\(rounds.counted("round")): \(ConfidenceInterval.fewest) or more are needed per side"
    }
    // A change of the given size would make an interval of this width exclude 1.
    let isShown = ratio.map { $0.high / $0.estimate < 1 + soughtChange } ?? false
    return Row(
      figure: entry.name, unit: entry.facts.unit,
      runs: (old.count, new.count), old: typical(old), new: typical(new), ratio: ratio,
      runsNeeded: change != .unknown
        ? nil
        : isShown
          ? min(old.count, new.count)
          : ConfidenceInterval.runs(toShow: 1 + soughtChange, after, before, among: comparisons, most: mostRunsNeeded),
      change: change, reason: reason,
      better: better, kind: entry.facts.kind, meaning: entry.meaning)
  }

  /// The maximum number of runs per side that a report suggests.
  static let mostRunsNeeded = 20

  static func typical(_ entries: [Entry]) -> Double { Ranking.typical(entries.map(\.facts.typical)) ?? 0 }

  /// Verifies that the kind, the unit and the better direction of each figure are equal on both sides, since a ratio of
  /// different measures has no meaning.
  ///
  /// - Throws: ``InputError`` if the kind, the unit or the better direction of a figure differs between documents.
  static func refuseOtherMeasures(_ before: Figures, _ after: Figures) throws(InputError) {
    for key in after.keys {
      guard let was = before.runs[key] else { continue }
      let entries = was + (after.runs[key] ?? [])
      for entry in entries.dropFirst() where entry.facts.measure != was[0].facts.measure {
        throw InputError(
          "\(key): not comparable: it is \(was[0].facts.measure) in one document and \(entry.facts.measure) in another")
      }
    }
  }

  /// Returns the parameters whose values differ between the runs of a figure, with these values.
  static func otherSettings(_ was: [Entry], _ now: [Entry]) -> [String: [ParameterValue]] {
    guard let first = was.first?.parameters else { return [:] }
    return (was + now).flatMap(\.parameters).reduce(into: [:]) { settings, parameter in
      guard let other = first[parameter.key], other != parameter.value else { return }
      settings[parameter.key, default: []] += [other, parameter.value]
    }
  }

  /// Returns the parameters whose values differ between the sides, with these values, in the order of their names.
  static func otherSettings(_ before: Figures, _ after: Figures) -> [(name: String, values: [ParameterValue])] {
    after.keys.reduce(into: [String: [ParameterValue]]()) { settings, key in
      settings.merge(otherSettings(before.runs[key] ?? [], after.runs[key] ?? []), uniquingKeysWith: +)
    }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.distinct) }
  }

  /// Returns the parameters whose values differ between the sides, as text; nil if no parameter differs.
  static func text(
    of settings: [(name: String, values: [ParameterValue])], _ parameters: [ParameterFacts]
  ) -> String? {
    let texts = settings.map { name, values in
      let facts = parameters.first { $0.name == name }
      return
        "\(name) (\(values.compactMap { facts?.describe($0) ?? $0.integer.map(String.init) }.joined(separator: ", ")))"
    }
    return texts.isEmpty ? nil : "other values of \(texts.joined(separator: ", ")) on the two sides"
  }

  /// Returns the command of a comparison that varies in one run what differs between the sides: `gcdlab compare
  /// apply-stride cores=1,2`. The command keeps the sweep, the settings and the variants that the sides share. Returns
  /// nil if nothing differs that can be swept, if more differs, or if any run is not of the same built-in scenario.
  static func comparison(
    of documents: [ResultDocument], _ settings: [(name: String, values: [ParameterValue])], circumstances: Int
  ) -> String? {
    guard let first = documents.first, documents.allSatisfy(\.isBuiltIn),
      Set(documents.map(\.scenario.name)).count == 1, Set(documents.map(\.isQuick)).count == 1
    else { return nil }
    func sweep(_ document: ResultDocument) -> [String] {
      document.scenario.sweep.filter { name in !settings.contains { $0.name == name } }.compactMap { name in
        document.scenario.parameters.first { $0.name == name }.flatMap { $0.notation(of: $0.swept ?? []) }
      }
    }
    func isShared(_ setting: String) -> Bool { !settings.contains { setting.hasPrefix("\($0.name)=") } }
    func options(_ document: ResultDocument) -> [String] {
      let named = Set(document.runs.map(\.variant))
      let variants = document.scenario.variants.map(\.name)
      return (document.isQuick ? ["--quick"] : [])
        + document.values(ofOption: "--set").filter(isShared).flatMap { ["--set", $0] }
        + (named.count < variants.count ? variants.filter(named.contains).flatMap { ["--variant", $0] } : [])
    }
    // A swept setting can differ from side to side in its values.
    guard Set(documents.map(sweep)).count == 1, Set(documents.map(options)).count == 1 else { return nil }
    let isSwept = documents.contains { $0.runs.contains { $0.parameters[Cores.name] != nil } }
    let cores = isSwept ? [] : documents.map(\.machine.usedCores).distinct.sorted()
    guard circumstances == (cores.count > 1 ? 1 : 0) else { return nil }
    let parameters = documents.flatMap(\.scenario.parameters)
    let varied = settings.compactMap { name, values in parameters.first { $0.name == name }?.notation(of: values) }
    let counts = cores.count > 1 ? ["\(Cores.name)=\(cores.map(String.init).joined(separator: ","))"] : []
    guard varied.count == settings.count, !(varied + counts).isEmpty else { return nil }
    return ResultDocument.shell(
      [Tool.command, "compare", first.scenario.name] + sweep(first) + varied + counts + options(first))
  }
}

extension SampleFacts {
  /// A text with the properties in which two metrics must agree to be comparable.
  fileprivate var measure: String {
    let unit = unit == .none ? "a plain number" : "in \(unit.rawValue)"
    return "a \(kind.rawValue) \(unit) (better: \(better.rawValue))"
  }

  /// The typical figure of the rounds; the median of all samples if no round has a figure.
  fileprivate var typical: Double { roundMean ?? p50.value }
}
