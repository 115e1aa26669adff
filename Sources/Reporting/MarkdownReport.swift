import Laboratory
import Measurement
import Platform
import TextTable

/// Results as GitHub Markdown.
public enum MarkdownReport {
  /// Several results, an empty line between them.
  ///
  /// - Parameter sentences: the sentences of the documents, of which the refuted ones come first.
  public static func render(_ readings: [Reading], sentences: SentenceIndex? = nil) -> String {
    let refuted = (sentences?.refuted ?? []).map { "\($0.id) \($0.says) (\($0.judgedBy.joined(separator: ", ")))" }
    let head = sentences.map { [escape($0.summary), section("Refuted", refuted)].filter { !$0.isEmpty } } ?? []
    return (head.map { $0 + "\n" } + readings.map(render)).joined(separator: "\n")
  }

  /// A section for a scenario: the answer, claims, findings, tables, warnings, settings and machine.
  public static func render(_ reading: Reading) -> String {
    let document = reading.document
    let scenario = document.scenario
    var parts = [
      "## \(escape(scenario.name)): \(escape(scenario.title))",
      reading.grades.caution.map { "**\(escape($0))**" } ?? "", reading.grades.text.map(escape) ?? "",
      escape(reading.answerText),
      reading.conclusion.map { "**\(escape($0))**" } ?? "",
    ]
    let claims = reading.claims.map {
      [$0.word, escape($0.says), code($0.check, inTable: true), escape($0.evidenceText)]
    }
    if !claims.isEmpty {
      parts.append(grid(["verdict", "claim", "check", "evidence"].map { Table.Heading($0, .left) }, claims))
    }
    parts.append(reading.leftOut.map(escape) ?? "")
    parts.append(section("Findings", reading.findings))
    for table in reading.tables {
      parts.append((table.title.map { "**\(escape($0))**: " } ?? "") + escape(table.note))
      parts.append(grid(table.headings, table.rows.map { row in row.cells.map { escape($0.text) } }))
    }
    if reading.isEmpty { parts.append("Nothing was measured.") }
    parts.append(list(reading.footnotes(reading.tables)))
    let traces = reading.traces
    if !traces.isEmpty { parts += ["**Traces**", pictures(traces.map(\.trace)), list(traces.compactMap(\.note))] }
    parts.append(section("Warnings", document.warnings.map(\.says)))
    parts += [
      "Source: \(escape(scenario.source))", escape(reading.settings), reading.command.map { code($0) } ?? "",
      escape((reading.facts + reading.origin).joined(separator: ", ")),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// A table of cells that are Markdown already.
  static func grid(_ headings: [Table.Heading], _ rows: [[String]]) -> String {
    TextGrid(headings: headings.map { .init(escape($0.title), $0.side) }, rows: rows).lines(style: Style.pipe)
      .joined(separator: "\n")
  }

  static func list(_ items: [String]) -> String { items.map { "- " + escape($0) }.joined(separator: "\n") }

  private static func section(_ title: String, _ items: [String]) -> String {
    items.isEmpty ? "" : "**\(title)**\n\n" + list(items)
  }

  /// Text that stays text: nothing in it is mark-up, and a `|` does not end the cell of a table.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in line(text) {
      switch character {
      case "|", "*", "`", "\\": escaped += "\\" + String(character)
      // A picture is fetched for who only looks, and it may stand elsewhere than its address: `![a]` and
      // `[a]: http://…`.
      case "(" where escaped.hasSuffix("]"), ":" where escaped.hasSuffix("]"): escaped += "\\" + String(character)
      // A fence would make code of all that follows.
      case "~" where escaped.allSatisfy { $0 == " " }: escaped += "\\~"
      case "<": escaped += "&lt;"
      case "&": escaped += "&amp;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// In one line: an empty one would end a paragraph, and what it holds with it.
  private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }).inLine }

  /// Text as a code span, where nothing is escaped but, in a table, the `|`. Its fence is longer than any in the text.
  static func code(_ text: String, inTable: Bool = false) -> String {
    let line = line(text)
    var (longest, run) = (0, 0)
    for character in line {
      run = character == "`" ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    let space = line.hasPrefix("`") || line.hasSuffix("`") ? " " : ""
    return fence + space + (inTable ? line.replacing("|", with: "\\|") : line) + space + fence
  }
}
