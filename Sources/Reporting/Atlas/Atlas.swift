import Laboratory
import Measurement

/// Several runs side by side, mostly of several machines: each sentence of the documents with its standing in each run,
/// and the headline figures of each scenario as ratios to the baseline in the same run. The largest differences come
/// first.
public struct Atlas: Sendable {
  let columns: [AtlasColumn]
  /// The facts that distinguish each column from the others.
  let names: [String]
  /// The sentences of the documents. Those on which machines disagree come first, and among these, those that one
  /// machine refutes and another bears out.
  let sentences: [AtlasSentence]
  let scenarios: [AtlasScenario]
  /// The words for the columns: machines if every column is of another machine, otherwise runs.
  let words: ColumnWords
  /// The facts that a reader must know before columns are compared: verdicts that do not count, and interrupted runs.
  let cautions: [String]

  /// Creates an atlas of at least two runs, one for each column.
  ///
  /// - Parameters:
  ///   - documents: The documents whose sentences are shown; nil in a lab without documents.
  ///   - outlines: The scenarios that try the sentences.
  ///   - names: The names of the documents to show; all if empty.
  /// - Throws: ``InputError`` if a document does not exist, or if there are fewer than two columns.
  public init(
    _ columns: [AtlasColumn], _ documents: Documents?, tried outlines: [ScenarioOutline], only names: [String] = []
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
    sentences = AtlasSentence.sentences(indices)
    scenarios = AtlasScenario.scenarios(columns, words)
    cautions = columns.enumerated().flatMap { number, column in
      let outdated = indices.isEmpty ? [] : indices[number].outdated
      return [
        outdated.isEmpty
          ? nil
          : "\(words.one) \(number + 1): the verdicts do not count, since \(column.tool.name) \(column.tool.version) gave them and this is \(Tool.version); figures are compared if they have the same meaning",
        column.isCut ? "\(words.one) \(number + 1): the run was interrupted" : nil,
        column.machine.optimised ? nil : "\(words.one) \(number + 1): figures of a debug build mean nothing",
      ].compactMap(\.self)
    }
  }

  /// The number of sentences, and the number of those on which the machines disagree:
  /// `115 sentences: 9 on which machines disagree, …`.
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

  /// The facts that a reader must know about ratios, and about differences between machines.
  static let notes = [
    "A ratio is to the scenario's baseline in the same run: absolute times say little across machines. Without a baseline, or if it is 0, the cell shows the figure itself.",
    "apart: the largest ratio to the smallest; \(told) if that is more than runs of one machine differ by chance, with simultaneous \(Quantity(100 * ConfidenceInterval.confidenceOfRuns, .percent)) confidence for each scenario. One run for each machine shows only large differences.",
  ]

  /// The sign after a significant difference.
  static let told = "!"
}

/// The words for the columns of an atlas.
struct ColumnWords: Sendable {
  let one, many: String
  /// The preposition before a column: `judged on two machines`, `judged in two runs`.
  let place: String

  static let machines = ColumnWords(one: "machine", many: "machines", place: "on")
  static let runs = ColumnWords(one: "run", many: "runs", place: "in")
}

/// A sentence of the documents on several machines.
struct AtlasSentence: Sendable {
  /// Whether the columns that judged a sentence agree. A single column agrees with no other.
  enum Agreement: CaseIterable, Sendable {
    case disagreed, agreed, once, never

    /// Returns the heading of the sentences in this group.
    func words(_ columns: ColumnWords) -> String {
      switch self {
      case .disagreed: "sentences on which \(columns.many) disagree"
      case .agreed: "sentences on which \(columns.many) agree"
      case .once: "sentences judged \(columns.place) one \(columns.one) only"
      case .never: "sentences without a verdict"
      }
    }
  }

  /// The extent to which machines disagree on a sentence.
  enum Disagreement: Int, Sendable, Comparable {
    case none
    /// The sentence is open on some machines.
    case open
    /// The sentence stands otherwise on some machines, as partly or as what a stand-in does.
    case otherwise
    /// The sentence is refuted on one machine and holds on another.
    case opposed

    static func < (left: Disagreement, right: Disagreement) -> Bool { left.rawValue < right.rawValue }
  }

  /// A claim on the sentence, with its result on each machine that judged it.
  struct Claim: Sendable {
    let scenario: String
    let says: String
    let check: String
    /// The results by the index of the machine; nil for a machine that did not judge the claim.
    let judgedClaims: [SentenceIndex.JudgedClaim?]
    /// The kind of the figures, and the ratio of the largest to the smallest; nil if they cannot be compared.
    let apart: (of: String, times: Double)?

    /// Each result in words, with the numbers of the machines that have it.
    var words: [(machines: [Int], says: String)] {
      let words = judgedClaims.enumerated().compactMap { number, judgedClaim in
        judgedClaim.map { (number + 1, $0.words) }
      }
      return words.grouped { $0.1 }.map { says, machines in (machines.map(\.0), says) }
    }

