import Laboratory

/// How trials ended that did not simply complete. What the machine does not allow is a warning, not an outcome.
struct Outcomes {
  private let index: RunIndex
  /// The figures that the claims speak of which were borne out.
  private let borneOut: Set<WrittenCheck.Figure>

  init(_ index: RunIndex) {
    self.index = index
    borneOut = Set(index.document.claims.filter(\.verdict.isBorneOut).flatMap { $0.comparison?.figures ?? [] })
  }

  /// A row a run that has such trials, a column an end; nil where all completed.
  var table: Table? {
    let runs = index.document.runs.indices.map { run in (run: run, ends: ends(of: run)) }
      .filter { $0.ends.keys.contains { $0 != Outcome.completed.name } }
    let completed = runs.contains { $0.ends[Outcome.completed.name] != nil } ? [Outcome.completed.name] : []
    let others = Set(runs.flatMap(\.ends.keys)).subtracting(completed).sorted()
    guard !others.isEmpty else { return nil }
    let rows = runs.map { run, ends in
      Table.Row(
        needsCare: !isExpected(run),
        cells: [Cell(index.labels[run], .key)]
          + (completed + others).map { end in ends[end].map { count in Cell(String(count)) } ?? .none })
    }
    return Table(
      title: "outcomes", note: "how many trials ended how; all others completed", keys: 1, isGrid: false,
      headings: [.init("variant", .left)] + (completed + others).map { Table.Heading($0) }, rows: rows)
  }

  /// How many trials of a run ended how, as the document names it.
  private func outcomes(of run: Int) -> [String: Int] {
    index.document.runs[run].outcomes.filter { $0.value > 0 && $0.key != Outcome.unavailable(reason: "").name }
  }

  /// The same, with those that a signal ended by its name.
  private func ends(of run: Int) -> [String: Int] {
    var ends = outcomes(of: run)
    for (signal, count) in index.document.runs[run].signals ?? [:] {
      ends[SignalName.name(signal, on: index.document.machine.os)] = count
      ends[Outcome.trapped(signal: 0).name] = nil
    }
    return ends
  }

  /// Whether claims say so and were borne out.
  private func isExpected(_ run: Int) -> Bool {
    outcomes(of: run).keys.filter { $0 != Outcome.completed.name }.allSatisfy { end in
      borneOut.contains { $0.scope == index.document.runs[run].variant && $0.metric == end }
    }
  }
}
