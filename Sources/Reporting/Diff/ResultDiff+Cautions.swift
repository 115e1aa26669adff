import Laboratory
import Measurement

extension ResultDiff {
  /// Returns a line for each kind of disturbance in the runs of a side.
  ///
  /// - Parameter side: the name of the side at the beginning of each line.
  static func disturbances(_ side: String, _ documents: [ResultDocument]) -> [String] {
    let remarks = documents.flatMap { document in
      // Every run has some outliers, and the intervals of the changes show how precise the runs are. The warning about
      // busy cores has the facts of the warnings about their effects.
      let isBusy = document.warnings.contains { $0.kind == RunNote.coresTaken }
      let omitted =
        [RunNote.outliers, RunNote.precision]
        + (isBusy ? [RunNote.oneCore, RunNote.lacking, RunNote.repeated] : [])
      return document.warnings.filter { !omitted.contains($0.kind) }.map(document.fitting)
        .map { (kind: $0.kind, scenario: document.scenario.name, says: $0.says) }
    }
    return remarks.grouped(by: \.kind).compactMap { _, remarks in
      guard let first = remarks.first else { return nil }
      let more = remarks.count > 1 ? " (and \(remarks.count - 1) more of this kind)" : ""
      return "\(side), \(first.scenario): \(first.says)\(more)"
    }
  }

  /// Returns a line for each difference between the machines, the versions and the builds of two sides.
  static func otherCircumstances(_ old: [ResultDocument], _ new: [ResultDocument]) -> [String] {
    guard let before = old.first, let after = new.first else { return [] }
    let (was, now) = (before.machine, after.machine)
    var lines: [String] = []
    func differ(_ what: String, _ old: String, _ new: String) {
      if old != new { lines.append("another \(what): \(old) before, \(new) now") }
    }
    differ("version", "\(before.tool.name) \(before.tool.version)", "\(after.tool.name) \(after.tool.version)")
    differ("system", "\(was.os) \(was.kernel)", "\(now.os) \(now.kernel)")
    differ("processor", was.cpu ?? "unknown", now.cpu ?? "unknown")
    differ("number of cores", "\(was.usedCores)", "\(now.usedCores)")
    differ("Swift", was.swift, now.swift)
    differ("Dispatch", was.dispatch ?? "of Swift", now.dispatch ?? "of Swift")
    differ("build", was.optimised ? "optimised" : "debug", now.optimised ? "optimised" : "debug")
    return lines
  }

  /// Returns a sentence if other programs kept the cores busy during the runs of one side only; otherwise nil.
  static func otherLoad(_ old: [ResultDocument], _ new: [ResultDocument]) -> String? {
    func isBusy(_ side: [ResultDocument]) -> Bool {
      side.contains { document in document.warnings.contains { $0.kind == RunNote.coresTaken } }
    }
    guard isBusy(old) != isBusy(new), !old.isEmpty, !new.isEmpty else { return nil }
    return "another load: other programs kept the cores busy during the \(isBusy(old) ? "old" : "new") runs only"
  }

  static func cautions(
    _ old: [ResultDocument], _ new: [ResultDocument], _ settings: String?
  ) -> [String] {
    guard let was = old.first?.machine, let now = new.first?.machine else { return [] }
    var cautions: [String] = []
    // If the same work takes a different time, every figure changes with this time.
    let speed = was.work.stepsPerMicrosecond / now.work.stepsPerMicrosecond
    if speed.isFinite, abs(speed - 1) > 0.05 {
      cautions.append("calibrated work took \(Quantity.ratio(speed)) times as long on the new side as on the old side")
    }
    if let settings { cautions.append(settings) }
    if (old + new).contains(where: \.isInterrupted) { cautions.append("one side was interrupted") }
    return cautions
  }
}