    /// `the ratios lie 1.93x apart`; nil if the figures cannot be compared.
    var apartText: String? { apart.map { "the \($0.of) lie \(Quantity.ratio($0.times))x apart" } }
  }

  /// The title of the document that contains the sentence.
  let chapter: String
  let id: String
  let says: String
  let said: Documents.Strength?
  /// The standings by the index of the machine; nil if another version of the lab gave the verdicts, which do not
  /// count.
  let standings: [SentenceStanding?]
  let disagreement: Disagreement
  /// The claims on which the machines disagree.
  let claims: [Claim]

  /// The number of machines that judged the sentence.
  var judged: Int { standings.count { $0?.isJudged == true } }

  var agreement: Agreement {
    disagreement != .none ? .disagreed : judged > 1 ? .agreed : judged == 1 ? .once : .never
  }

  static func sentences(_ indices: [SentenceIndex]) -> [AtlasSentence] {
    guard let first = indices.first else { return [] }
    // All indices have the same chapters and sentences, in the same order.
    let all = first.chapters.indices.flatMap { chapter in
      first.chapters[chapter].entries.indices.map { entry in
        AtlasSentence(
          first.chapters[chapter].title, indices.map { $0.chapters[chapter].entries[entry] },
          outdated: indices.map { Set($0.outdated) })
      }
    }
    let levels = [Disagreement.opposed, .otherwise, .open, .none]
    return levels.flatMap { level in all.filter { $0.disagreement == level } }
  }

  private init(_ chapter: String, _ entries: [SentenceIndex.Entry], outdated: [Set<String>]) {
    self.chapter = chapter
    id = entries[0].id
    says = entries[0].says
    said = entries[0].said
    standings = zip(entries, outdated).map { entry, outdated in
      entry.standing == .notRun && !outdated.isDisjoint(with: entry.scenarios) ? nil : entry.standing
    }
    let judged = standings.compactMap(\.self).filter(\.isJudged)
    disagreement = Self.disagreement(Set(judged))
    claims = disagreement == .none ? [] : Self.claims(entries.map(\.judgedClaims))
  }

  private static func disagreement(_ standings: Set<SentenceStanding>) -> Disagreement {
    let holds: Set<SentenceStanding> = [.borneOut, .inOneConfiguration, .byInference, .byConstruction]
    if standings.contains(.refuted), !standings.isDisjoint(with: holds) { return .opposed }
    if standings.subtracting(holds).count + (standings.isDisjoint(with: holds) ? 0 : 1) < 2 { return .none }
    let decided = standings.subtracting([.undecided])
    return decided.subtracting(holds).count + (decided.isDisjoint(with: holds) ? 0 : 1) > 1 ? .otherwise : .open
  }

  private struct Key: Hashable {
    let scenario, check: String
  }

  /// Returns the claims whose opinions differ.
  private static func claims(_ judgedClaims: [[SentenceIndex.JudgedClaim]]) -> [Claim] {
    let keys = judgedClaims.joined().grouped { Key(scenario: $0.scenario, check: $0.claim.check) }.map(\.key)
    return keys.compactMap { key in
      let found = judgedClaims.map { all in
        all.first { $0.scenario == key.scenario && $0.claim.check == key.check && $0.opinion != .unavailable }
      }
      guard let first = found.compactMap(\.self).first, Set(found.compactMap { $0?.opinion }).count > 1 else {
        return nil
      }
      return Claim(
        scenario: key.scenario, says: first.claim.says, check: key.check, judgedClaims: found,
        apart: apart(found.compactMap { $0?.claim }))
    }
  }

  /// Returns how far apart the figures of a claim are: its ratios if all columns have one, otherwise the left side of
  /// its check.
  private static func apart(_ claims: [ClaimFacts]) -> (of: String, times: Double)? {
    let ratios = claims.compactMap { $0.evidence.ratio?.value }
    let areRatios = ratios.count == claims.count
    let figures = areRatios ? ratios : claims.compactMap { $0.evidence.left?.value }
    guard claims.count > 1, figures.count == claims.count, Set(claims.map(\.evidence.unit)).count == 1,
      let low = figures.min(), let high = figures.max(), low > 0, low < high
    else { return nil }
    let ends = (claims.compactMap { $0.evidence.low?.value }.max(), claims.compactMap { $0.evidence.high?.value }.min())
    let doOverlap = areRatios && (ends.0 ?? 0) <= (ends.1 ?? 0)
    return (areRatios ? doOverlap ? "ratios, whose intervals overlap," : "ratios" : "figures", high / low)
  }
}

extension SentenceStanding {
  /// Whether claims on the sentence were judged, whatever the result.
  var isJudged: Bool {
    switch self {
    case .refuted, .partly, .undecided, .borneOut, .inOneConfiguration, .byInference, .standIn, .byConstruction: true
    case .unavailable, .notRun, .untried: false
    }
  }
}

