/// A table of cells. Every renderer shows the table in the mark-up of its format.
struct Table: Sendable {
  enum Side: Sendable {
    case left, right
  }
  struct Heading: Sendable {
    let title: String
    let side: Side
    /// The turn of the column if there is no room for all columns. Columns with a higher number are omitted first; a
    /// column with the number 0 is never omitted.
    let omission: Int
    /// The title for a table without room for the whole title.
    let short: String

    /// The turn of a column for a metric other than the headline, in the table of the headline.
    static let beside = 2
    /// The turn of a column that is omitted last, and only after texts were shortened.
    static let last = 1
    /// The turn of a median in a table with the mean. This column is omitted first, since its number is the highest.
    static let ofMedian = 10
    /// The turn of a figure that another column also shows.
    static let repeated = 9
    /// The turn of a column that can be omitted without a note.
    static let unmissed = 8

    init(_ title: String, _ side: Side = .right, omission: Int = 0, short: String? = nil) {
      self.title = title
      self.short = short ?? title
      self.side = side
      self.omission = omission
    }
  }
  struct Row: Sendable {
    /// Whether the row belongs to a broken variant or to a forbidden outcome.
    let needsCare: Bool
    var cells: [Cell]
  }

  /// The title of the table; nil if the table continues the previous table.
  let title: String?
  var note: String
  /// The number of leading columns that identify a row.
  let keys: Int
  /// Whether all cells show the same metric, with parameters as rows and columns.
  let isGrid: Bool
  private(set) var headings: [Heading]
  var rows: [Row]
  /// The titles of the omitted columns: metrics that a short report omits, and columns for which there is no room.
  var leftOut: [String] = []

  /// The heading for the geometric mean of the rounds' medians.
  static let meanOfMedians = "mean p50"
  /// The explanation of a range in a note.
  static let ofRange = "low \(Signs.range) high: the range of all samples"

  /// The note, without the explanation of ranges if the table contains no range.
  var fittingNote: String { facts.contains(.rangeOfSamples) ? note : note.replacing("; " + Self.ofRange, with: "") }

  /// Returns a copy of the table that contains only the columns at some indices.
  func keeping(_ columns: [Int]) -> Table {
    guard columns.count < headings.count else { return self }
    return with(columns.map { headings[$0] }) { row in columns.map { row.cells[$0] } }
  }

  /// A copy of the table with short headings and cells.
  var shortened: Table {
    with(headings.map { Heading($0.short, $0.side, omission: $0.omission) }) { row in
      row.cells.map(\.shortened)
    }
  }

  /// Returns a copy of this table that also contains the figures of `other` that this table lacks. Both tables must
  /// have the same rows.
  ///
  /// - Parameter metrics: the metrics whose figures are appended, while the table lists the others as omitted; nil to
  ///   insert the figures of all metrics before the last column.
  private func joined(by other: Table, only metrics: Set<String>?) -> Table {
    let all = other.headings.indices.dropFirst(other.keys)
    let added = all.filter {
      other.headings[$0].omission != Heading.repeated && metrics?.contains(other.headings[$0].title) ?? true
    }
    // The last column has the ratios of the headline. The figures of some metrics are an addition to the table.
    let place = headings.count - (metrics == nil ? 1 : 0)
    var joined = self
    joined.leftOut += metrics == nil ? [] : all.filter { !added.contains($0) }.map { other.headings[$0].title }
    joined.headings.insert(
      contentsOf: added.map { Heading(other.headings[$0].title, omission: Heading.beside) }, at: place)
    for row in joined.rows.indices {
      joined.rows[row].cells.insert(contentsOf: added.map { other.rows[row].cells[$0] }, at: place)
    }
    return joined
  }

  /// Returns a copy of the table with new headings and cells.
  private func with(_ headings: [Heading], _ cells: (Row) -> [Cell]) -> Table {
    var table = self
    table.headings = headings
    for row in rows.indices { table.rows[row].cells = cells(rows[row]) }
    return table
  }

  /// Returns the tables that do not continue another table.
  ///
  /// The columns of a table that continues the previous table join the previous table if both have the same rows: all
  /// columns if the previous table contains means, and otherwise the columns of `metrics`. The previous table lists the
  /// other columns as omitted.
  static func leading(_ tables: [Table], with metrics: Set<String>) -> [Table] {
    var leading: [Table] = []
    for table in tables {
      if table.title == nil, let above = leading.last, above.keys == table.keys,
        above.rows.map({ $0.cells.prefix(above.keys) }) == table.rows.map({ $0.cells.prefix(table.keys) })
      {
        let hasMeans = above.headings.contains { $0.omission == Heading.ofMedian }
        leading[leading.count - 1] = above.joined(by: table, only: hasMeans ? nil : metrics)
      } else if table.title == nil, let above = leading.indices.last {
        leading[above].leftOut += table.headings.dropFirst(table.keys).map(\.title)
      } else {
        leading.append(table)
      }
    }
    return leading
  }

  /// The union of the facts about all cells.
  var facts: Cell.Facts {
    rows.reduce(into: []) { facts, row in for cell in row.cells { facts.formUnion(cell.facts) } }
  }
}

