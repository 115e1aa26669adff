import Laboratory
import Measurement

extension ResultDiff {
  /// In one line what changed since the last run of the same scenario: `nothing that one run each can tell`, or the figures and
  /// verdicts that did; nil where the two were not asked the same on the same machine.
  public static func sinceLast(_ last: ResultDocument, _ now: ResultDocument) -> String? {
    guard last.isOf(now.machine), last.isOfThisVersion == now.isOfThisVersion, last.settings == now.settings,
      !last.isCut, !now.isCut,
      let diff = try? ResultDiff(old: [last], new: [now])
    else { return nil }
    let changed = diff.rows.filter { [.better, .worse, .different].contains($0.change) }
    let figures = changed.compactMap { row -> String? in
      row.ratio.map { ratio in
        "\(row.label) \(ratio.wording(ofTimes: row.unit == .nanoseconds))"
      }
    }
    let verdicts = diff.verdicts.map { "\($0.says) (\($0.old.rawValue) then, \($0.new.rawValue) now)" }
    let all = figures + verdicts
    guard let first = all.first else { return "since the last run: nothing changed that one run each can tell" }
    return "since the last run: " + first + (all.count > 1 ? ", and \(all.count - 1) more; see \(Tool.command) diff" : "")
  }
}

extension ResultDocument {
  /// The settings of each run, by variant and point.
  fileprivate var settings: [[String: ParameterValue]] { runs.map(\.parameters) }
}
