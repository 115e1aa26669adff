import Laboratory
import Measurement

/// An atlas as text for a terminal: a list of the machines with their numbers, and tables with a column for each
/// machine.
public struct AtlasText {
  private let atlas: Atlas
  private let style: TextStyle
  /// Whether the text also contains the sentences on which machines agree, and every row of each scenario.
  private let details: Bool

  /// Creates the text of an atlas.
  ///
  /// - Parameters:
  ///   - atlas: the atlas to show.
  ///   - style: the style of the text.
  ///   - details: whether the text contains every sentence and every row.
  public init(_ atlas: Atlas, _ style: TextStyle, details: Bool = false) {
    self.atlas = atlas
    self.style = style
    self.details = details
  }

  /// The text of all sentences of the documents, without the scenarios.
  public var sentences: String { text(key + disagreements + agreements + [""] + end) }

  /// The text of the sentences on which machines disagree, and of every scenario. With `details`, the text contains all
  /// sentences.
  public var report: String {
    text(key + disagreements + (details ? agreements : []) + scenarios + [""] + end + wrapped(Atlas.notes))
  }

  private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

  // MARK: Machines

  private var key: [String] {
    var lines = [SemanticColor.heading(atlas.words.many, style)]
    for (number, column) in atlas.columns.enumerated() {
      let scenarios = "\(column.runs.count.counted("scenario"))"
      lines += DescriptionList(column: 6, style: style).lines(
        "\(number + 1)",
        [
          (column.facts.map(\.text).joined(separator: ", "), nil),
          ("\(column.date), \(scenarios), \(column.place)", .quiet),
        ])
    }
    return lines + wrapped(atlas.cautions, .care) + [""]
  }

  // MARK: Sentences

  private var disagreements: [String] {
    guard !atlas.sentences.isEmpty else { return [] }
    let shown = atlas.sentences.filter { $0.agreement == .disagreed }
    var lines = Heading.lines(
      AtlasSentence.Agreement.disagreed.words(atlas.words), shown.isEmpty ? "none" : "\(shown.count)", nil, style)
    for sentence in shown {
      lines += row(sentence)
      for claim in sentence.claims { lines += self.lines(claim) }
    }
    return lines + [""]
  }

  private var agreements: [String] {
    AtlasSentence.Agreement.allCases.filter { $0 != .disagreed }.flatMap { agreement in
      let chapters = atlas.sentences.filter { $0.agreement == agreement }.grouped(by: \.chapter)
      return chapters.flatMap { chapter, sentences in
        Heading.lines(chapter, agreement.words(atlas.words), .quiet, style) + sentences.flatMap(row) + [""]
      }
    }
  }

  /// Returns the lines of a sentence, with a mark for each machine before the text. If there is no room, the marks are
  /// below the text, each with its standing in words.
  private func row(_ sentence: AtlasSentence) -> [String] {
    let strength = sentence.strength.map { " (\($0.rawValue))" } ?? ""
    let count = sentence.standings.count
    let room = style.width - 2 - idWidth - 2 - 3 * count
    if room >= 30 {
      let marks = sentence.standings.map { Self.color($0)("\(Self.mark($0, style))".padded(to: 3), style) }.joined()
      let texts = (sentence.says.inLine + strength).wrapped(to: room)
      let indent = String(repeating: " ", count: 4 + idWidth + 3 * count)
      return ["  " + SemanticColor.name(sentence.id.padded(to: idWidth + 2), style) + marks + texts[0]]
        + texts.dropFirst().map { indent + $0 }
    }
    let groups = sentence.standings.enumerated().grouped { $0.element }.map { standing, machines in
      let numbers = machines.map { "\($0.offset + 1)" }.joined(separator: " ")
      return ("\(Self.mark(standing, style)) \(Self.word(standing)): \(numbers)", Self.color(standing))
    }
    return DescriptionList(column: 4 + idWidth, style: style).lines(
      sentence.id, [(sentence.says.inLine + strength, nil)] + groups.map { ($0.0, $0.1) })
  }

  private var idWidth: Int { atlas.sentences.map(\.id.displayWidth).max() ?? 0 }

