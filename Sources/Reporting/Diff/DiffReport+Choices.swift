import Laboratory
import Measurement

/// What the comparisons of both sides choose.
extension DiffReport {
  /// The maximum number of settings whose candidates have a line.
  private static let mostChoices = 8

  /// Returns a line with the choice of all comparisons, `the same choice in all 3 runs: stride 4`, or a line for each
  /// side with its choices, the most frequent first: `the old choice: stride 4 (in 2 of 3 runs); stride 1 (in 1)`.
  func choices(_ old: [ResultDiff.Answer], _ new: [ResultDiff.Answer]) -> [Line] {
    if Set(old + new).count == 1 {
      let all = old.count + new.count
      return [Line("the same choice \(all > 2 ? "in all \(all) runs" : "on both sides"): \(new[0].choice)")]
    }
    return [("old", old), ("new", new)].map { side, answers in
      let choices = answers.grouped { $0 }.map { (text: $0.choice, count: $1.count) }.sorted { $0.count > $1.count }
      let texts = choices.enumerated().map { place, choice in
        answers.count == 1
          ? choice.text : "\(choice.text) (in \(choice.count)\(place == 0 ? " of \(answers.count) runs" : ""))"
      }
      return Line("the \(side) choice: \(texts.abridged(to: 3, separator: "; "))")
    }
  }

  /// Returns lines about the candidates for the best at each setting of comparisons of several settings: `work 10 ns:
  /// stride 1 in 3 of 3 runs, stride 4 in 1 → stride 4 in 3 of 3 runs`. Settings with the same candidates on both sides
  /// are counted.
  func candidates(_ old: [ResultDiff.Answer], _ new: [ResultDiff.Answer]) -> [Line] {
    let both = new.flatMap(\.bests).map(\.place).distinct.map {
      (place: $0, old: Candidates(old, at: $0), new: Candidates(new, at: $0))
    }.filter { $0.old.runs > 0 }
    guard both.count > 1 else { return [] }
    let changed = both.filter { $0.old.shares != $0.new.shares }
    let same = both.count - changed.count
    let rest = same > 0 ? ["the same candidates for the best at \(GridAnswer.settings(same, of: both.count))"] : []
    let lines = changed.prefix(Self.mostChoices).map { place, old, new in
      "\(place): \(old.text) \(Signs.arrow) \(new.text)"
    }
    let more = changed.count > lines.count ? ["and \(changed.count - lines.count) more settings"] : []
    return rest.map { Line($0) } + (lines + more).map { Line($0, isItem: true) }
  }
}

/// The candidates for the best at one setting in the comparisons of one side.
private struct Candidates {
  /// The names, each with the number of runs in which it is a candidate, the most frequent first.
  private let names: [(name: String, count: Int)]
  /// The number of runs that have the setting.
  let runs: Int

  init(_ answers: [ResultDiff.Answer], at place: String) {
    let bests = answers.flatMap(\.bests).filter { $0.place == place }
    runs = bests.count
    names = bests.flatMap(\.names).grouped { $0 }.map { (name: $0.key, count: $0.elements.count) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The share of the runs in which each name is a candidate.
  var shares: [String: Double] {
    Dictionary(uniqueKeysWithValues: names.map { ($0.name, Double($0.count) / Double(max(runs, 1))) })
  }

  /// The candidates as text: `stride 1 in 3 of 3 runs, stride 4 in 1`, or `stride 1 or stride 4` for a single run.
  var text: String {
    guard runs > 1 else { return names.map(\.name).listed("or") }
    return names.enumerated().map { number, candidate in
      "\(candidate.name) in \(candidate.count)\(number == 0 ? " of \(runs) runs" : "")"
    }.abridged(to: DiffReport.mostItems)
  }
}
