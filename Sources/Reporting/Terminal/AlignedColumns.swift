import Laboratory
import TextTable

/// A table as text.
///
/// The library TextTable aligns, pads and styles the columns, but measures text in characters and not in terminal
/// cells, and includes escape codes. Therefore, a text whose width differs from its length is replaced by private-use
/// characters, one for each cell, until the layout is finished. Colours are added last.
struct AlignedColumns {
  let headings: [Table.Heading]
  let rows: [[String]]

  init(headings: [Table.Heading], rows: [[String]]) {
    self.headings = headings.map { .init($0.title.inLine, $0.side, omission: $0.omission) }
    self.rows = rows.map { $0.map(\.inLine) }
  }

  /// Returns the lines of the table, the heading first, without trailing spaces.
  func lines(style: any TextTableStyle.Type = GapStyle.self) -> [String] {
    var standIns = StandIns()
    let titles = headings.map { standIns.standIn(for: $0.title) }
    let cells = rows.map { row in row.map { standIns.standIn(for: $0) } }
    let table = TextTable<[String]> { row in
      zip(zip(titles, headings), row).map { heading, cell in
        Column(title: heading.0, value: cell, align: heading.1.side == .left ? .left : .right)
      }
    }
    // TextTable returns nil for a table without rows.
    guard let text = table.string(for: cells, style: style) else { return [] }
    return standIns.restore(text).split(separator: "\n").map { String($0).trimmed }
  }

  /// The width of each column, in terminal cells.
  var widths: [Int] {
    rows.reduce(into: headings.map(\.title.displayWidth)) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.displayWidth) }
    }
  }

  /// Returns the width of adjacent columns with their gaps, in terminal cells.
  static func width(of columns: [Int]) -> Int { columns.reduce(0, +) + 2 * max(0, columns.count - 1) }

  /// Returns the indices of the columns in parts that are at most `cells` terminal cells wide. Each part includes the
  /// first `keys` columns, which identify a row. A part with only one further column may be wider.
  func parts(keys: Int, within cells: Int) -> [[Int]] {
    let (keys, widths) = (Array(0..<keys), widths)
    var parts: [[Int]] = []
    var columns = keys
    for column in keys.count..<max(keys.count, headings.count) {
      if columns.count > keys.count, Self.width(of: (columns + [column]).map { widths[$0] }) > cells {
        parts.append(columns)
        columns = keys
      }
      columns.append(column)
    }
    return parts + [columns]
  }

  /// Returns a copy of the grid with some of the columns and some of the rows.
  func keeping(_ columns: [Int], rows kept: [Int]) -> AlignedColumns {
    AlignedColumns(headings: columns.map { headings[$0] }, rows: kept.map { row in columns.map { rows[row][$0] } })
  }
}

/// A style with two spaces between columns, and without rules.
enum GapStyle: TextTableStyle {
  static func prepare(_ text: String, for column: Column) -> String { Style.plain.prepare(text, for: column) }
  static func escape(_ text: String) -> String { text }
  static func begin(_ table: inout String, index: Int, columns: [Column]) {}
  static func end(_ table: inout String, index: Int, columns: [Column]) {}
  static func header(_ table: inout String, index: Int, columns: [Column]) {
    table += columns.map { $0.headerString(for: self) }.joined(separator: "  ") + "\n"
  }
  static func row(_ table: inout String, index: Int, columns: [Column]) {
    table += columns.map { $0.string(for: self) }.joined(separator: "  ") + "\n"
  }
}

/// The texts that are replaced by private-use characters.
private struct StandIns {
  private var texts: [String] = []
  private static let first: UInt32 = 0xe000
  private static let filler: Character = "\u{f8ff}"

  /// Returns the replacement of a text: as many private-use characters as the text has terminal cells. The first
  /// character identifies the text. A text whose width equals its length is returned unchanged.
  mutating func standIn(for text: String) -> String {
    guard !text.allSatisfy(\.isASCII), text.displayWidth > 0, text.displayWidth != text.utf16.count, texts.count < 6000,
      let mark = Unicode.Scalar(Self.first + UInt32(texts.count))
    else { return text }
    texts.append(text)
    return String(Character(mark)) + String(repeating: Self.filler, count: text.displayWidth - 1)
  }

  func restore(_ table: String) -> String {
    guard !texts.isEmpty else { return table }
    return table.reduce(into: "") { restored, character in
      let number = character.unicodeScalars.first.map { Int($0.value) - Int(Self.first) }
      if let number, texts.indices.contains(number) {
        restored += texts[number]
      } else if character != Self.filler {
        restored.append(character)
      }
    }
  }
}
