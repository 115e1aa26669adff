import Exploration

/// The sentences about an exploration, which are the same in all formats.
enum ExplorationWords {
  /// Returns sentences about the limits of some explorations; an empty array if nothing was explored.
  static func limits(_ results: [ExplorationResult]) -> [String] {
    guard results.contains(where: { $0.summary != nil }) else { return [] }
    return [model] + (results.allSatisfy { $0.trials == nil } ? [noTrials] : [])
  }

  /// A sentence about the model that explorations run on.
  static let model =
    "Each execution is sequentially consistent, at the grain of the steps shown. Queues, groups, sources and locks are a model of "
    + "what the documents say: nothing inside libdispatch is explored, and nothing here is a proof of the library."

  private static let noTrials =
    "No schedule was replayed on free threads: --trials 10 runs the scenario's own trials, whose gates provoke what breaks there."

  /// Returns sentences about one result, or a sentence about several results with a common obstacle.
  static func sentence(_ results: [ExplorationResult]) -> String {
    guard results.count > 1, let obstacle = results[0].obstacle else { return results.first.map(sentence) ?? "" }
    return "They cannot be explored: \(obstacle)."
  }

  /// Returns sentences about a result: `18 schedules of 2 threads, 12 break it: …`. Returns an empty string if the
  /// result has neither a summary nor an obstacle.
  static func sentence(_ result: ExplorationResult) -> String {
    if let obstacle = result.obstacle { return "It cannot be explored: \(obstacle)." }
    guard let summary = result.summary else { return "" }
    let participants = participants(summary.participants)
    let count =
      amount(summary.schedules, kind(summary.strategy)) + (participants.isEmpty ? "" : " of \(participants)")
    var text =
      switch (summary.broken, summary.isComplete) {
      case (0, true): summary.schedules == 1 ? "\(count), which holds." : "None of the \(count) breaks it."
      case (0, false): "None of \(count) breaks it so far."
      default:
        "\(count), \(summary.broken.withCommas) break\(summary.broken == 1 ? "s" : "") it: "
          + "\(summary.shortest?.outcome.words ?? "")."
      }
    if case .preemptions(let most) = summary.strategy {
      text += " Schedules with more than \(amount(most, "preemption")) were not tried."
    }
    if summary.strategy == .reduced { text += " Orders of steps that commute count once." }
    if !summary.isComplete { text += " The search ended before all schedules were tried." }
    if let trials = result.trials {
      text +=
        trials.of == 0
        ? " No trial on free threads could be judged."
        : " On free threads, \(trials.seen) of \(amount(trials.of, "trial")) of the scenario \(trials.seen == 1 ? "shows" : "show") its anomaly\(trials.seen > 0 ? " (the trials are built to provoke it)" : "")."
    }
    return text
  }

  private static func kind(_ strategy: Explorer.Strategy) -> String {
    switch strategy {
    case .random, .priorities: "random schedule"
    case .all, .everyOrder, .reduced, .preemptions: "schedule"
    }
  }

  /// Returns the participants in words, `the caller, 2 threads and 1 block`; an empty string if there are no
  /// participants.
  static func participants(_ names: [String]) -> String {
    let kinds = names.grouped { hasNumber($0) ? $0.split(separator: " ").dropLast().joined(separator: " ") : nil }
    return kinds.flatMap { kind, names in kind.map { [amount(names.count, $0)] } ?? names.map { "the \($0)" } }.listed()
  }

  /// Returns whether the name of a participant ends with a number, as `thread 1` does. Only the caller and the main
  /// task have no number.
  private static func hasNumber(_ name: String) -> Bool { name.last?.isNumber == true }

  /// Returns an explanation of the numbers of a schedule: ` (0 is the caller, 1 the main task, 3 block 1; steps that
  /// change nothing are not listed)`. Returns an empty string if the list of steps makes the numbers clear.
  static func numbers(_ record: ScheduleRecord) -> String {
    let names = Set(record.decisive).sorted().map { (number: $0, name: record.strands[$0]) }
    let isClear = names.allSatisfy { number, name in number == 0 || name.hasSuffix(" \(number)") }
    guard !isClear || record.shown.count < record.decisive.count else { return "" }
    let named = names.enumerated().map { place, name in
      "\(name.number) \(place == 0 ? "is " : "")\(hasNumber(name.name) ? "" : "the ")\(name.name)"
    }
    let meaning = isClear ? "" : named.joined(separator: ", ") + "; "
    return " (\(meaning)steps that change nothing are not listed)"
  }

  /// Returns a description of the end of the schedule; nil if a step of the table already describes the end.
  static func end(_ record: ScheduleRecord) -> String? {
    if case .deadlock(let waiting) = record.outcome {
      return "No thread can continue: \(waiting.joined(separator: "; "))."
    }
    if record.shown.contains(where: { $0.breaks != nil }) { return nil }
    return record.outcome == .holds ? "It holds." : "At the end: \(record.outcome.words)."
  }

  static func amount(_ count: Int, _ thing: String) -> String { "\(count.withCommas) \(thing)\(count == 1 ? "" : "s")" }
}
