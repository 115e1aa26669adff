/// A table as cells: what every renderer shows, each in its own mark-up.
struct Table: Sendable {
  enum Side: Sendable {
    case left, right
  }
  struct Heading: Sendable {
    let title: String
    let side: Side
    /// Whether the column may be left out where there is no room: the higher, the sooner; 0 for never.
    let rank: Int

    /// The rank of what goes first, and need not be named then.
    static let unmissed = 6

    init(_ title: String, _ side: Side = .right, rank: Int = 0) {
      self.title = title
      self.side = side
      self.rank = rank
    }
  }
  struct Row: Sendable {
    /// Whether it is of a variant whose failure is the lesson, or of an end that no claim foresaw.
    let needsCare: Bool
    let cells: [Cell]
  }

  /// What the table is of; nil for one that goes on with the table above it.
  let title: String?
  var note: String
  /// How many columns say what a row is.
  let keys: Int
  /// Whether its cells are of the same figure in both directions.
  let isGrid: Bool
  let headings: [Heading]
  var rows: [Row]
  /// What else was measured, where the table stands for others.
  var leftOut: [String] = []

  /// The table with some of its columns only.
  func keeping(_ columns: [Int]) -> Table {
    guard columns.count < headings.count else { return self }
    return Table(
      title: title, note: note, keys: keys, isGrid: isGrid, headings: columns.map { headings[$0] },
      rows: rows.map { row in Row(needsCare: row.needsCare, cells: columns.map { row.cells[$0] }) }, leftOut: leftOut)
  }

  /// The tables without what goes on from another one, which the table above names as left out.
  static func leading(_ tables: [Table]) -> [Table] {
    var leading: [Table] = []
    for table in tables {
      if table.title == nil, let above = leading.indices.last {
        leading[above].leftOut += table.headings.dropFirst(table.keys).map(\.title)
      } else {
        leading.append(table)
      }
    }
    return leading
  }

  /// Everything there is to know of some cell of it.
  var facts: Cell.Facts {
    rows.reduce(into: []) { facts, row in for cell in row.cells { facts.formUnion(cell.facts) } }
  }
}

/// A cell: its text, and what there is to know of it.
struct Cell: Sendable, Hashable {
  struct Facts: OptionSet, Sendable, Hashable {
    let rawValue: Int
    /// A name or a setting, and no figure.
    static let key = Facts(rawValue: 1)
    /// Within twice the noise floor.
    static let nearFloor = Facts(rawValue: 2)
    /// The floor is shared by what is timed together.
    static let sharedFloor = Facts(rawValue: 4)
    /// A range over the samples of all trials.
    static let range = Facts(rawValue: 8)
    /// A ratio, with its interval or without.
    static let ratio = Facts(rawValue: 16)
    static let interval = Facts(rawValue: 32)
    /// Of the run that others are compared with.
    static let reference = Facts(rawValue: 64)
    static let best = Facts(rawValue: 128)
    static let nearBest = Facts(rawValue: 256)
    /// Of a run that the rounds cannot rank.
    static let unclear = Facts(rawValue: 32_768)
    /// Of a multiple of the baseline that does not differ significantly from 1.
    static let noDifference = Facts(rawValue: 131_072)
    /// Of one that is too noisy to tell.
    static let noisy = Facts(rawValue: 65_536)
    /// A word in the place of a figure that there is not.
    static let missing = Facts(rawValue: 512)
    /// Of too few rounds for an interval.
    static let glimpse = Facts(rawValue: 1024)
    /// A ratio whose interval is not shown, but marked where it does not tell the run from the best.
    static let told = Facts(rawValue: 2048)
    /// A ratio with both ends of its interval.
    static let ends = Facts(rawValue: 4096)
    /// Within twice what the very loop that timed it takes around nothing.
    static let ownFloor = Facts(rawValue: 16_384)
    /// Of a percentile that fewer samples than it takes cannot tell.
    static let tooFew = Facts(rawValue: 262_144)
  }
  let text: String
  let facts: Facts

  init(_ text: String, _ facts: Facts = []) {
    self.text = text
    self.facts = facts
  }

  static let none = Cell("-", .missing)
  static let tooFew = Cell("-", [.missing, .tooFew])

  /// The text with stand-ins for the signs that are not ASCII. Names stay as they are.
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

  private static let standIns: [Character: String] = ["●": "*", "≈": "=", "±": "+-", "…": "..", "→": "->"]

  /// `text`, which the lab itself made, in ASCII.
  static func plain(_ text: String) -> String {
    text.allSatisfy(\.isASCII) ? text : text.reduce(into: "") { $0 += standIns[$1] ?? String($1) }
  }
}
