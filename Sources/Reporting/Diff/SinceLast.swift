import Laboratory
import Measurement

extension ResultDiff {
  /// Returns a line about the changes between the last run of a scenario and this run; nil if the runs cannot be
  /// compared.
  ///
  /// The line names the first figure that changed significantly and the first verdict that changed, each with the
  /// number of further changes, or states that there is no change. The runs cannot be compared if their settings,
  /// machines or versions differ, if a run was interrupted, or if the runs have no figures in common.
  ///
  /// - Parameters:
  ///   - last: the document of the last run.
  ///   - now: the document of this run.
  public static func sinceLast(_ last: ResultDocument, _ now: ResultDocument) -> String? {
    guard last.isOf(now.machine), last.isOfThisVersion == now.isOfThisVersion, last.difference(from: now) == nil,
      !last.isInterrupted, !now.isInterrupted,
      let diff = try? ResultDiff(old: [last], new: [now]), !diff.rows.isEmpty
    else { return nil }
    let changed = diff.rows.filter(\.change.isSignificant)
    let figures = changed.compactMap { row -> String? in
      row.ratio.map { ratio in
        "\(row.label) \(row.metric) \(ratio.wording(row.meaning))"
      }
    }
    let verdicts = diff.verdicts.map { "\($0.old.verdict.rawValue) then, \($0.new.verdict.rawValue) now: \($0.says)" }
    func text(_ found: [String], none: String) -> String {
      guard let first = found.first else { return none }
      return first + (found.count > 1 ? " (and \(found.count - 1) more; see \(Tool.command) diff)" : "")
    }
    let claims = now.claims.isEmpty || now.isComparison ? "" : "; claims: " + text(verdicts, none: "the same verdicts")
    return "since the last run (\(last.started.dateAndMinute) UTC), figures: "
      + text(figures, none: "no change that one pair of runs could detect") + claims
  }
}

extension ResultDocument {
  /// Returns the reason why two runs of a scenario cannot be compared, such as different settings; nil if the runs can
  /// be compared.
  public func difference(from other: ResultDocument) -> String? {
    if isComparison != other.isComparison { return "one of the two runs was a run of compare" }
    if isQuick != other.isQuick { return "one of the two runs was --quick" }
    let (own, others) = (settings, other.settings)
    guard own != others else { return nil }
    let names = Set(own.union(others).flatMap(\.point.keys)).sorted()
    let different = names.filter { name in Set(own.map { $0.point[name] }) != Set(others.map { $0.point[name] }) }
    return different.isEmpty
      ? "the two runs have different variants"
      : "the two runs have different settings (\(different.joined(separator: ", ")))"
  }

  /// Returns the reason why two comparisons have no figure in common; nil if their settings are not the reason. A
  /// parameter is the reason if neither comparison has any of the other's values.
  public func reasonWithoutCommonFigures(_ other: ResultDocument) -> String? {
    if Set(runs.map(\.variant)).isDisjoint(with: other.runs.map(\.variant)) { return "they have no variant in common" }
    let sides = [settings, other.settings]
    let names = Set(sides.joined().flatMap(\.point.keys)).sorted()
    let apart = names.filter { name in
      let values = sides.map { Set($0.compactMap { $0.point[name] }) }
      return !values[0].isEmpty && !values[1].isEmpty && values[0].isDisjoint(with: values[1])
    }
    return apart.isEmpty ? difference(from: other) : "no value of \(apart.listed()) is in both"
  }

  /// Whether the run was a run with `--quick`.
  public var isQuick: Bool { command.contains("--quick") }

  /// Whether the run was a run of `compare`. The claims of such a run count for no sentence.
  public var isComparison: Bool { scenario.isComparison }

  /// Returns whether this run started after `other`; true if `other` is nil.
  public func isLater(than other: ResultDocument?) -> Bool { other.map { started > $0.started } ?? true }

  /// The variants and settings of the runs. Their order says nothing about the work.
  private var settings: Set<RunIndex.RunKey> {
    Set(runs.map { RunIndex.RunKey(variant: $0.variant, point: $0.parameters) })
  }
}