  /// Returns the lines of a claim: the claim, its result on each machine, and the ratio of its largest figure to its
  /// smallest figure.
  private func lines(_ claim: AtlasSentence.Claim) -> [String] {
    let machines = claim.words.flatMap { machines, says in
      style.wrapped("\(machines.map(String.init).joined(separator: " ")) \(says)", .quiet, indent: 6)
    }
    return style.wrapped("\(claim.scenario): \(claim.says)", indent: 4) + machines
      + (claim.apartText.map { style.wrapped($0, .care, indent: 6) } ?? [])
  }

  /// Returns a standing as text. Nil represents verdicts that do not count.
  static func word(_ standing: SentenceStanding?) -> String { standing?.rawValue ?? "other version" }

  private static func mark(_ standing: SentenceStanding?, _ style: TextStyle) -> String {
    switch standing {
    case .standIn: "s"
    case .byConstruction: "c"
    case .inOneConfiguration: "1"
    case .byInference: "i"
    default: standing?.mark(style) ?? "-"
    }
  }

  private static func color(_ standing: SentenceStanding?) -> SemanticColor { standing?.color ?? .quiet }

  private var end: [String] {
    guard !atlas.sentences.isEmpty else { return [] }
    let shown = Set(atlas.sentences.flatMap(\.standings))
    let named: [SentenceStanding] = [
      .borneOut, .refuted, .partly, .undecided, .inOneConfiguration, .byInference, .standIn, .byConstruction,
    ]
    let marks = named.filter(shown.contains).map { "\(Self.mark($0, style)) \($0.rawValue)" } + ["- no verdict"]
    return wrapped([atlas.summary + ".", marks.joined(separator: ", ") + "."])
  }

  private func wrapped(_ texts: [String], _ color: SemanticColor = .quiet) -> [String] {
    texts.flatMap { style.wrapped($0, color) }
  }

  // MARK: Scenarios

  /// The maximum number of rows of a scenario if `details` is false.
  private static let mostRows = 8

  private var scenarios: [String] {
    atlas.scenarios.flatMap { scenario -> [String] in
      let heading = Heading.lines(scenario.name, scenario.title, nil, style)
      let notes = wrapped([scenario.note]) + wrapped(scenario.cautions, .care)
      return heading + notes + table(scenario) + [""]
    }
  }

  private func table(_ scenario: AtlasScenario) -> [String] {
    let rows = details ? scenario.rows : scenario.rows(most: Self.mostRows)
    guard !rows.isEmpty else { return wrapped(["nothing was measured"]) }
    let hasApart = rows.contains { $0.apart != nil }
    let cells = rows.map { row in
      row.cells.map { cell in cell.map { style.unicode ? $0.cell.text : $0.cell.plain } ?? "-" }
        + (hasApart ? [row.apartText] : [])
    }
    // The names take the room that the figures leave, or a third of the line if the figures take several lines.
    let taken = (cells.first ?? []).indices.reduce(0) { sum, column in
      sum + 2 + (cells.map { $0[column].displayWidth }.max() ?? 0)
    }
    let room = max(16, style.width / 3, style.width - taken)
    let headings =
      [Table.Heading("", .left)] + atlas.columns.indices.map { Table.Heading("\($0 + 1)") }
      + (hasApart ? [Table.Heading("apart")] : [])
    let grid = AlignedColumns(
      headings: headings,
      rows: zip(rows, cells).map { row, cells in [row.label.shortened(to: room, style)] + cells })
    let left = scenario.rows.count - rows.count
    let others = hasApart ? " that differ\(left == 1 ? "s" : "") less" : ""
    let more = left > 0 ? wrapped(["and \(left) more\(others); see --details"]) : []
    return grid.parts(keys: 1, within: style.width).flatMap { columns in
      let lines = grid.keeping(columns, rows: Array(rows.indices)).lines()
      return [SemanticColor.quiet(lines[0], style)]
        + zip(lines.dropFirst(), rows).map { line, row in
          row.isSignificant == true ? SemanticColor.care(line, style) : line
        }
    } + more
  }
}
