/// The answers of the comparisons on both sides of a diff.
extension ResultDiff {
  /// The answer of a comparison. Two answers are equal if they choose the same runs: the figures in their sentences
  /// differ from run to run.
  struct Answer: Hashable {
    let text: String
    let bests: [ComparisonAnswer.Best]
    /// The chosen runs; the whole text if the answer chooses none.
    private let choice: String

    init(_ content: ReportContent) {
      text = content.decision.map(\.text).joined(separator: " ")
      let advice = ComparisonAnswer.advice(content)
      bests = advice.bests
      choice = advice.choice.isEmpty ? text : advice.choice
    }

    static func == (one: Answer, other: Answer) -> Bool { one.choice == other.choice }

    func hash(into hasher: inout Hasher) { hasher.combine(choice) }
  }

  /// The answers of the comparisons on each side; nil if a side has runs other than comparisons, or a comparison
  /// without an answer. Several comparisons can have different answers.
  var answers: (old: [Answer], new: [Answer], bests: BestChanges?)? {
    guard let comparisons else { return nil }
    let contents = [comparisons.old, comparisons.new].map { side in side.map { ReportContent($0) } }
    let answers = contents.map { side in side.map(Answer.init) }
    guard !answers.joined().contains(where: \.text.isEmpty) else { return nil }
    let areRanked = contents.joined().allSatisfy(\.index.hasEnoughRounds)
    let bests = answers.map { side in side.flatMap(\.bests) }
    return (answers[0], answers[1], areRanked ? BestChanges(bests[0], bests[1]) : nil)
  }

  /// The settings at which the best runs of two comparisons differ.
  struct BestChanges {
    /// The number of settings that both comparisons have.
    let count: Int
    /// The settings at which no run is among the best of both comparisons, with the names of the best runs.
    let changed: [(place: String, old: [String], new: [String])]

    /// Creates the changes; nil if the sides do not have several settings with a best run in common. A run that is
    /// among the best in one comparison of a side is among the best of the side.
    init?(_ old: [ComparisonAnswer.Best], _ new: [ComparisonAnswer.Best]) {
      func names(_ bests: [ComparisonAnswer.Best]) -> [(place: String, names: [String])] {
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
