import Laboratory
import Measurement

/// The judgement of a diff by the limit of `--fail-above`.
public struct DiffJudgement: Sendable {
  /// The share above which a change for the worse fails, such as 0.05 for 5 %.
  public let limit: Double
  /// The names of the figures that became worse by more than the limit.
  private let failing: Set<ResultDiff.FigureName>
  /// The changes for the worse, as text: figures that became worse by more than the limit, claims that failed, trials
  /// that broke, and trials that trapped or hung although they are meant to complete.
  public let worse: [String]
  /// The questions that could not be judged, as text, each with the reason and with advice.
  public let undecided: [String]

  /// The exit status: 1 if something became worse; otherwise, 2 if something could not be judged, and 0 if everything
  /// could be judged.
  public var status: Int32 { !worse.isEmpty ? 1 : undecided.isEmpty ? 0 : 2 }

  /// Creates the judgement of a diff.
  ///
  /// - Parameters:
  ///   - diff: the diff to judge.
  ///   - limit: the share above which a change for the worse fails. The share must not be negative.
  public init(_ diff: ResultDiff, failAbove limit: Double) {
    self.limit = limit
    let percent = "\(Quantity.number(limit * 100)) %"
    // Another load may be the reason for a change.
    let failing = diff.otherLoad == nil ? diff.rows.filter { $0.isWorse(byMoreThan: limit) } : []
    worse =
      failing.compactMap { row in
        row.ratio.map { "\(row.figure) changed for the worse by \(Quantity.change($0.estimate)), above \(percent)" }
      } + diff.faults
    let names = Set(failing.map(\.figure))
    self.failing = names
    var undecided = diff.rows.filter { !names.contains($0.figure) }.compactMap { row -> String? in
      guard row.better != .neither else { return nil }
      guard row.ratio != nil else { return row.reason.map { "\(row.figure): \($0)" } }
      // The change may be anywhere in the interval. A figure passes if the interval excludes the limit.
      guard let worsening = row.worsening, worsening.high > 1 + limit else { return nil }
      // The worst change of a figure for which higher is better is negative.
      let most = row.better == .higher ? 1 / worsening.high : worsening.high
      return "\(row.figure) may be worse by more than \(percent): its change is up to \(Quantity.change(most)) "
        + "(runs per side: \(row.runs.old) and \(row.runs.new))"
    }
    undecided += [diff.otherLoad].compactMap(\.self)
    undecided += diff.missing.map { "\($0) was not measured on the new side" } + diff.uncertainties
    if diff.rows.isEmpty {
      undecided.append("the two sides have no figure in common: give runs of the same scenarios")
    } else if diff.otherSettings == nil, diff.rows.allSatisfy({ $0.better == .neither }) {
      undecided.append("no figure has a worse direction: choose another metric with --metric")
    }
    self.undecided = undecided
  }

  /// Returns whether a figure became worse by more than the limit.
  func fails(_ row: ResultDiff.Row) -> Bool { failing.contains(row.figure) }
}

extension Quantity {
  /// Returns a change by a factor as text: `+3.1 %`, or `12.4x` for a factor above 10.
  static func change(_ ratio: Double) -> String { changes([ratio])[0] }

  /// Returns the changes by several factors as text. All changes are percentages; if a factor is above 10, all are
  /// factors, so that a reader can compare them.
  static func changes(_ ratios: [Double], decimals: Int = 1) -> [String] {
    let areFactors = ratios.contains { $0 > 10 }
    return ratios.map {
      areFactors ? ratio($0) + "x" : ($0 < 1 ? "" : "+") + fixed(100 * ($0 - 1), decimals: decimals) + " %"
    }
  }
}
