import Laboratory
import Measurement

extension ResultDiff {
  /// Returns one line about the changes since the last run of the same scenario: the figures of the tables and the
  /// verdicts of the claims, or that a single pair of runs shows no change. Nil if the settings or the machines of the
  /// two runs differ, or if one of the runs was interrupted.
  public static func sinceLast(_ last: ResultDocument, _ now: ResultDocument) -> String? {
    guard last.isOf(now.machine), last.isOfThisVersion == now.isOfThisVersion, last.unlikeness(to: now) == nil,
      !last.isCut, !now.isCut,
      let diff = try? ResultDiff(old: [last], new: [now])
    else { return nil }
    let changed = diff.rows.filter { [.better, .worse, .different].contains($0.change) }
    let figures = changed.compactMap { row -> String? in
      row.ratio.map { ratio in
        "\(row.label) \(row.metric) \(ratio.wording(row.meaning))"
      }
    }
    let verdicts = diff.verdicts.map { "\($0.old.rawValue) then, \($0.new.rawValue) now: \($0.says)" }
    func text(_ found: [String], none: String) -> String {
      guard let first = found.first else { return none }
      return first + (found.count > 1 ? " (and \(found.count - 1) more; see \(Tool.command) diff)" : "")
    }
    let claims = now.claims.isEmpty ? "" : "; claims: " + text(verdicts, none: "the same verdicts")
    return "since the last run, figures: "
      + text(figures, none: "no change that one pair of runs could detect") + claims
  }
}

extension ResultDocument {
  /// Returns the reason why this run cannot be compared with another run of the scenario, such as other settings; nil
  /// if the two runs can be compared.
  public func unlikeness(to other: ResultDocument) -> String? {
    if isQuick != other.isQuick { return "one of the two runs was --quick" }
    return settings == other.settings ? nil : "the two runs have different settings"
  }

  /// Whether the run was a short one (`--quick`).
  public var isQuick: Bool { command.contains("--quick") }

  /// Returns whether the run started after another one, or whether there is no other run.
  public func isLater(than other: ResultDocument?) -> Bool { other.map { started > $0.started } ?? true }

  /// The settings of each run, by variant and point.
  private var settings: [[String: ParameterValue]] { runs.map(\.parameters) }
}
