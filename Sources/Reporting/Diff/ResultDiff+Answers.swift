/// The answers of the comparisons on both sides of a diff.
extension ResultDiff {
  /// The answer of a comparison. Two answers are equal if they choose the same runs: the figures in their sentences
  /// differ from run to run.
  struct Answer: Hashable {
    /// The best runs at each setting that the comparison varies, without yardsticks.
    let bests: [ComparisonAnswer.Best]
    /// The chosen runs in words; the first sentence of the answer if it chooses none.
    let choice: String

    init(_ content: ReportContent) {
      let advice = ComparisonAnswer.advice(content)
      bests = advice.bests
      choice = advice.choice.isEmpty ? content.decision.map(\.text).joined(separator: " ") : advice.choice
    }

    static func == (one: Answer, other: Answer) -> Bool { one.choice == other.choice }

    func hash(into hasher: inout Hasher) { hasher.combine(choice) }
  }

  /// The answers of the comparisons on each side; nil if a side has runs other than comparisons, or a comparison
  /// without an answer. Several comparisons can have different answers.
  var answers: (old: [Answer], new: [Answer])? {
    guard let comparisons else { return nil }
    let sides = [comparisons.old, comparisons.new].map { side in side.map { Answer(ReportContent($0)) } }
    return sides.joined().contains(where: \.choice.isEmpty) ? nil : (sides[0], sides[1])
  }
}
