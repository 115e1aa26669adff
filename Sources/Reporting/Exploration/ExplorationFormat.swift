import Exploration

/// A format that explorations are exported in. A new one is a line in ``all``.
public struct ExplorationFormat: Sendable {
  /// The extension of its files, without the dot.
  public let ending: String
  /// The text of some results.
  public let render: @Sendable ([ExplorationResult]) throws -> String

  /// Every format, in the order of `help`.
  public static let all = [
    ExplorationFormat(ending: "json") { try JSONReport.pretty(ExplorationDocument($0)) },
    ExplorationFormat(ending: "html") { ExplorationPage.render($0) },
    ExplorationFormat(ending: "txt") { results in
      let style = TextStyle(width: 100)
      return style.safe(ExplorationText(style: style).render(results, steps: true))
    },
  ]
}

/// Explorations as data.
struct ExplorationDocument: Encodable {
  struct Result: Encodable {
    let scenario, variant: String
    let isBroken: Bool
    let says: String
    let obstacle, leavesOut: String?
    let schedules, broken, abandoned, executions: Int?
    let isComplete, isReduced: Bool?
    let seconds: Double
    let trials, trialsThatShowIt: Int?
    let shortest: Schedule?
  }

  struct Schedule: Encodable {
    let schedule, outcome: String
    let steps: [Step]
    let waiting: [String]?
  }

  struct Step: Encodable {
    let thread: String
    let does: String
    let breaks: String?
  }

  let schema = "gcdlab.exploration/1"
  let version = Tool.version
  let limits = ExplorationWords.limits
  let results: [Result]

  init(_ results: [ExplorationResult]) {
    self.results = results.map { result in
      let findings = result.findings
      return Result(
        scenario: result.scenario, variant: result.variant.name, isBroken: result.variant.isBroken,
        says: ExplorationWords.sentence(result), obstacle: result.obstacle,
        leavesOut: result.leavesOut, schedules: findings?.schedules, broken: findings?.broken,
        abandoned: findings?.abandoned, executions: findings?.executions,
        isComplete: findings?.isComplete, isReduced: findings.map { $0.strategy == .reduced }, seconds: result.seconds,
        trials: result.trials?.of, trialsThatShowIt: result.trials?.seen,
        shortest: findings?.shortest.map(Schedule.init))
    }
  }
}

extension ExplorationDocument.Schedule {
  init(_ record: Record) {
    schedule = record.scheduleText
    outcome = record.outcome.words
    steps = record.shown.map {
      .init(thread: record.strands[$0.strand], does: $0.words.joined(separator: ", "), breaks: $0.breaks)
    }
    waiting = if case .deadlock(let waiting) = record.outcome { waiting } else { nil }
  }
}

/// Explorations as one self-contained page.
enum ExplorationPage {
  static func render(_ results: [ExplorationResult]) -> String {
    let scenarios = results.grouped(by: \.scenario)
    let sections = scenarios.map { name, results -> Markup in
      let leavesOut: Markup = results.first?.leavesOut.map { "<p class=\"legend\">\($0)</p>" } ?? ""
      return """
        <section id="\(name)"><h1>\(name) <small>every schedule, and the shortest that breaks it</small></h1>
        \(results.map(variant))\(leavesOut)</section>

        """
    }
    let title = scenarios.count > 3 ? "\(scenarios.count) scenarios" : scenarios.map(\.key).joined(separator: ", ")
    let limits = ExplorationWords.limits.map { text -> Markup in "<p class=\"legend\">\(text)</p>\n" }
    return HTMLReport.page("\(title), explored", "\(sections)\(limits)")
  }

  private static func variant(_ result: ExplorationResult) -> Markup {
    let schedule: Markup = result.findings?.shortest.map(table) ?? ""
    return """
      <h2>\(result.variant.name)</h2><p>\(ExplorationWords.sentence(result))</p>
      \(schedule)
      """
  }

  /// A row for each step, a column for each thread.
  private static func table(_ record: Record) -> Markup {
    let columns = Set(record.shown.map(\.strand)).sorted()
    let headings = columns.map { column -> Markup in "<th>\(record.strands[column])</th>" }
    let rows = record.shown.enumerated().map { index, step -> Markup in
      let cells = columns.map { column -> Markup in
        "<td>\(column == step.strand ? step.words.joined(separator: ", ") : "")</td>"
      }
      let broken: Markup = step.breaks.map { "<b class=\"wrong\">← \($0)</b>" } ?? ""
      return "<tr><td>\(index + 1)</td>\(cells)<td>\(broken)</td></tr>\n"
    }
    let end: Markup = ExplorationWords.end(record).map { "<p><b>\($0)</b></p>" } ?? ""
    return """
      <p>The shortest schedule that breaks it: <code>\(record.scheduleText)</code></p>
      <table><thead><tr><th>step</th>\(headings)<th></th></tr></thead><tbody>
      \(rows)</tbody></table>\(end)

      """
  }
}
