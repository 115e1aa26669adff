import Laboratory
import Measurement

/// A report on a diff: as text for a terminal, as an HTML page, as Markdown, as tidy CSV and as JSON.
public struct DiffReport: Sendable {
  let diff: ResultDiff
  /// The judgement of `--fail-above`; nil without this option.
  let judgement: DiffJudgement?
  /// The arguments of the `diff` that made the runs of both sides, without the number of runs; nil if the diff is one
  /// of saved runs.
  let alternating: String?

  /// Creates a report on a diff.
  ///
  /// - Parameters:
  ///   - judgement: the judgement of `--fail-above`; nil without this option.
  ///   - alternating: the arguments of the `diff --against` that made the runs of both sides, without the number of
  ///     runs, quoted for a shell; nil if the diff is one of saved runs.
  public init(_ diff: ResultDiff, judgement: DiffJudgement?, alternating: String? = nil) {
    self.diff = diff
    self.judgement = judgement
    self.alternating = alternating
  }

  /// The maximum numbers of rows, and of notes of one kind, in a report without details.
  static let (mostRows, mostItems) = (20, 5)

  /// Returns the diff as text for a terminal: the runs that are compared, the number of figures for each kind of
  /// change, a line for each changed figure, the worst first, and notes.
  ///
  /// If no change is significant, the text contains the largest changes, and the commands that can judge smaller
  /// changes.
  ///
  /// - Parameters:
  ///   - style: the style of the text.
  ///   - details: whether every figure has a line.
  public func text(_ style: TextStyle, details: Bool = false) -> String {
    let isChanged = diff.rows.contains { $0.change.isSignificant }
    let changed = diff.rows.filter { details || $0.change.isSignificant }.sorted { $0.rank < $1.rank }
    let shown = Array(details ? changed[...] : changed.prefix(Self.mostRows))
    // If no change is significant, the largest changes show how far the runs are from a decision.
    let undecided =
      changed.isEmpty
      ? Array(diff.rows.filter { $0.ratio != nil }.sorted { $0.rank.1 < $1.rank.1 }.prefix(Self.mostItems)) : []
    // Without room for a line for each figure, the interval is omitted first, then the old and the new figure. A report
    // with details omits nothing, and a wide table continues below.
    let hasIntervals =
      details || style.width >= Self.widthOfIntervals || fits(shown + undecided, within: style.width)
    let hasSides = details || hasIntervals || style.width >= Self.widthOfSides
    // A grid has a cell for every figure.
    let grid = details ? nil : self.grid(style)
    let sections =
      [
        head.flatMap(style.wrapped)
          + (grid == nil || changed.isEmpty
            ? []
            : style.wrapped("significant changes:", .heading)
              + changed.prefix(Self.mostItems).flatMap { sentence($0, style) }
              + (changed.count > Self.mostItems
                ? style.item("and \(changed.count - Self.mostItems) more in the grid") : [])),
        // Without a significant change, the reasons are more important than the table, and precede it.
        (isChanged ? [] : reasons(style))
          + (grid ?? table(shown + undecided, hasIntervals: hasIntervals, hasSides: hasSides, isWhole: details, style))
          + (grid != nil ? [] : changed.count > shown.count ? [more(changed.count - shown.count, style)] : [])
          + (grid != nil || undecided.isEmpty || undecided.count == diff.rows.count
            ? [] : style.wrapped("the largest changes; --details shows all \(diff.rows.count)", .quiet, indent: 2))
          + (isChanged ? reasons(style) : []),
        isChanged ? [] : nextRuns(style),
        (grid == nil
          ? legend(shown + undecided, hasIntervals: hasIntervals, hasSides: hasSides)
          : gridKey + legend(diff.rows, hasIntervals: false, hasSides: false)).flatMap {
            style.wrapped($0, .quiet)
          },
      ] + notes(details ? .max : Self.mostItems).map { style.section($0, $1.flatMap { style.item($0) }) }
    return TextStyle.text(sections)
  }

