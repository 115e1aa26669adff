import Laboratory

/// How trials ended that did not simply complete. What the machine does not allow is a warning, not an outcome.
struct Outcomes {
  private let index: RunIndex

  init(_ index: RunIndex) { self.index = index }

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

  /// How many trials of a run ended how, those that a signal ended by its name.
  private func ends(of run: Int) -> [String: Int] {
    let facts = index.document.runs[run]
    var ends = facts.outcomes.filter { $0.value > 0 }
    ends[Outcome.unavailable(reason: "").name] = nil
    for (signal, count) in facts.signals ?? [:] {
      ends[SignalName.name(signal, on: index.document.machine.os)] = count
      ends[Outcome.trapped(signal: 0).name] = nil
    }
    return ends
  }

  /// Whether claims say so and were borne out.
  private func isExpected(_ run: Int) -> Bool {
    let facts = index.document.runs[run]
    let borneOut = index.document.claims.filter(\.verdict.isBorneOut).map(\.check)
    let ends = facts.outcomes.filter { $0.value > 0 }.keys
    return ends.allSatisfy { end in
      [Outcome.completed.name, Outcome.unavailable(reason: "").name].contains(end)
        || borneOut.contains { $0.contains("\(facts.variant).\(end) ") }
    }
  }
}
