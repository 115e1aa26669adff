import Laboratory
import Measurement

extension ResultDiff {
  /// The kind of change of a figure between the two sides.
  public enum Change: String, Sendable, Codable {
    /// The confidence interval of the ratio excludes 1, and the figure became better.
    case better
    /// The confidence interval of the ratio excludes 1, and the figure became worse.
    case worse
    /// The confidence interval of the ratio excludes 1, and neither direction of the metric is better.
    case different
    /// The confidence interval of the ratio includes 1 and excludes changes larger than
    /// ``ConfidenceInterval/alikeDifference``, or the figures of all rounds on both sides are equal.
    case none = "within noise"
    /// The change cannot be judged: the confidence interval of the ratio includes both 1 and a change that matters, or
    /// there are too few rounds, or the figures have no ratio.
    case unknown = "cannot tell"

    /// The changes in the order in which reports list them, the most severe first.
    static let worstFirst: [Change] = [.worse, .different, .better, .none, .unknown]

    /// Whether the figure changed significantly.
    var isSignificant: Bool { self == .better || self == .worse || self == .different }

    /// The words for the change in a report.
    var words: String {
      switch self {
      case .better: "improved"
      case .worse: "regressed"
      case .different: "changed"
      case .none: "no change above \(Quantity(100 * ConfidenceInterval.alikeDifference, .percent))"
      case .unknown: "inconclusive"
      }
    }
  }

  /// The runs of one side of a diff.
  public struct Side: Sendable, CustomStringConvertible {
    /// The number of documents.
    public let runs: Int
    /// The number of scenarios.
    public let scenarios: Int
    /// The start times of the first and of the last document, in UTC; empty if there are no documents.
    public let first, last: String

    init(_ documents: [ResultDocument]) {
      runs = documents.count
      scenarios = Set(documents.map(\.scenario.name)).count
      first = documents.map(\.started).min() ?? ""
      last = documents.map(\.started).max() ?? ""
    }

    /// The number and the dates of the runs: `3 runs, 2026-11-20 10:00 to 11:00 UTC`.
    public var description: String {
      let (first, last) = (first.dateAndMinute, last.dateAndMinute)
      let isSameDay = first.prefix(10) == last.prefix(10)
      let end = first == last ? "" : " to " + (isSameDay ? String(last.dropFirst(11)) : last)
      let of = scenarios > 1 ? " of \(scenarios) scenarios" : ""
      return "\(runs.counted("run"))\(of)" + (first.isEmpty ? "" : ", \(first)\(end) UTC")
    }
  }

  /// A figure that was measured on both sides of a diff.
  public struct Row: Sendable {
    let figure: FigureName
    /// The unit of the metric.
    public let unit: Unit
    /// The number of runs on each side that measured the figure.
    public let runs: (old: Int, new: Int)
    /// The typical figure of each side: the geometric mean over the runs, or the median if a figure is 0.
    public let old, new: Double
    /// The ratio of the new figure to the old figure; nil if there are too few rounds, if the figure of a round is 0,
    /// or if all figures are equal.
    public let ratio: ConfidenceInterval?
    /// The number of runs per side that probably show a change of ``ResultDiff/soughtChange``; nil if the change was
    /// judged, or if too many runs would be needed.
    let runsNeeded: Int?
    /// The kind of change that the comparison found.
    public let change: Change
    /// The reason why the change cannot be judged; nil if the change was judged.
    public let reason: String?
    /// The direction in which the metric is better.
    let better: Metric.Better

    /// The kind of the metric.
    let kind: Metric.Kind
    /// What the figure is, such as a duration or an amount. It selects the words for a change.
    let meaning: Metric.Meaning

    /// The name of the scenario.
    public var scenario: String { figure.scenario }
    /// The variant and the point: `apply[stride=64]`.
    public var label: String { figure.label }
    /// The name of the metric.
    public var metric: String { figure.metric }

    /// The factor by which the figure became worse; nil if neither direction of the metric is better, or if there is no
    /// ratio.
    var worsening: ConfidenceInterval? {
      switch better {
      case .lower: ratio
      case .higher:
        ratio.map { ConfidenceInterval(estimate: 1 / $0.estimate, low: 1 / $0.high, high: 1 / $0.low) }
      case .neither: nil
      }
    }

    /// A sort key for lists that begin with the worst change.
    var rank: (Int, Double) {
      let size = ratio.map { max($0.estimate, 1 / $0.estimate) } ?? 0
      return (Change.worstFirst.firstIndex(of: change) ?? 0, -size)
    }

    /// Whether the figures of all rounds on both sides are equal, as for a count of 0. There is no ratio then.
    var isSame: Bool { change == .none && ratio == nil }

    /// Returns whether the figure became worse by more than `share` and the change is significant.
    ///
    /// - Parameter share: a share of the old figure, such as 0.05 for 5 %.
    public func isWorse(byMoreThan share: Double) -> Bool {
      change == .worse && worsening.map { $0.estimate > 1 + share } == true
    }
  }

  /// A claim whose verdict differs between the old and the new results.
  public struct VerdictChange: Sendable {
    /// The name of the scenario that contains the claim.
    public let scenario: String
    /// The text of the claim.
    public let says: String
    /// The verdicts of the old and of the new side.
    public let old, new: Side

    /// The verdict of a claim on one side.
    public struct Side: Sendable {
      /// The verdict.
      public let verdict: Verdict
      /// The number of runs with this verdict, and of all runs of the side.
      let count, runs: Int
      /// The evidence for the verdict in one of these runs, in one sentence without a full stop.
      let evidence: String

      /// The verdict with its number of runs, if the runs of the side have several verdicts: `refuted in 5 of 7 runs`.
      var text: String { verdict.rawValue + (count < runs ? " in \(count) of \(runs) runs" : "") }
    }

    /// A sentence about the certainty of the change; nil if all runs of each side decide, and decide alike.
    var caution: String? {
      if old.count < old.runs || new.count < new.runs { return "This may be noise, since not all runs decide alike." }
      guard (old.verdict == .inconclusive) != (new.verdict == .inconclusive) else { return nil }
      return "The \(old.verdict == .inconclusive ? "old" : "new") side does not decide, so it does not contradict the "
        + "\(old.verdict == .inconclusive ? "new" : "old") one."
    }
  }
}

extension String {
  /// The date and the minute of an ISO 8601 time: `2026-11-20 10:00`.
  var dateAndMinute: String { String(prefix(16)).replacing("T", with: " ") }
}