/// A scenario on several machines, with its headline figures.
struct AtlasScenario: Sendable {
  struct Row: Sendable {
    let label: String
    let isBroken: Bool
    /// The cells by the index of the machine; nil if the run does not exist there or cannot be compared.
    let cells: [AtlasRun.Row?]
    /// The ratio of the largest cell to the smallest; nil for fewer than two.
    let apart: Double?
    /// Whether `apart` is more than runs of one machine differ by chance; nil for too few rounds.
    let isTold: Bool?

    /// Whether some machine has a figure, or the trials ended differently on two machines.
    var saysSomething: Bool {
      cells.contains { $0?.figure != nil } || Set(cells.compactMap { $0?.cell.text }).count > 1
    }

    /// `2.10x!`, with the sign if the difference is significant.
    var apartText: String { apart.map { Quantity.ratio($0) + "x" + (isTold == true ? Atlas.told : "") } ?? "" }
  }

  let name: String
  let title: String
  /// A description of the cells: `elapsed as a multiple of serial-loop in the same run`.
  let note: String
  /// The rows, in the order of the first machine.
  let rows: [Row]
  /// The machines whose figures have another meaning, and the settings that were not the same.
  let cautions: [String]

  /// Returns at most `most` rows: those that differ most, in their order.
  func rows(most: Int) -> [Row] {
    guard rows.count > most else { return rows }
    let kept = rows.indices.sorted { rank(rows[$0]) > rank(rows[$1]) }.prefix(most)
    return kept.sorted().map { rows[$0] }
  }

  private func rank(_ row: Row) -> Double { row.apart ?? (Set(row.cells.map { $0?.cell.text }).count > 1 ? 1 : 0) }

  static func scenarios(_ columns: [AtlasColumn], _ words: ColumnWords) -> [AtlasScenario] {
    var names: [String] = []
    for run in columns.flatMap(\.runs) where !names.contains(run.scenario) { names.append(run.scenario) }
    return names.compactMap { name in
      AtlasScenario(columns.map { column in column.runs.first { $0.scenario == name } }, words)
    }
  }

  private init?(_ runs: [AtlasRun?], _ words: ColumnWords) {
    guard let first = runs.compactMap(\.self).first(where: { $0.metric != nil }), let metric = first.metric else {
      return nil
    }
    name = first.scenario
    title = first.title
    let compared = runs.map { run in run.flatMap { $0.measure == first.measure ? $0 : nil } }
    let hasRatios = compared.contains { $0?.hasRatios == true }
    note =
      first.reference.map { reference in
        hasRatios
          ? "\(metric.name) as a multiple of \(reference) in the same run"
          : "\(metric.name), the figure itself: \(reference) is 0, so there is no multiple"
      } ?? "\(metric.name), the figure itself: the scenario has no baseline"
    let others = runs.enumerated().compactMap { number, run -> String? in
      guard let run, run.measure != first.measure else { return nil }
      return "\(words.one) \(number + 1) has \(run.measure), not \(first.measure): not compared"
    }
    let tables = compared.map { run in
      Dictionary((run?.rows ?? []).map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
    }
    var labels: [String] = []
    var seen: Set<String> = []
    for row in compared.compactMap(\.self).flatMap(\.rows) where seen.insert(row.label).inserted {
      labels.append(row.label)
    }
    let comparisons = labels.count * runs.count * (runs.count - 1) / 2
    rows = labels.map { label in Row(label, tables.map { $0[label] }, among: comparisons) }.filter(\.saysSomething)
    cautions = others + [Self.otherSettings(rows).map { "\($0) between \(words.many)" }].compactMap(\.self)
  }

  /// Returns the parameters that had other values on some machine, `cores differ`; nil for none.
  private static func otherSettings(_ rows: [Row]) -> String? {
    var settings: Set<String> = []
    for row in rows {
      let parameters = row.cells.compactMap { $0?.parameters }
      for (name, value) in parameters.joined() where parameters[0][name].map({ $0 != value }) ?? true {
        settings.insert(name)
      }
    }
    let names = settings.sorted().joined(separator: ", ")
    return names.isEmpty ? nil : "\(names) \(settings.count > 1 || names.hasSuffix("s") ? "differ" : "differs")"
  }
}

extension AtlasScenario.Row {
  fileprivate init(_ label: String, _ cells: [AtlasRun.Row?], among comparisons: Int) {
    self.label = label
    self.cells = cells
    isBroken = cells.contains { $0?.isBroken == true }
    let contrasts = cells.compactMap { $0?.contrast }
    guard contrasts.count > 1, let least = contrasts.min(by: { $0.ratio < $1.ratio }),
      let most = contrasts.max(by: { $0.ratio < $1.ratio }), least.ratio > 0
    else {
      (apart, isTold) = (nil, nil)
      return
    }
    apart = most.ratio / least.ratio
    isTold = ConfidenceInterval.ofRatio([most.rounds], to: [least.rounds], among: comparisons).map { $0.low > 1 }
  }
}

extension SentenceIndex.JudgedClaim {
  /// The result of the claim on a machine: `for: supported, sync 114 ns vs mutex 18 ns: …`.
  var words: String { "\(opinion.rawValue): \(claim.verdict.rawValue), " + (shown ?? claim.evidenceText) }
}
