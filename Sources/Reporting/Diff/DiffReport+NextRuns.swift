import Laboratory
import Measurement

/// What a text says of changes that cannot be judged: the reasons, and the runs that would judge them.
extension DiffReport {
  /// Returns the reasons why changes cannot be judged. Each reason is listed once, with the number of figures that have
  /// this reason.
  func reasons(_ style: TextStyle) -> [String] {
    let unjudged = diff.rows.filter { $0.reason != nil }
    return unjudged.grouped { $0.reason ?? "" }.flatMap { reason, rows in
      let least = Ranking.typical(rows.compactMap(\.ratio).map { $0.high / $0.estimate })
      let visible = least.map { " (for these, typically factors above \(Quantity.ratio($0, isRough: true)))" } ?? ""
      return style.wrapped(
        "\(rows.count) \(ResultDiff.Change.unknown.words): \(reason)\(visible)\(runsNeeded(rows))", .quiet, indent: 2)
    }
  }

  /// The size of a change, as text: `15 %`. Reports state the number of runs that would probably show a change of this
  /// size.
  private var soughtChange: String { Quantity.number(100 * diff.soughtChange) + " %" }

  /// Returns words about the number of runs that probably show a change: `; about 6 or more runs per side would show
  /// changes of 15 % in most figures`, or `; changes of 15 % would already show in most figures`. For a gate, which
  /// needs all figures, the words `, and more than 20 in all` can follow. Returns an empty string if nothing is known
  /// about the differences between runs, or if ``nextRuns(_:)`` has the number.
  private func runsNeeded(_ rows: [ResultDiff.Row]) -> String {
    // More runs of other work do not tell what changed.
    guard diff.otherSettings == nil, rows.contains(where: { $0.ratio != nil }),
      let own = rows.map({ min($0.runs.old, $0.runs.new) }).max()
    else { return "" }
    func isEnough(_ runs: Int?) -> Bool { runs.map { $0 <= own } ?? false }
    func text(_ runs: Int?) -> String {
      runs.map { "about \(Self.suggested($0, beyond: own)) or more" } ?? "more than \(ResultDiff.mostRunsNeeded)"
    }
    let (most, all) = (needed(rows, inAll: false), needed(rows, inAll: judgement != nil))
    let figures = "\(judgement == nil ? "most" : "all") figures"
    if isEnough(all) { return "; changes of \(soughtChange) would already show in \(figures)" }
    guard rows.contains(where: { max($0.runs.old, $0.runs.new) > 1 }) else { return "" }
    if isEnough(most) {
      return
        "; changes of \(soughtChange) would already show in most figures, and with \(text(all)) runs per side in all"
    }
    return "; \(text(most)) runs per side would show changes of \(soughtChange) in "
      + (text(all) == text(most) ? figures : "most figures, and \(text(all)) in all")
  }

  /// Returns the number of runs per side that probably shows a change in at least half of some figures, or in all of
  /// them; nil if ``ResultDiff/mostRunsNeeded`` runs are too few.
  private func needed(_ rows: [ResultDiff.Row], inAll: Bool) -> Int? {
    let needed = rows.filter { $0.ratio != nil }.map { $0.runsNeeded ?? .max }.sorted()
    guard let last = needed.last else { return nil }
    let runs = inAll ? last : needed[needed.count / 2]
    return runs == .max ? nil : runs
  }

  /// Returns the number of runs per side that a report suggests if `needed` runs probably suffice and there are `own`
  /// runs already. A few more runs than now are always needed, since these runs did not suffice.
  private static func suggested(_ needed: Int, beyond own: Int) -> Int { max(needed, own + own / 4 + 1) }

  /// Returns the commands that judge smaller changes than the runs of each side, after a sentence; an empty array if
  /// the runs of a side have no common command.
  func nextRuns(_ style: TextStyle) -> [String] {
    let unknown = diff.rows.filter { $0.change == .unknown && $0.ratio != nil }
    guard !unknown.isEmpty else { return [] }
    // More runs of other work, or of another machine, do not tell what changed.
    guard diff.otherSettings == nil, diff.otherCircumstances.isEmpty else {
      let why = "More runs would not tell whether this difference of the sides is the reason"
      return diff.comparison.map { style.wrapped("\(why). To vary it in one run:") + style.command($0, indent: 2) }
        ?? style.wrapped("\(why): measure both sides alike.")
    }
    let isGate = judgement != nil
    let needed = needed(unknown, inAll: isGate)
    let (old, new) = (unknown.map(\.runs.old).min() ?? 1, unknown.map(\.runs.new).min() ?? 1)
    guard min(old, new) < min(needed ?? .max, ResultDiff.mostRunsNeeded), let commands = diff.commands else {
      return []
    }
    let runs = Self.suggested(needed ?? ResultDiff.mostRunsNeeded, beyond: min(old, new))
    let purpose =
      needed == nil
      ? "Changes of \(soughtChange) probably need more than \(ResultDiff.mostRunsNeeded) runs of each side. To judge smaller changes than now"
      : "To judge changes of \(soughtChange) in \(isGate ? "all" : "most") figures"
    // A single run of each side need not have been saved under a name that fits, so all runs are made anew.
    let isFirst = max(old, new) == 1
    func missing(_ own: Int) -> Int { isFirst || alternating != nil ? runs : max(runs - own, 0) }
    let seconds =
      commands.old.seconds * Double(missing(old)) + commands.new.seconds * Double(missing(new))
    func advice(_ what: String, _ end: String, _ lines: [String]) -> [String] {
      let time = Quantity(.seconds(seconds))
      return style.wrapped("\(purpose), \(what) (\(time) in all)\(end):")
        + lines.flatMap { style.command($0, indent: 2) }
    }
    if let alternating {
      return advice(
        "alternate about \(runs) or more runs of each side", "",
        ["\(Tool.command) diff --runs \(runs) \(alternating)"])
    }
    func loop(_ commands: [String], after own: Int) -> String? {
      let numbers = isFirst ? "\(runs)" : "\(own + 1) \(runs)"
      let bodies = commands.map { "\($0)$i.json >/dev/null" }.joined(separator: "; ")
      return missing(own) > 0 ? "for i in $(seq \(numbers)); do \(bodies); done" : nil
    }
    let sides = (old: commands.old.command, new: commands.new.command)
    // Alternating runs share a slow change of the machine. If the commands are equal, something outside them differs,
    // which a loop cannot change.
    let alternates = (isFirst || old == new) && !diff.hasEqualCommands
    let loops =
      (alternates
      ? [loop([sides.old, sides.new], after: old)] : [loop([sides.old], after: old), loop([sides.new], after: new)])
      .compactMap(\.self)
    let between = diff.hasEqualCommands && loops.count > 1 ? ", with your change between the two loops" : ""
    guard isFirst else {
      let end = "\(between), and compare them together with the others (--old and --new)"
      return advice("make more runs, about \(runs) of each side", end, loops)
    }
    let options =
      diff.metrics.map { " --metric \($0)" }
      + (judgement.map { [" --fail-above \(Quantity.number(100 * $0.limit))%"] } ?? [])
    let compare = "\(Tool.command) diff --old old-*.json --new new-*.json\(options.joined())"
    return advice(
      "make about \(runs) or more runs of each side", "\(between), and compare all of them", loops + [compare])
  }
}