  /// Returns a list item about a significant change, for a text whose grid has no intervals: `regressed:
  /// mutex[hold=0ns] +136 % [+5 % … +428 %]`.
  private func sentence(_ row: ResultDiff.Row, _ style: TextStyle) -> [String] {
    style.item("\(words(row)): \(name(of: row)) \(cells(row, unicode: style.unicode)[3])", color(row))
  }

  private func more(_ count: Int, _ style: TextStyle) -> String {
    SemanticColor.quiet("  and \(count) more; see --details", style)
  }

  /// The lines at the beginning: a line for each side, `old: 3 runs, 2026-11-20 10:00 to 11:00 UTC`, the judgement of
  /// `--fail-above`, a line about parameters that differ, if there are any, the number of figures for each kind of
  /// change, and what the comparisons of both sides choose.
  var head: [Line] {
    let common = scenario.map { ([$0] + [variant, metric].compactMap(\.self)).joined(separator: " ") }
    let name = common.map { "\($0): " } ?? ""
    let sides = [Line("old: \(diff.sides.old)", .quiet), Line("new: \(diff.sides.new)", .quiet)]
    let perUnit = diff.metricPerUnit.map { "; --metric \($0) compares the figures for a unit of work" } ?? ""
    let settings = diff.otherSettings.map { Line("not the same work: \($0)\(perUnit)", .care) }
    let circumstances = ([diff.otherLoad].compactMap(\.self) + diff.otherCircumstances).map { Line($0, .care) }
    let answers = diff.answers.map { choices($0.old, $0.new) }
    return sides + [gate].compactMap(\.self) + circumstances
      + [settings, Line(name + counts, .heading), answers == nil ? nil : untried].compactMap(\.self) + (answers ?? [])
  }

  /// The line about the judgement of `--fail-above`; nil without this option.
  private var gate: Line? {
    judgement.map { judgement in
      let limit = "\(Quantity.number(judgement.limit * 100)) %"
      return switch judgement.status {
      case 0: Line("gate: passed: nothing became worse by more than \(limit)", .good)
      case 1: Line("gate: failed: a change for the worse is above \(limit), or something failed (see regressed)", .bad)
      default:
        Line("gate: inconclusive: it is not known whether anything became worse by more than \(limit)", .care)
      }
    }
  }

  /// The scenario that all rows share; nil if there are several scenarios. The text names a shared scenario only once.
  var scenario: String? { shared(\.scenario) }

  /// The metric that all rows share; nil if there are several metrics. The text names a shared metric only once.
  var metric: String? { shared(\.metric) }

  /// The variant that all rows share; nil if there are several variants, or if the label of a row contains no settings.
  /// The text names a shared variant only once.
  var variant: String? {
    diff.rows.contains { $0.figure.settings.isEmpty } ? nil : shared(\.figure.variant)
  }

  private func shared(_ part: (ResultDiff.Row) -> String) -> String? {
    let all = Set(diff.rows.map(part))
    return all.count == 1 ? all.first : nil
  }

  /// Returns the name of a row without the parts that the head of the text contains.
  func name(of row: ResultDiff.Row) -> String {
    guard scenario != nil else { return row.figure.description }
    let label = variant == nil ? row.label : row.figure.settings.joined(separator: ",")
    return metric == nil ? "\(label) \(row.metric)" : label
  }

  /// Returns the words for the change of a row. Reports count rows by these words.
  func words(_ row: ResultDiff.Row) -> String {
    hasFailed(row) ? "above the limit" : row.isSame ? "the same" : row.change.words
  }

  /// The number of figures for each kind of change: `40 figures: 3 regressed, 2 improved, 35 with no change above
  /// 10 %`.
  private var counts: String {
    let all = diff.rows.sorted { $0.rank < $1.rank }.grouped(by: words)
    guard let first = all.first else { return "no figure that both sides have" }
    if diff.rows.count == 1 { return "1 figure: \(first.0)" }
    let counts = all.map { words, rows in
      "\(all.count == 1 ? "all" : "\(rows.count)") \(words.hasPrefix("no ") ? "with " : "")\(words)"
    }
    return "\(diff.rows.count) figures: " + counts.joined(separator: ", ")
  }

