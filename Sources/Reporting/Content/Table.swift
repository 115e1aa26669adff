/// A table as cells, which every renderer shows in its own mark-up.
struct Table: Sendable {
  enum Side: Sendable {
    case left, right
  }
  struct Heading: Sendable {
    let title: String
    let side: Side
    /// The rank by which columns are left out if there is no room. The column with the highest rank goes first; 0 means
    /// never.
    let rank: Int
    /// The short title, for a table without room for the whole title.
    let short: String

    /// The rank of the columns of other metrics that share a table with the headline.
    static let beside = 1
    /// The rank of the median beside the mean.
    static let ofMedian = 2
    /// The rank of a figure that another column shows, too.
    static let repeated = 9
    /// The rank of a column that can be left out without a note.
    static let unmissed = 8

    init(_ title: String, _ side: Side = .right, rank: Int = 0, short: String? = nil) {
      self.title = title
      self.short = short ?? title
      self.side = side
      self.rank = rank
    }
  }
  struct Row: Sendable {
    /// Whether the row is of a broken variant, or of an end that no claim foresaw.
    let needsCare: Bool
    var cells: [Cell]
  }

  /// The title of the table; nil if it continues the table above.
  let title: String?
  var note: String
  /// The number of leading columns that identify a row.
  let keys: Int
  /// Whether the cells show the same figure in both directions.
  let isGrid: Bool
  private(set) var headings: [Heading]
  var rows: [Row]
  /// The other measured metrics, if the table stands for several tables.
  var leftOut: [String] = []

  /// The meaning of a range in a note.
  static let ofRange = "low \(Signs.range) high: the range of all samples"

  /// The note without the meaning of signs that none of the columns has.
  var fittingNote: String { facts.contains(.range) ? note : note.replacing("; " + Self.ofRange, with: "") }

  /// Returns the table with only some of its columns.
  func keeping(_ columns: [Int]) -> Table {
    guard columns.count < headings.count else { return self }
    return with(columns.map { headings[$0] }) { row in columns.map { row.cells[$0] } }
  }

  /// The table with short headings and cells.
  var shortened: Table {
    with(headings.map { Heading($0.short, $0.side, rank: $0.rank) }) { row in
      row.cells.map { Cell($0.short, $0.facts) }
    }
  }

  /// Returns the table with the figures of another table inserted before its last column. Both tables have the same
  /// rows.
  private func joined(by other: Table) -> Table {
    let added = other.headings.indices.dropFirst(other.keys).filter { other.headings[$0].rank != Heading.repeated }
    let place = headings.count - 1
    var joined = self
    joined.headings.insert(
      contentsOf: added.map { Heading(other.headings[$0].title, rank: Heading.beside) }, at: place)
    for row in joined.rows.indices {
      joined.rows[row].cells.insert(contentsOf: added.map { other.rows[row].cells[$0] }, at: place)
    }
    return joined
  }

  /// Returns the table with other columns.
  private func with(_ headings: [Heading], _ cells: (Row) -> [Cell]) -> Table {
    var table = self
    table.headings = headings
    for row in rows.indices { table.rows[row].cells = cells(rows[row]) }
    return table
  }

  /// Returns the tables without those that continue another table. The columns of a continuation join the table above
  /// if that table has means and the same runs. Otherwise the table above names these columns as left out.
  static func leading(_ tables: [Table]) -> [Table] {
    var leading: [Table] = []
    for table in tables {
      if table.title == nil, let above = leading.last, above.headings.contains(where: { $0.rank == Heading.ofMedian }),
        above.keys == table.keys,
        above.rows.map({ $0.cells.prefix(above.keys) }) == table.rows.map({ $0.cells.prefix(table.keys) })
      {
        leading[leading.count - 1] = above.joined(by: table)
      } else if table.title == nil, let above = leading.indices.last {
        leading[above].leftOut += table.headings.dropFirst(table.keys).map(\.title)
      } else {
        leading.append(table)
      }
    }
    return leading
  }

  /// All facts about cells of the table.
  var facts: Cell.Facts {
    rows.reduce(into: []) { facts, row in for cell in row.cells { facts.formUnion(cell.facts) } }
  }
}

/// A cell with its text and the facts about it.
struct Cell: Sendable, Hashable {
  struct Facts: OptionSet, Sendable, Hashable {
    let rawValue: Int
    /// The cell is a name or a setting, and not a figure.
    static let key = Facts(rawValue: 1)
    /// The figure is within twice the noise floor.
    static let nearFloor = Facts(rawValue: 2)
    /// The operations that are timed together share the noise floor.
    static let sharedFloor = Facts(rawValue: 4)
    /// The cell is a range over the samples of all trials.
    static let range = Facts(rawValue: 8)
    /// The cell is a ratio, with or without its interval.
    static let ratio = Facts(rawValue: 16)
    static let interval = Facts(rawValue: 32)
    /// The cell is of the run to which others are compared.
    static let reference = Facts(rawValue: 64)
    static let best = Facts(rawValue: 128)
    static let nearBest = Facts(rawValue: 256)
    /// The cell is of a run that the rounds cannot rank.
    static let unclear = Facts(rawValue: 32_768)
    /// The multiple of the baseline does not differ significantly from 1.
    static let noDifference = Facts(rawValue: 131_072)
    /// The multiple of the baseline is too noisy for a statement.
    static let noisy = Facts(rawValue: 65_536)
    /// The cell is a word in the place of a missing figure.
    static let missing = Facts(rawValue: 512)
    /// The run has too few rounds for an interval.
    static let glimpse = Facts(rawValue: 1024)
    /// The cell is a ratio without its interval, with a mark if the interval does not distinguish the run from the best
    /// one.
    static let significant = Facts(rawValue: 2048)
    /// The cell is a ratio with both ends of its interval.
    static let ends = Facts(rawValue: 4096)
    /// The figure is within twice the time of its own timing loop with an empty operation.
    static let ownFloor = Facts(rawValue: 16_384)
    /// The samples are too few for the percentile.
    static let tooFew = Facts(rawValue: 262_144)
  }
  let text: String
  let facts: Facts
  /// The short text, for a table without room for the whole text.
  let short: String

  init(_ text: String, _ facts: Facts = [], short: String? = nil) {
    self.text = text
    self.facts = facts
    self.short = short ?? text
  }

  static let none = Cell("-", .missing)
  static let tooFew = Cell("-", [.missing, .tooFew])

  /// The text in ASCII, with replacements for other signs. Names stay as they are.
  var plain: String { facts.contains(.key) ? text : Signs.plain(text) }
}

/// The signs in tables and their footnotes.
enum Signs {
  static let best = "●"
  static let nearBest = "≈"
  static let unclear = "?"
  static let margin = "±"
  static let range = "…"
  static let nearFloor = "~"
  static let arrow = "→"
  static let atLeast = "≥"

  private static let standIns: [Character: String] = ["●": "*", "≈": "=", "±": "+-", "…": "..", "→": "->", "≥": ">="]

  /// Returns a text of the lab's own in ASCII.
  static func plain(_ text: String) -> String {
    text.allSatisfy(\.isASCII) ? text : text.reduce(into: "") { $0 += standIns[$1] ?? String($1) }
  }
}
