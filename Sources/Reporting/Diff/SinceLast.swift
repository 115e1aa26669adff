import Laboratory
import Measurement

extension ResultDiff {
  /// In one line what changed since the last run of the same scenario: `no change that a single pair of runs could
  /// detect`, or the figures and verdicts that did; nil where the two were not asked the same on the same machine.
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
    let all = figures + verdicts
    guard let first = all.first else { return "since the last run: no change that a single pair of runs could detect" }
    let others = all.count > 1 ? " (and \(all.count - 1) more; see \(Tool.command) diff)" : ""
    return "since the last run: " + first + others
  }
}

extension ResultDocument {
  /// Why another run of the scenario was not asked the same, so that nothing follows from what differs; nil where it
  /// was.
  public func unlikeness(to other: ResultDocument) -> String? {
    if isQuick != other.isQuick { return "one of the two runs was --quick" }
    return settings == other.settings ? nil : "the two runs have different settings"
  }

  /// Whether it was run short.
  public var isQuick: Bool { command.contains("--quick") }

  /// Whether it was started after another, or there is no other.
  public func isLater(than other: ResultDocument?) -> Bool { other.map { started > $0.started } ?? true }

  /// The settings of each run, by variant and point.
  private var settings: [[String: ParameterValue]] { runs.map(\.parameters) }
}