  /// The minimum width of a terminal for a table with the intervals of changes.
  private static let widthOfIntervals = 110
  /// The minimum width of a terminal for a table with the old and the new figures.
  private static let widthOfSides = 60

  /// Returns the changes of rows as text. Decimals would suggest a precision that a wide interval does not have.
  func changes(_ rows: [ResultDiff.Row]) -> [String] {
    let ratios = rows.map { $0.ratio?.estimate ?? 1 }
    let texts = [0, 1].map { Quantity.changes(ratios, decimals: $0) }
    return rows.indices.map { texts[rows[$0].ratio?.isWide == true ? 0 : 1][$0] }
  }

  func hasFailed(_ row: ResultDiff.Row) -> Bool {
    judgement?.fails(row) ?? false
  }

  /// The maximum ratio between the ends of an interval whose ends a report shows. For a wider interval, the report
  /// shows `too wide`.
  private static let widestInterval = 100.0

  /// Returns the change of a row and its interval as text: `+2 %` and `[-24 % … +36 %]`, or `[too wide]`; nil without a
  /// ratio.
  func change(_ row: ResultDiff.Row, unicode: Bool) -> (estimate: String, interval: String)? {
    row.ratio.map { ratio in
      let isWide = ratio.width > Self.widestInterval
      // Decimals would suggest a precision that a wide interval does not have.
      let changes = Quantity.changes(
        [ratio.estimate] + (isWide ? [] : [ratio.low, ratio.high]), decimals: ratio.isWide ? 0 : 1)
      let interval = "[\(isWide ? "too wide" : changes.dropFirst().joined(separator: " \(Signs.range) "))]"
      return (changes[0], unicode ? interval : Signs.plain(interval))
    }
  }

  func cells(_ row: ResultDiff.Row, unicode: Bool) -> [String] {
    let change = change(row, unicode: unicode).map { "\($0.estimate) \($0.interval)" }
    return [
      row.label, Quantity(row.old, row.unit).description, Quantity(row.new, row.unit).description, change ?? "-",
      words(row),
    ]
  }

  func color(_ row: ResultDiff.Row) -> SemanticColor? {
    switch row.change {
    case .better: .good
    case .worse: hasFailed(row) ? .bad : .care
    case .different, .none, .unknown: nil
    }
  }

  /// Returns the names of figures as text. The figures of a variant that differ only in their settings are one text:
  /// `apply-stride apply elapsed at 3 settings: stride=4; stride=16; stride=64`.
  private func folded(_ names: [ResultDiff.FigureName]) -> [String] {
    names.grouped { "\($0.scenario) \($0.variant) \($0.metric)" }.map { name, figures in
      guard figures.count > 1 else { return figures[0].description }
      let settings = figures.map { $0.settings.joined(separator: ",") }
      return "\(name) at \(figures.count) settings: \(settings.abridged(to: Self.mostItems, separator: "; "))"
    }
  }

  /// Returns the notes by title, with at most `most` items for each title.
  func notes(_ most: Int) -> [(title: String, items: [String])] {
    let verdicts = diff.verdicts.map { change in
      "\(change.scenario), \(change.old.text) \(Signs.arrow) \(change.new.text): \(change.says) Old"
        + "\(change.old.runs > 1 ? ", in one run" : ""): \(change.old.evidence). New"
        + "\(change.new.runs > 1 ? ", in one run" : ""): \(change.new.evidence)."
        + (change.caution.map { " \($0)" } ?? "")
    }
    return [
      ("verdicts that changed", verdicts), ("missing now", folded(diff.missing)), ("new", folded(diff.added)),
      ("regressed", judgement?.worse ?? []), ("could not be judged", judgement?.undecided ?? []),
      ("cautions", diff.cautions),
    ].filter { !$0.1.isEmpty }.map { title, items in
      let left = items.count - most
      return (title, left > 0 ? items.prefix(most) + ["and \(left) more; see --details"] : items)
    }
  }
}
