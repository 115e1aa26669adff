import Laboratory
import Measurement

/// Several runs side by side, usually on several machines.
///
/// An atlas contains the standing of each sentence of the documents in each run, and the headline figures of each
/// scenario in each run. If a scenario has a baseline, its figures are ratios to the baseline of the run. The sentences
/// on which the runs disagree come first.
public struct Atlas: Sendable {
  let columns: [AtlasColumn]
  /// The facts that distinguish each column from the other columns, as text.
  let names: [String]
  /// The sentences of the documents; empty if no run judged any of them. The sentences on which machines disagree come
  /// first, beginning with those that one machine refutes and another machine bears out.
  let sentences: [AtlasSentence]
  let scenarios: [AtlasScenario]
  /// The words for the columns in texts: *machines* if every column is of a different machine, and *runs* otherwise.
  let words: ColumnWords
  /// Remarks that readers need before they compare columns, such as verdicts that do not count and interrupted runs.
  let cautions: [String]

  /// Creates an atlas of at least two runs.
  ///
  /// - Parameters:
  ///   - columns: the runs, one for each column.
  ///   - documents: the documents whose sentences are shown; nil in a lab without documents.
  ///   - outlines: the scenarios that try the sentences.
  ///   - names: the names of the documents to show; an empty array for all documents.
  /// - Throws: ``InputError`` if a document does not exist, or if there are fewer than two columns.
  public init(
    _ columns: [AtlasColumn], _ documents: SourceDocuments?, tried outlines: [ScenarioOutline],
    only names: [String] = []
  ) throws(InputError) {
    guard columns.count > 1 else {
      let found = columns.first.map { "only \($0.place), which is one run on one machine" } ?? "none"
      throw InputError(
        "found \(found): an atlas needs the result documents of two or more runs, such as a.json b.json")
    }
    self.columns = columns
    self.names = AtlasColumn.names(of: columns)
    let words = AtlasColumn.areMachines(columns) ? ColumnWords.machines : .runs
    self.words = words
    var indices: [SentenceIndex] = []
    if let documents {
      for column in columns {
        indices.append(try SentenceIndex(documents, tried: outlines, results: column.verdicts, only: names))
      }
    }
    let sentences = AtlasSentence.sentences(indices)
    // Comparisons judge no claims.
    self.sentences = sentences.allSatisfy { $0.agreement == .never } ? [] : sentences
    scenarios = AtlasScenario.scenarios(columns, words)
    cautions = columns.enumerated().flatMap { number, column in
      let outdated = indices.isEmpty ? [] : indices[number].outdated
      return [
        outdated.isEmpty
          ? nil
          : "\(words.one) \(number + 1): the verdicts do not count, since \(column.tool.name) \(column.tool.version) gave them and this is \(Tool.version); figures are compared if they have the same meaning",
        column.isInterrupted ? "\(words.one) \(number + 1): the run was interrupted" : nil,
        column.machine.optimised ? nil : "\(words.one) \(number + 1): figures of a debug build mean nothing",
      ].compactMap(\.self)
    }
  }

  /// The number of sentences, in total and for each kind of agreement: `115 sentences: 9 on which machines disagree,
  /// …`.
  var summary: String {
    let counts: [(Int, String)] = [
      (sentences.count { $0.agreement == .disagreed }, "on which \(words.many) disagree"),
      (sentences.count { $0.agreement == .agreed }, "on which they agree"),
      (sentences.count { $0.agreement == .once }, "judged \(words.place) one \(words.one) only"),
      (sentences.count { $0.agreement == .never }, "without a verdict"),
    ]
    return "\(sentences.count.counted("sentence")): "
      + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// Notes on the meaning of ratios, and of differences between machines.
  static let notes = [
    "A ratio is to the baseline, or in a comparison to the best mean, of the same run: absolute times say little across machines. A scenario without a baseline, or with a baseline of 0, has figures in place of ratios.",
    "\(Signs.best) best mean of the run, \(Signs.nearBest) no difference from it was found, \(Signs.undecided) undecided, also with fewer than \(ConfidenceInterval.fewest) rounds, (in parentheses) not ranked.",
    "apart: the largest ratio to the smallest; \(significantMark) if that is more than runs of one machine differ by chance, with simultaneous \(Quantity(100 * ConfidenceInterval.confidenceOfRuns, .percent)) confidence for each scenario. One run for each machine shows only large differences.",
  ]

  /// The sign that follows a significant difference.
  static let significantMark = "!"
}

/// The words for the columns of an atlas.
struct ColumnWords: Sendable {
  let one, many: String
  /// The preposition before the noun for a column: `judged on two machines`, `judged in two runs`.
  let place: String

  static let machines = ColumnWords(one: "machine", many: "machines", place: "on")
  static let runs = ColumnWords(one: "run", many: "runs", place: "in")
}
