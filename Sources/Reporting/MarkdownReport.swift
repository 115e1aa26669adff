import Laboratory
import Measurement
import TextTable

/// Results as GitHub Markdown.
public enum MarkdownReport {
  /// Returns the Markdown of several results, with an empty line between them.
  ///
  /// - Parameters:
  ///   - contents: the runs, each with the content of its report.
  ///   - sentences: the sentences of the documents. The text begins with the number of sentences for each standing, and
  ///     with a list of the refuted sentences; nil to omit both.
  public static func render(_ contents: [ReportContent], sentences: SentenceIndex? = nil) -> String {
    let refuted = (sentences?.refuted ?? []).map { "\($0.id) \($0.says) (\($0.judgedBy.joined(separator: ", ")))" }
    let head = sentences.map { [escape($0.summary), section("Refuted", list(refuted))].filter { !$0.isEmpty } } ?? []
    return (head.map { $0 + "\n" } + contents.map(render)).joined(separator: "\n")
  }

  /// Returns the section of a scenario as Markdown.
  public static func render(_ content: ReportContent) -> String {
    let parts = content.parts().flatMap { part -> [String] in
      switch part {
      case .head(let name, let question, let lines): ["## \(escape(name)): \(escape(question))"] + texts(lines)
      case .claims:
        [
          claims(content.claims), list(content.legend(isFull: false, of: content.claims)),
          content.leftOut.map(escape) ?? "",
        ]
      case .list(let title, let items, _): [section(title.capitalizedFirst, list(items))]
      case .tables: content.explained(content.tables).flatMap { [text($0), list($1)] }
      case .traces:
        [section("Traces", pictures(content.traces.map(\.trace))), list(content.traces.compactMap(\.note))]
      case .foot(let lines): texts(lines)
      case .picture, .lesson, .plots, .code: []
      }
    }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private static func claims(_ claims: [ClaimFacts]) -> String {
    let rows = claims.map { [$0.markedWord, escape($0.says), code($0.check, inTable: true), escape($0.evidenceText)] }
    return rows.isEmpty ? "" : grid(["verdict", "claim", "check", "evidence"], rows)
  }

  private static func text(_ table: Table) -> String {
    (table.title.map { "**\(escape($0))**: " } ?? "") + escape(table.note) + "\n\n"
      + grid(table.headings, table.rows.map { row in row.cells.map { escape($0.text) } })
  }

  /// Returns lines as Markdown. Successive items are one list.
  static func texts(_ lines: [Line]) -> [String] {
    lines.reduce(into: [(text: String, isItem: Bool)]()) { texts, line in
      if line.isItem, let last = texts.last, last.isItem {
        texts[texts.count - 1].text += "\n" + text(line)
      } else {
        texts.append((text(line), line.isItem))
      }
    }.map(\.text)
  }

  /// Returns a line as Markdown. A line of a single phrase is bold if the phrase is a heading or requires caution, and
  /// a shell command is a code span.
  static func text(_ line: Line) -> String {
    if line.isCode { return code(line.text) }
    let text = Line.spans(line.text).map { $0.isCode ? code($0.text) : escape($0.text) }.joined()
    if line.isItem { return "- \(text)" }
    let isBold = line.phrases.count == 1 && [.care, .heading].contains(line.phrases[0].color)
    return isBold ? "**\(text)**" : text
  }

  /// Returns a Markdown table. The titles of the columns are escaped, and the cells must be Markdown.
  static func grid(_ headings: [Table.Heading], _ rows: [[String]]) -> String {
    AlignedColumns(headings: headings.map { .init(escape($0.title), $0.side) }, rows: rows).lines(style: Style.pipe)
      .joined(separator: "\n")
  }

  /// Returns a Markdown table with left-aligned columns. The titles are escaped, and the cells must be Markdown.
  static func grid(_ titles: [String], _ rows: [[String]]) -> String {
    grid(titles.map { Table.Heading($0, .left) }, rows)
  }

  static func list(_ items: [String]) -> String { items.map { "- " + escape($0) }.joined(separator: "\n") }

  /// Returns Markdown text below a title; empty if `text` is empty.
  static func section(_ title: String, _ text: String) -> String {
    text.isEmpty ? "" : "**\(escape(title))**\n\n\(text)"
  }

  /// Returns text with Markdown escapes. A `|` in the text does not end a cell of a table.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in line(text) {
      switch character {
      case "|", "*", "`", "\\": escaped += "\\" + String(character)
      // Viewers load a picture without a click. The picture's address may be elsewhere: `![a]` and `[a]: http://…`.
      case "(" where escaped.hasSuffix("]"), ":" where escaped.hasSuffix("]"): escaped += "\\" + String(character)
      // A code fence would change the meaning of all text after it.
      case "~" where escaped.allSatisfy { $0 == " " }: escaped += "\\~"
      case "<": escaped += "&lt;"
      case "&": escaped += "&amp;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// Returns text in one line, since an empty line would end the paragraph and the element that contains the paragraph.
  private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }).inLine }

  /// Returns text as a Markdown code span. Only `|` is escaped, and only in a table.
  static func code(_ text: String, inTable: Bool = false) -> String {
    let line = line(text)
    let fence = fence(line, least: 1)
    let space = line.hasPrefix("`") || line.hasSuffix("`") ? " " : ""
    return fence + space + (inTable ? line.replacing("|", with: "\\|") : line) + space + fence
  }

  /// Returns a code fence that is longer than any fence in `text`. The text therefore cannot end the code block.
  static func fence(_ text: String, least: Int) -> String {
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    return String(repeating: "`", count: max(least, longest + 1))
  }
}
