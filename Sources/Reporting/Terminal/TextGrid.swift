import Platform
import TextTable

/// A table in text. TextTable aligns and pads its columns, and writes them in the style that is asked for, but counts
/// characters where a terminal counts cells, and would count escape codes, too. A text whose width is not its length
/// therefore takes part as a stand-in of private characters, one a cell, and is put back when the table is laid out;
/// colour is added after that.
struct TextGrid {
  let headings: [Table.Heading]
  let rows: [[String]]

  init(headings: [Table.Heading], rows: [[String]]) {
    self.headings = headings.map { .init($0.title.inLine, $0.side, rank: $0.rank) }
    self.rows = rows.map { $0.map(\.inLine) }
  }

  /// The lines, the heading first; no trailing spaces.
  func lines(style: any TextTableStyle.Type = GapStyle.self) -> [String] {
    var standIns = StandIns()
    let titles = headings.map { standIns.standIn(for: $0.title) }
    let cells = rows.map { row in row.map { standIns.standIn(for: $0) } }
    let table = TextTable<[String]> { row in
      zip(zip(titles, headings), row).map { heading, cell in
        Column(title: heading.0, value: cell, align: heading.1.side == .left ? .left : .right)
      }
    }
    // Nil without rows: the headings alone are no table.
    guard let text = table.string(for: cells, style: style) else { return [] }
    return standIns.restore(text).split(separator: "\n").map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The cells that each column takes.
  var widths: [Int] {
    rows.reduce(into: headings.map(\.title.displayWidth)) { widths, row in
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.displayWidth) }
    }
  }

  /// The cells that columns take side by side.
  static func width(of columns: [Int]) -> Int { columns.reduce(0, +) + 2 * max(0, columns.count - 1) }

  /// The columns in parts that fit so many cells, each with the first ones, which say what a row is.
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

  /// Some of the columns, and some of the rows.
  func keeping(_ columns: [Int], rows kept: [Int]) -> TextGrid {
    TextGrid(headings: columns.map { headings[$0] }, rows: kept.map { row in columns.map { rows[row][$0] } })
  }
}

/// Two spaces between columns, no rules.
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

/// Texts whose place private characters keep.
private struct StandIns {
  private var texts: [String] = []
  private static let first: UInt32 = 0xe000
  private static let filler: Character = "\u{f8ff}"

  /// The text itself, or as many private characters as it has cells; the first says which text it is.
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
