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

    init(_ content: ReportContent, namesVariants: Bool) {
      (bests, choice, caution) = ComparisonAnswer.recommendation(content, namesVariants: namesVariants)
    }
  }

  /// The answers of the comparisons on each side; nil if a side has runs other than comparisons, or a comparison
  /// without an answer, or if the diff compares other metrics than those by which the comparisons rank. Several
  /// comparisons can have different answers.
  var answers: (old: [Answer], new: [Answer])? {
    // The answers rank by the headline.
    guard let comparedDocuments, let headline = rows.first?.metric, rows.allSatisfy({ $0.metric == headline }),
      [comparedDocuments.old, comparedDocuments.new].joined().allSatisfy({ $0.scenario.show.first == headline })
    else { return nil }
    let contents = [comparedDocuments.old, comparedDocuments.new].map { $0.map { ReportContent($0) } }
    // If any comparison ranks several variants, all names include the variant, so that they can be compared.
    let namesVariants = contents.joined().contains { ComparisonAnswer.rankedVariants($0).count > 1 }
    let sides = contents.map { $0.map { Answer($0, namesVariants: namesVariants) } }
    return sides.joined().contains(where: \.choice.isEmpty) ? nil : (sides[0], sides[1])
  }
}
