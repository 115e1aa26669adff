import Laboratory

/// A chart with a bar for each run. A bar is divided into the shares of the run's outcomes.
struct OutcomeBars: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// The outcomes of the run, at least one.
    let entries: [OutcomeShares.Entry]
  }
  let title: String
  /// A note on the meaning of the counts.
  let note: String
  let rows: [Row]
  /// The labels of the runs whose outcomes are unknown, and of the runs that do not fit into the chart.
  let leftOut: [String]

  /// The maximum number of bars.
  private static let mostBars = 30

  /// Creates a chart from the outcomes of runs; nil if no run has a known outcome.
  init?(_ index: RunIndex, title: String, note: String, _ runs: [(run: Int, entries: [OutcomeShares.Entry])]) {
    let known = runs.filter { !$0.entries.isEmpty }
    guard !known.isEmpty else { return nil }
    self.title = title
    self.note = note
    rows = known.prefix(Self.mostBars).map { run, entries in
      Row(label: index.labels[run], isBroken: index.isWrong(run), entries: entries)
    }
    leftOut = (runs.filter(\.entries.isEmpty) + known.dropFirst(Self.mostBars)).map { index.labels[$0.run] }
  }

  /// The expectations that occur in the chart, without duplicates.
  var expectations: [OutcomeShares.Expectation] {
    let found = rows.flatMap { $0.entries.compactMap(\.expectation) }
    return OutcomeShares.Expectation.allCases.filter(found.contains)
  }
}
