import Laboratory

/// What came out of each run, as a bar that is divided by the shares of its outcomes.
struct OutcomeBars: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// The outcomes; none where the run has no figure of them.
    let entries: [Outcomes.Entry]
  }
  let title: String
  /// What is counted.
  let note: String
  let rows: [Row]
  /// Whose outcomes are not known, or have no room.
  let leftOut: [String]

  /// More bars are no picture.
  private static let most = 30

  /// Nil where no run has an outcome.
  init?(_ index: RunIndex, title: String, note: String, _ runs: [(run: Int, entries: [Outcomes.Entry])]) {
    let known = runs.filter { !$0.entries.isEmpty }
    guard !known.isEmpty else { return nil }
    self.title = title
    self.note = note
    rows = known.prefix(Self.most).map { run, entries in
      Row(label: index.labels[run], isBroken: index.isWrong(run), entries: entries)
    }
    leftOut = (runs.filter(\.entries.isEmpty) + known.dropFirst(Self.most)).map { index.labels[$0.run] }
  }

  /// What the outcomes that are there are to the claims.
  var expectations: [Outcomes.Expectation] {
    let found = rows.flatMap { $0.entries.compactMap(\.expectation) }
    return Outcomes.Expectation.allCases.filter(found.contains)
  }
}
