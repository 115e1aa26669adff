/// What the comparisons of both sides of a diff answer.
extension ResultDiff {
  /// What the comparisons of each side answer; nil if a side has other runs, or a comparison without an answer. Several
  /// comparisons can have different answers.
  var answers: (old: [String], new: [String], bests: BestChanges?)? {
    guard let comparisons else { return nil }
    let contents = [comparisons.old, comparisons.new].map { side in side.map { ReportContent($0) } }
    let texts = contents.map { side in side.map { $0.decision.map(\.text).joined(separator: " ") } }
    guard !texts.joined().contains("") else { return nil }
    let areRanked = contents.joined().allSatisfy(\.index.hasEnoughRounds)
    let bests = contents.map { side in side.flatMap(SearchAnswer.bests) }
    return (texts[0], texts[1], areRanked ? BestChanges(bests[0], bests[1]) : nil)
  }

  /// The settings at which the best runs of two comparisons differ.
  struct BestChanges {
    /// The number of settings that both comparisons have.
    let count: Int
    /// The settings at which no run is among the best of both comparisons, with the names of the best runs.
    let changed: [(place: String, old: [String], new: [String])]

    /// Creates the changes; nil if the sides do not have several settings with a best run in common. A run that is
    /// among the best in one comparison of a side is among the best of the side.
    init?(_ old: [SearchAnswer.Best], _ new: [SearchAnswer.Best]) {
      func names(_ bests: [SearchAnswer.Best]) -> [(place: String, names: [String])] {
        bests.grouped(by: \.place).map { ($0, $1.flatMap(\.names).distinct) }
      }
      let before = Dictionary(firstOf: names(old).map { ($0.place, $0.names) })
      let both = names(new).compactMap { place, names in before[place].map { (place: place, old: $0, new: names) } }
      guard both.count > 1, !both.contains(where: { $0.old.isEmpty || $0.new.isEmpty }) else { return nil }
      count = both.count
      changed = both.filter { Set($0.old).isDisjoint(with: $0.new) }
    }
  }
}