/// A cell of a table, with its text and facts about the cell.
struct Cell: Sendable, Hashable {
  struct Facts: OptionSet, Sendable, Hashable {
    let rawValue: Int
    /// The cell contains a name or a setting, and not a figure.
    static let key = Facts(rawValue: 1 << 0)
    /// The figure is within twice the noise floor.
    static let nearFloor = Facts(rawValue: 1 << 1)
    /// The noise floor of the figure is divided by the number of operations that are timed together.
    static let sharedFloor = Facts(rawValue: 1 << 2)
    /// The cell contains a range over the samples of all trials.
    static let rangeOfSamples = Facts(rawValue: 1 << 3)
    /// The cell contains a ratio, with or without its interval.
    static let ratio = Facts(rawValue: 1 << 4)
    /// The cell contains a ratio with the margin of its interval.
    static let ratioWithMargin = Facts(rawValue: 1 << 5)
    /// The cell belongs to a run with which other runs are compared.
    static let reference = Facts(rawValue: 1 << 6)
    static let best = Facts(rawValue: 1 << 7)
    static let nearBest = Facts(rawValue: 1 << 8)
    /// The rounds cannot rank the run of the cell.
    static let undecided = Facts(rawValue: 1 << 9)
    /// The ratio to the baseline does not differ significantly from 1.
    static let noDifference = Facts(rawValue: 1 << 10)
    /// The ratio to the baseline is too noisy for a statement.
    static let noisy = Facts(rawValue: 1 << 11)
    /// The cell contains a word, a hyphen or the count of a flaw in place of a figure or a ratio.
    static let missing = Facts(rawValue: 1 << 12)
    /// The run has too few rounds for an interval.
    static let tooFewRounds = Facts(rawValue: 1 << 13)
    /// The cell contains a ratio without its interval. If the cell has no mark, the run differs significantly from its
    /// reference.
    static let significant = Facts(rawValue: 1 << 14)
    /// The cell contains a ratio with both ends of its interval.
    static let ratioWithEnds = Facts(rawValue: 1 << 15)
    /// The figure is less than twice the time of its own timing loop with an empty operation.
    static let ownFloor = Facts(rawValue: 1 << 16)
    /// There are too few samples for the percentile.
    static let tooFew = Facts(rawValue: 1 << 17)
    /// The run has the best mean, but reports do not call it the best.
    static let uncertainBest = Facts(rawValue: 1 << 18)
    /// The cell contains the ends of an interval in place of a ratio.
    static let endsWithoutRatio = Facts(rawValue: 1 << 19)
    /// The run shows a mistake, and a comparison does not rank it.
    static let unranked = Facts(rawValue: 1 << 20)
    /// The rounds of both sides do not overlap, although the interval of the ratio includes 1.
    static let allRounds = Facts(rawValue: 1 << 21)
    /// The run is better than its reference in most rounds, although its mean is worse.
    static let contradicted = Facts(rawValue: 1 << 22)
    /// The rounds of the run alternate between two states (``States``).
    static let twoStates = Facts(rawValue: 1 << 23)
    /// The rounds cannot rank the run beside the best run, but the run is certainly worse than another run.
    static let outclassed = Facts(rawValue: 1 << 24)
    /// The rounds do not exclude that the ratio of the run is 2 or more in either direction.
    static let farUndecided = Facts(rawValue: 1 << 25)
  }
  let text: String
  let facts: Facts
  /// The text for a table without room for the whole text.
  let short: String

  init(_ text: String, _ facts: Facts = [], short: String? = nil) {
    self.text = text
    self.facts = facts
    self.short = short ?? text
  }

  /// The cell with its short text, and the facts about this text.
  var shortened: Cell {
    guard short != text, !facts.isDisjoint(with: [.ratioWithMargin, .ratioWithEnds, .endsWithoutRatio]) else {
      return Cell(short, facts)
    }
    let isMarked = !facts.isDisjoint(with: [.nearBest, .undecided, .noDifference, .noisy])
    return Cell(
      short,
      facts.subtracting([.ratioWithMargin, .ratioWithEnds, .endsWithoutRatio]).union(isMarked ? [] : .significant))
  }

  static let none = Cell("-", .missing)
  static let tooFew = Cell("-", [.missing, .tooFew])

  /// The text in ASCII: other characters replace the lab's signs. The text of a name or a setting is unchanged.
  var plain: String { facts.contains(.key) ? text : Signs.plain(text) }
}

/// The signs in tables and their footnotes.
enum Signs {
  static let best = "●"
  static let nearBest = "≈"
  static let undecided = "?"
  static let farUndecided = "??"
  static let margin = "±"
  static let range = "…"
  static let nearFloor = "~"
  static let arrow = "→"
  static let atLeast = "≥"
  static let twoStates = "‡"
  static let outclassed = "†"

  private static let standIns: [Character: String] = [
    "●": "*", "≈": "=", "±": "+-", "…": "..", "→": "->", "≥": ">=", "‡": "#", "†": "!",
  ]

  /// Returns a text with replacements for the lab's signs that are not in ASCII.
  static func plain(_ text: String) -> String {
    text.allSatisfy(\.isASCII) ? text : text.reduce(into: "") { $0 += standIns[$1] ?? String($1) }
  }
}
