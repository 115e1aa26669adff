/// The answers of the comparisons on both sides of a diff.
extension ResultDiff {
  /// What a comparison chooses. The figures in the sentences of its answer differ from run to run.
  struct Answer {
    /// The best runs at each setting that the comparison varies.
    let bests: [ComparisonAnswer.Best]
    /// The chosen runs in words; empty if the answer chooses none.
    let choice: String
    /// A remark on a choice that is not certain, such as `undecided`; otherwise nil.
    let caution: String?

    init(_ content: ReportContent) {
      (bests, choice, caution) = ComparisonAnswer.recommendation(content)
    }
  }

  /// The answers of the comparisons on each side; nil if a side has runs other than comparisons, or a comparison
  /// without an answer. Several comparisons can have different answers.
  var answers: (old: [Answer], new: [Answer])? {
    guard let comparisons else { return nil }
    let sides = [comparisons.old, comparisons.new].map { side in side.map { Answer(ReportContent($0)) } }
    return sides.joined().contains(where: \.choice.isEmpty) ? nil : (sides[0], sides[1])
  }
}
