import Laboratory
import Measurement
import Platform
import TextTable

/// Results as GitHub Markdown.
public enum MarkdownReport {
  /// Returns several results, with an empty line between them.
  ///
  /// - Parameter sentences: The sentences of the documents. The refuted ones come first.
  public static func render(_ contents: [ReportContent], sentences: SentenceIndex? = nil) -> String {
    let refuted = (sentences?.refuted ?? []).map { "\($0.id) \($0.says) (\($0.judgedBy.joined(separator: ", ")))" }
    let head = sentences.map { [escape($0.summary), section("Refuted", refuted)].filter { !$0.isEmpty } } ?? []
    return (head.map { $0 + "\n" } + contents.map(render)).joined(separator: "\n")
  }

  /// Returns a section for a scenario: the answer, claims, findings, tables, warnings, settings and machine.
  public static func render(_ content: ReportContent) -> String {
    let document = content.document
    let scenario = document.scenario
    var parts = ["## \(escape(scenario.name)): \(escape(scenario.title))"]
    parts += [content.coresNote, content.grades.caution].compactMap(\.self).map { "**\(escape($0))**" }
    parts += [content.grades.text.map(escape) ?? "", escape(content.answerText)]
    parts.append(content.conclusion.map { "**\(escape($0))**" } ?? "")
    let claims = content.claims.map {
      [$0.word, escape($0.says), code($0.check, inTable: true), escape($0.evidenceText)]
    }
    if !claims.isEmpty {
      parts.append(grid(["verdict", "claim", "check", "evidence"].map { Table.Heading($0, .left) }, claims))
    }
    parts.append(content.leftOut.map(escape) ?? "")
    parts.append(section("Findings", content.findings))
    for table in content.tables {
      parts.append((table.title.map { "**\(escape($0))**: " } ?? "") + escape(table.note))
      parts.append(grid(table.headings, table.rows.map { row in row.cells.map { escape($0.text) } }))
    }
    if content.isEmpty { parts.append("Nothing was measured.") }
    parts.append(list(content.footnotes(content.tables)))
    let traces = content.traces
    if !traces.isEmpty { parts += ["**Traces**", pictures(traces.map(\.trace)), list(traces.compactMap(\.note))] }
    parts.append(section("Warnings", content.warnings.map(\.says)))
    parts += [
      "Source: \(escape(scenario.source))", escape(content.settings), content.command.map { code($0) } ?? "",
      escape((content.facts + content.origin).joined(separator: ", ")),
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// Returns a table. Its cells are Markdown already.
  static func grid(_ headings: [Table.Heading], _ rows: [[String]]) -> String {
    TextGrid(headings: headings.map { .init(escape($0.title), $0.side) }, rows: rows).lines(style: Style.pipe)
      .joined(separator: "\n")
  }

  static func list(_ items: [String]) -> String { items.map { "- " + escape($0) }.joined(separator: "\n") }

  private static func section(_ title: String, _ items: [String]) -> String {
    items.isEmpty ? "" : "**\(title)**\n\n" + list(items)
  }

  /// Returns a text without mark-up, in which a `|` does not end the cell of a table.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in line(text) {
      switch character {
      case "|", "*", "`", "\\": escaped += "\\" + String(character)
      // A reader's program fetches a picture without a click, and the address may stand elsewhere: `![a]` and
      // `[a]: http://…`.
      case "(" where escaped.hasSuffix("]"), ":" where escaped.hasSuffix("]"): escaped += "\\" + String(character)
      // A fence would turn all text after it into code.
      case "~" where escaped.allSatisfy { $0 == " " }: escaped += "\\~"
      case "<": escaped += "&lt;"
      case "&": escaped += "&amp;"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// Returns a text in one line, since an empty line would end the paragraph and everything that contains it.
  private static func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }).inLine }

  /// Returns a text as a code span. Nothing in it is escaped, except for `|` in a table. The fence is longer than any
  /// in the text.
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
