import Laboratory
import Measurement

/// A column of an atlas: a run on a machine, reduced to the facts that the atlas shows.
///
/// A column contains no histograms, and only the headline metrics. The results of twenty machines therefore fit into
/// memory.
public struct AtlasColumn: Sendable {
  /// The path of the file from which the run was read.
  let place: String
  let machine: Machine
  let tool: ToolFacts
  /// The start time of the run's first scenario.
  let started: String
  let isInterrupted: Bool
  /// The result documents without their figures: the scenarios, and the verdicts on their claims.
  let verdicts: [ResultDocument]
  /// The headline figures of each scenario.
  let runs: [AtlasRun]

  /// Returns the columns for the documents of a file: one column for each machine, and a further column for scenarios
  /// that were run again on a machine that already has a column.
  ///
  /// - Parameters:
  ///   - documents: the documents of the file.
  ///   - place: the path of the file.
  public static func columns(of documents: [ResultDocument], place: String) -> [AtlasColumn] {
    var runs: [[ResultDocument]] = []
    for document in documents {
      let name = document.scenario.name
      let index = runs.firstIndex { run in
        identity(run[0]) == identity(document) && !run.contains { $0.scenario.name == name }
      }
      if let index { runs[index].append(document) } else { runs.append([document]) }
    }
    return runs.map { AtlasColumn($0, place) }
  }

  private init(_ documents: [ResultDocument], _ place: String) {
    self.place = place
    machine = documents[0].machine
    tool = documents[0].tool
    started = documents.map(\.started).min() ?? ""
    isInterrupted = documents.contains(where: \.isInterrupted)
    verdicts = documents.map(\.verdictsAlone)
    runs = documents.map(AtlasRun.init)
  }

  // MARK: Facts that distinguish machines

  /// A fact that a document contains about its machine or its build, with the name of the fact.
  struct Fact: Sendable, Hashable {
    let name: String
    let text: String
  }

  var facts: [Fact] { Self.facts(machine, tool) }

  private static func identity(_ document: ResultDocument) -> [Fact] { facts(document.machine, document.tool) }

  private static func facts(_ machine: Machine, _ tool: ToolFacts) -> [Fact] {
    [
      Fact(name: "processor", text: machine.cpu ?? "unknown"),
      Fact(name: "cores", text: machine.coresText),
      Fact(name: "system", text: "\(machine.os) \(machine.kernel)"),
      Fact(name: "Dispatch", text: "Dispatch \(machine.dispatchText)"),
      Fact(name: "Swift", text: "Swift \(machine.swift)"),
      Fact(name: "lab", text: "\(tool.name) \(tool.version)" + (machine.optimised ? "" : ", debug build")),
    ]
  }

  /// Returns whether every column is of a different machine. Columns that differ only in the build of the lab are runs
  /// of one machine.
  static func areMachines(_ columns: [AtlasColumn]) -> Bool {
    Set(columns.map { $0.facts.filter { $0.name != "lab" } }).count == columns.count
  }

  /// The start time of the run, to the minute: `2026-11-21 01:02 UTC`.
  var date: String { String(started.prefix(16)).replacing("T", with: " ") + " UTC" }

  /// Returns, for each column, a text that distinguishes the column from the other columns: the facts in which the
  /// columns differ. If several columns have the same facts, the text ends with the time of the run or the path of the
  /// file.
  static func names(of columns: [AtlasColumn]) -> [String] {
    let facts = columns.map { $0.facts.map(\.text) }
    let differing = (facts.first ?? []).indices.filter { fact in Set(facts.map { $0[fact] }).count > 1 }
    let names = facts.map { facts in differing.map { facts[$0] }.joined(separator: ", ") }
    return zip(names, columns).map { name, column in
      let namesakes = zip(names, columns).filter { $0.0 == name }.map(\.1)
      guard namesakes.count > 1 else { return name }
      let isUnique = namesakes.count { $0.date == column.date } == 1
      return [name, isUnique ? column.date : column.place].filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }
}

/// The headline figures of a scenario in one run. The figures are multiples of the reference if the scenario has
/// ratios.
struct AtlasRun: Sendable {
  struct Row: Sendable {
    /// The label of the run: the variant at its point.
    let label: String
    /// Whether the variant is a broken variant, which shows a mistake.
    let isBroken: Bool
    /// The ratio of the figure to the reference, or the figure itself if the scenario has no ratios. Without a figure,
    /// the cell states how the trials ended.
    let cell: Cell
    /// The measured figure with its unit, as text; nil if there is no figure.
    let figure: String?
    /// The uncertainty of the ratio: `±2.1 %`, or the ends of a wide interval; nil if there is no ratio, if the ratio
    /// is exact, or if there are too few rounds for an interval.
    let margin: String?
    /// The contrast between the figure and the reference; nil for the reference itself, or if the figure has no ratio.
    let contrast: Contrast?
    /// Whether other rows are compared with this row.
    let isReference: Bool
    let parameters: [String: ParameterValue]
  }

  let scenario: String
  let title: String
  let metric: MetricFacts?
  /// The reference of ratios, as text; nil if the scenario has no baseline and the run is not a comparison.
  let reference: String?
  /// Whether any row has a ratio. A row has no ratio to a baseline of 0.
  let hasRatios: Bool
  let rows: [Row]

  init(_ document: ResultDocument) {
    let index = RunIndex(document)
    let metrics = Dictionary(firstOf: document.scenario.metrics.map { ($0.name, $0) })
    let headline = document.scenario.show.first.flatMap { metrics[$0] }
    scenario = document.scenario.name
    title = document.scenario.title
    metric = headline
    guard let headline else {
      (reference, hasRatios, rows) = (nil, false, [])
      return
    }
    let comparison = RunComparison(index, by: headline)
    let tables = ReportTables(index: index, shown: [headline], comparison: comparison)
    let hasRatios = !comparison.contrasts.isEmpty
    self.hasRatios = hasRatios
    reference = document.scenario.baseline ?? (document.scenario.isComparison ? comparison.forEachGroup() : nil)
    rows = document.runs.indices.filter { document.runs[$0].rounds > 0 }.map { run in
      let facts = document.runs[run]
      let samples = facts.metrics[headline.name]
      return Row(
        label: index.labels[run], isBroken: index.isBroken(run),
        cell: samples.flatMap { hasRatios ? nil : tables.figure($0) }
          ?? tables.multiple(run, headline).unranked(if: document.scenario.isComparison && !index.hasEnoughRounds),
        figure: samples.map { tables.figure($0).text },
        margin: comparison.contrasts[run]?.interval.flatMap { $0.isExact ? nil : $0.isWide ? $0.plainEnds : $0.margin },
        contrast: comparison.contrasts[run], isReference: comparison.references.contains(run),
        parameters: facts.parameters)
    }
  }

  /// A text that describes the meaning of the figures. Two runs can be compared if their texts are equal.
  var measure: String {
    let of = metric.map {
      "\($0.name), \($0.kind.rawValue)\($0.unit.rawValue.isEmpty ? "" : " in \($0.unit.rawValue)")"
    }
    return (of ?? "nothing") + (reference.map { ", to \($0)" } ?? "")
  }
}

extension Cell {
  /// Returns the cell with the sign for *undecided* if it has a ratio or the mark of the best run, and the rounds are
  /// too few to rank runs.
  fileprivate func unranked(if hasTooFewRounds: Bool) -> Cell {
    guard hasTooFewRounds, !facts.isDisjoint(with: [.ratio, .best]) else { return self }
    return Cell(text.replacing(Signs.best, with: "") + Signs.undecided, facts.subtracting(.best))
  }
}
