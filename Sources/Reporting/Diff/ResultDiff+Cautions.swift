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

  /// The properties of a run that should be equal in all runs of a diff, with their names.
  private static let circumstances: [(name: String, of: @Sendable (ResultDocument) -> String?)] = [
    ("version", { "\($0.tool.name) \($0.tool.version)" }),
    ("system", { "\($0.machine.os) \($0.machine.kernel)" }),
    ("processor", { $0.machine.cpu ?? "unknown" }),
    // A setting of the cores is part of the figures' names.
    ("number of cores", { $0.runs.contains { $0.parameters[Cores.name] != nil } ? nil : "\($0.machine.usedCores)" }),
    ("Swift", { $0.machine.swift }),
    ("Dispatch", { $0.machine.dispatch ?? "of Swift" }),
    ("build", { $0.machine.optimised ? "optimised" : "debug" }),
  ]

  /// Returns a line for each difference between the machines, the versions and the builds of two sides, or of the runs
  /// of a side.
  static func otherCircumstances(_ old: [ResultDocument], _ new: [ResultDocument]) -> [String] {
    guard !old.isEmpty, !new.isEmpty else { return [] }
    return circumstances.compactMap { name, value in
      let (was, now) = (old.compactMap(value).distinct, new.compactMap(value).distinct)
      guard was != now || was.count > 1, !was.isEmpty, !now.isEmpty else { return nil }
      return "another \(name): \(was.listed()) before, \(now.listed()) now"
    }
  }

  /// Returns a sentence if other programs kept the cores busy during the runs of one side only; otherwise nil.
  static func otherLoad(_ old: [ResultDocument], _ new: [ResultDocument]) -> String? {
    func isBusy(_ side: [ResultDocument]) -> Bool {
      side.contains { document in document.warnings.contains { $0.kind == RunNote.coresTaken } }
    }
    guard isBusy(old) != isBusy(new), !old.isEmpty, !new.isEmpty else { return nil }
    return "another load: other programs kept the cores busy during the \(isBusy(old) ? "old" : "new") runs only"
  }

  /// Returns a sentence if the calibrations before the runs measured another speed on the new side; otherwise nil. Work
  /// of the same length then has another number of steps.
  static func otherSpeed(_ old: [ResultDocument], _ new: [ResultDocument]) -> String? {
    func speed(_ side: [ResultDocument]) -> Double? {
      Ranking.typical(side.map(\.machine.work.stepsPerMicrosecond))
    }
    guard let was = speed(old), let now = speed(new), was > 0, now > 0, abs(now / was - 1) > leastOtherSpeed
    else { return nil }
    let share = "\(Quantity.number((100 * abs(now / was - 1)).rounded())) %"
    let (amount, speed, shift) = now < was ? ("fewer", "slower", "lower") : ("more", "faster", "higher")
    return
      "calibrated work has \(share) \(amount) steps on the new side, since the calibration before its runs found a "
      + "\(speed) processor; unless it was \(speed) during the trials, too, times of work are about \(share) \(shift) "
      + "on the new side for this reason alone"
  }

  /// The smallest difference of the machine's speed between the sides that a report mentions, as a share.
  private static let leastOtherSpeed = 0.05
}
