import Laboratory
import Measurement

extension ResultDiff {
  /// Returns the reasons why the figures of both sides do not show whether the new side became worse.
  static func uncertainties(
    _ old: [ResultDocument], _ new: [ResultDocument], _ effective: EffectiveSettings
  ) -> [String] {
    interruptions("old", old) + interruptions("new", new) + builds(old, new) + lostClaims(old, new)
      + EndingCounts.lost(EndingCounts(old, effective), EndingCounts(new, effective))
  }

  static func interruptions(_ side: String, _ documents: [ResultDocument]) -> [String] {
    documents.filter(\.isInterrupted).grouped { $0.scenario.name }.map { scenario, interrupted in
      "\(scenario): interrupted on the \(side) side" + (interrupted.count > 1 ? ", \(interrupted.count) runs" : "")
    }
  }

  private static func builds(_ old: [ResultDocument], _ new: [ResultDocument]) -> [String] {
    let (was, now) = (Set(old.map(\.machine.optimised)), Set(new.map(\.machine.optimised)))
    guard was != now || was.count > 1 else { return [] }
    func names(_ builds: Set<Bool>) -> String {
      builds.map { $0 ? "optimised" : "debug" }.sorted().joined(separator: " and ")
    }
    return ["built differently: \(names(was)) on the old side, \(names(now)) on the new side"]
  }

  /// Returns a line for each claim of the old side that the new side does not contain, or that the new side judged in a
  /// smaller share of its runs. A scenario that the new side did not run has a single line.
  private static func lostClaims(_ old: [ResultDocument], _ new: [ResultDocument]) -> [String] {
    old.grouped { $0.scenario.name }.flatMap { scenario, before -> [String] in
      let after = new.filter { $0.scenario.name == scenario }
      guard !after.isEmpty else { return ["\(scenario): not run on the new side"] }
      var seen: [ClaimFacts] = []
      for claim in before.flatMap(\.claims) where !seen.contains(where: claim.isSame) { seen.append(claim) }
      return seen.compactMap { claim -> String? in
        func found(_ side: [ResultDocument]) -> [ClaimFacts] {
          side.compactMap { $0.claims.first(where: claim.isSame) }
        }
        let (was, now) = (found(before), found(after))
        func ofRuns(_ count: Int) -> String { after.count > 1 ? " in \(count) of \(after.count) runs" : "" }
        guard now.count == after.count else {
          return "\(scenario), claim missing on the new side\(ofRuns(after.count - now.count)): \(claim.says)"
        }
        let lost = now.filter { $0.verdict == .unavailable }
        let lostBefore = was.count { $0.verdict == .unavailable }
        guard let first = lost.first, lost.count * was.count > lostBefore * now.count else { return nil }
        let before = was.first { $0.verdict != .unavailable }?.verdict ?? .unavailable
        let reason = first.evidence.reason ?? "no reason is given"
        return
          "\(scenario), \(before.rawValue) \(Signs.arrow) unavailable\(ofRuns(lost.count)), \(reason): \(claim.says)"
      }
    }
  }
}

/// The numbers of a side's trials for each outcome, by variant and point.
struct EndingCounts {
  private struct Run {
    let scenario: String
    let label: String
    let isMeantToComplete: Bool
    var counts = OutcomeCounts()
    var trials: Int { counts.count { _ in true } }
    var name: String { "\(scenario) \(label)" }

    /// Returns the number of trials with the outcome `end`, as text: `queue-order serial: 3 of 18 trials hung`.
    func described(_ end: Outcome.Kind, as word: String) -> String {
      "\(name): \(counts[end]) of \(trials.counted("trial")) \(word)"
    }
  }
  private var runs: [Run] = []

  init(_ documents: [ResultDocument], _ effective: ResultDiff.EffectiveSettings) {
    var places: [String: Int] = [:]
    for document in documents {
      let complete = Set(document.scenario.variants.filter(\.isMeantToComplete).map(\.name))
      for facts in document.runs {
        var run = Run(
          scenario: document.scenario.name,
          label: ResultDiff.FigureName.label(facts.variant, effective.settings(of: facts, in: document)),
          isMeantToComplete: complete.contains(facts.variant))
        let place = places[run.name] ?? runs.count
        if place < runs.count { run = runs[place] } else { runs.append(run) }
        run.counts.add(facts.outcomes)
        runs[place] = run
        places[run.name] = place
      }
    }
  }

  /// Lines with the numbers of trials that trapped or hung although they are meant to complete.
  var crashes: [String] {
    runs.filter(\.isMeantToComplete).flatMap { run in
      run.counts.kinds.filter(\.isAbnormal).map { run.described($0, as: $0.rawValue) }
    }
  }

  /// Returns a line for each run in which a larger share of the trials was stopped or not possible on the new side than
  /// on the old side. The line contains the number of these trials. A run is skipped if neither side completed a trial
  /// of the run.
  static func lost(_ old: EndingCounts, _ new: EndingCounts) -> [String] {
    let before = Dictionary(firstOf: old.runs.map { ($0.name, $0) })
    return new.runs.flatMap { run -> [String] in
      let was = before[run.name]
      guard run.counts[.completed] + (was?.counts[.completed] ?? 0) > 0 else { return [] }
      return run.counts.kinds.filter(\.hasNoResult).filter { end in
        run.counts[end] * Swift.max(1, was?.trials ?? 1) > (was?.counts[end] ?? 0) * run.trials
      }.map { run.described($0, as: "were \($0.rawValue)") }
    }
  }
}
