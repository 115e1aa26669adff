import Laboratory
import Measurement

extension ClaimFacts {
  /// The evidence for the verdict, in one sentence.
  var evidenceText: String { evidenceText(unless: nil) }

  /// Returns a phrase that states the evidence for the verdict. For a performance claim, the phrase omits the number of
  /// rounds if this number equals `known`. For an anomaly that was tried at several settings, the phrase adds the
  /// number of rounds at each setting if every setting had `known` rounds.
  func evidenceText(unless known: Int?) -> String {
    let trials = "\(evidence.trials.counted("trial"))"
    let all = evidence.trials == 1 ? "the one trial" : "all \(trials)"
    switch verdict {
    case .unavailable: return evidence.reason ?? "not measured"
    case .held: return "\(found) in \(all)"
    case .violated:
      let found = evidence.left == nil ? "" : "found \(found): "
      return "\(found)\(evidence.reason ?? "a trial failed"); held in \(evidence.met) of \(trials)"
    case .witnessed:
      let isAll = evidence.met == evidence.trials && evidence.lost == nil
      let others = evidence.lost.map { ", \($0) more lost" } ?? ""
      let seen = "in \(isAll ? all : "\(evidence.met) of \(trials)")\(others)\(spread(over: known))"
      // A check with `==` already contains the figure of the trials that meet the check.
      guard writtenCheck?.relation != .equal, evidence.left != nil else { return seen }
      return seen + (isAll ? ", " : "; there ") + counted
    case .notWitnessed: return "in none of \(trials)\(spread(over: known)), \(counted)"
    case .supported, .refuted, .inconclusive:
      if let reason = apart ?? evidence.reason { return comparedText + "; \(reason)" }
      return comparedText + (evidence.trials == known ? "" : ", \(evidence.trials) rounds")
    }
  }

  /// Whether ``evidenceText`` contains a ratio of paired rounds, or states that there is no significant difference.
  var hasRatio: Bool {
    switch ratioResult {
    case .ratio(let interval): !interval.isSame(evidence.meaning)
    case .noDifference: true
    case .tooNoisy, nil: false
    }
  }

  /// Whether the interval of the ratio includes 1. If so, the rounds do not show which side is better. `narrow` is true
  /// if there is no significant difference, and `wide` is true if the ratio is too noisy.
  var isUndecided: (narrow: Bool, wide: Bool) {
    switch ratioResult {
    case .noDifference: (true, false)
    case .tooNoisy: (false, true)
    case .ratio, nil: (false, false)
    }
  }

  /// The figure of the left side as text, or the smallest and the largest figure if the trials have different figures.
  private var left: String { side(evidence.left, evidence.leftRange) }

  /// Returns the median of a side as text, or the smallest and the largest figure of the side if these figures differ.
  private func side(_ median: Number?, _ range: [Number]?) -> String {
    guard let range, range.count == 2 else { return figure(median) }
    let ends = range.map(figure)
    return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
  }

  private func figure(_ value: Number?) -> String {
    guard let value = value?.value else { return "-" }
    let whole = evidence.unit == .none ? Int(exactly: value) : nil
    return whole?.withCommas ?? Quantity(value, evidence.unit).description
  }

  /// Returns the number of settings as text, ` (6 at each of 3 settings)`, if the claim is about one variant and has
  /// several trials for each round. Otherwise, returns an empty string.
  private func spread(over rounds: Int?) -> String {
    guard let rounds, rounds > 0, evidence.trials > rounds, evidence.trials % rounds == 0,
      writtenCheck?.figures.first?.scope.isOne == true
    else { return "" }
    return " (\(rounds) at each of \(evidence.trials / rounds) settings)"
  }

  /// The figure of the left side as text, or the figures of both sides if the check compares two figures.
  private var found: String { writtenCheck?.figures.count == 2 ? bothSides : left }

  /// The figure of the left side with the name of its metric, `4 to 40,330 duplicates`, or the figures of both sides if
  /// the check compares two figures.
  private var counted: String {
    let names = writtenCheck?.figures.map(\.metric) ?? []
    guard let name = names.first else { return left }
    if names.count > 1 { return "\(name) \(left), \(names[1]) \(side(evidence.right, evidence.rightRange))" }
    return "\(left) \(name)"
  }

  /// A statement that the figure of every round of one side is below all figures of the other side; nil if the verdict
  /// has another reason, or if the sides have no names.
  private var apart: String? {
    guard evidence.reason == Evidence.disjoint, let names = writtenCheck?.sideNames, let left = evidence.left?.value,
      let right = evidence.right?.value
    else { return nil }
    let (low, high) = left < right ? (names[0].text, names[1].text) : (names[1].text, names[0].text)
    return "every round of \(low) is below every round of \(high)"
  }

  /// The interval of the ratio between the sides; nil if there is no ratio, or if one side is a limit and the verdict
  /// is not `inconclusive`.
  private var interval: ConfidenceInterval? {
    guard writtenCheck?.isOfLimit != true || verdict == .inconclusive, let ratio = evidence.ratio,
      let low = evidence.low,
      let high = evidence.high
    else { return nil }
    return ConfidenceInterval(estimate: ratio.value, low: low.value, high: high.value)
  }

  /// The result of the paired rounds for the ratio of the sides.
  private enum RatioResult {
    case ratio(ConfidenceInterval)
    /// The interval includes 1, so the order of the two medians may be chance.
    case noDifference(ConfidenceInterval)
    case tooNoisy
  }

  /// The result of the paired rounds; nil if there is no ratio, or if the verdict does not depend on the interval.
  private var ratioResult: RatioResult? {
    guard let interval else { return nil }
    guard interval.low < 1, interval.high > 1 else { return .ratio(interval) }
    guard verdict == .inconclusive else { return nil }
    return interval.isNoise ? .tooNoisy : .noDifference(interval)
  }

  /// The figures of both sides, with the result of the paired rounds for their ratio. Without such a result, the text
  /// contains ``claimed``, or only the figures.
  private var comparedText: String {
    let sides = bothSides
    switch ratioResult {
    case .ratio(let interval):
      guard evidence.bound != true else { return "\(sides): at least \(evidence.meaning.wording(interval.estimate))" }
      return "\(sides): \(interval.wording(evidence.meaning))\(reservation(interval))"
    case .noDifference(let interval): return "\(sides): no significant difference \(interval.ends(evidence.meaning))"
    case .tooNoisy: return "\(sides): too noisy to tell"
    case nil: return (interval == nil ? claimed : nil) ?? sides
    }
  }

  /// Returns a remark if the ratio differs from the quotient of the two figures, which are medians; otherwise an empty
  /// string.
  private func reservation(_ interval: ConfidenceInterval) -> String {
    guard let left = evidence.left?.value, let right = evidence.right?.value, left > 0, right > 0 else { return "" }
    let quotient = left / right / interval.estimate
    return max(quotient, 1 / quotient) > Self.largestDeviation ? " (mean of the rounds' ratios)" : ""
  }

  /// The largest ratio between the quotient of two medians and the mean of the rounds' ratios for which the text has no
  /// remark.
  private static let largestDeviation = 1.05

  /// The figure of the left side with the limit of the check, as text; nil if the right side is not a limit, if the
  /// left side has no figure, if the check is an inequality (`!=`), or if the verdict is `inconclusive`.
  ///
  /// Examples: `elapsed: 2.09 ms, above the limit of 1.86 ms by 12 %` for a duration, and `width: 2 where at most 1 is
  /// claimed` for a count.
  private var claimed: String? {
    guard verdict != .inconclusive, let found = evidence.left, let check = writtenCheck, check.isOfLimit else {
      return nil
    }
    if let limit = evidence.right, evidence.unit != .none || !check.hasLimit, limit.value > 0,
      check.relation.isDirected
    {
      let share = found.value / limit.value - 1
      let factor = check.sideNames.map { (side: $0[0].text, product: " (\($0[1].text))") }
      let who = factor.map { $0.side + " " } ?? ""
      let by = abs(share) < 1 ? " by \(Quantity.number((abs(share) * 100).rounded())) %" : ""
      let place = abs(share) < 0.005 ? "at" : share > 0 ? "above" : "below"
      return "\(measured)\(who)\(left), \(place) the limit of \(figure(limit))\(factor?.product ?? "")"
        + (place == "at" ? "" : by)
    }
    guard check.hasLimit else { return nil }
    let right = figure(evidence.right)
    let asked: String? =
      switch check.relation {
      case .equal: right
      case .atMost: "at most \(right)"
      case .atLeast: "at least \(right)"
      case .less: "less than \(right)"
      case .greater: "more than \(right)"
      case .different: nil
      }
    guard let asked else { return nil }
    let isAsAsked = check.relation == .equal && verdict == .supported
    return "\(measured)\(left)" + (isAsAsked ? ", as claimed" : " where \(asked) is claimed")
  }

  /// The prefix `contended: ` with the metric of both figures; empty if the figures have different metrics.
  private var measured: String { writtenCheck?.sharedMetric.map { "\($0): " } ?? "" }

  /// The two sides as text, with their names if both sides are figures: `contended: mutex 18.2 ns vs sync 114 ns`.
  private var bothSides: String {
    let figures = [left, side(evidence.right, evidence.rightRange)]
    let named =
      writtenCheck?.sideNames.map { zip($0, figures).map { "\($0.text)\($0.isProduct ? " =" : "") \($1)" } } ?? figures
    return measured + named.joined(separator: " vs ")
  }
}

extension WrittenCheck {
  /// Whether one side of the check is a number and not a figure.
  fileprivate var hasLimit: Bool { figures.count == 1 }

  /// Whether the right side of the check is a limit: a number, or a part or a multiple of another figure.
  fileprivate var isOfLimit: Bool {
    let sides = sideNames
    return hasLimit || sides?[0].isProduct == false && sides?[1].isProduct == true
  }

  /// The metric of the check's figures; nil if the figures have different metrics.
  fileprivate var sharedMetric: String? {
    let metrics = Set(figures.map(\.metric))
    return metrics.count == 1 ? metrics.first : nil
  }

  /// The names that distinguish the figures of the two sides: variants, points or metrics; nil if a side is neither a
  /// figure nor a multiple of a figure, or if both sides have the same figure.
  ///
  /// The name of a product includes the factor, since the number beside the name is the value of the product.
  var sideNames: [(text: String, isProduct: Bool)]? {
    let sides = [left, right].map { operand -> (factor: Double?, figure: Figure)? in
      switch operand {
      case .figure(let figure): (nil, figure)
      case .scaled(let factor, .figure(let figure)): (factor, figure)
      case .quantity, .cores, .scaled: nil
      }
    }
    guard let left = sides[0], let right = sides[1], left.figure != right.figure else { return nil }
    // Settings that both sides have do not distinguish the sides.
    let shared = left.figure.point.filter(right.figure.point.contains)
    func run(_ figure: Figure) -> String {
      let point = figure.point.filter { !shared.contains($0) }.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      return figure.scope.name + (point.isEmpty ? "" : "[\(point)]")
    }
    let areOneRun = run(left.figure) == run(right.figure)
    let sameMetric = left.figure.metric == right.figure.metric && left.figure.statistic == right.figure.statistic
    return [left, right].map { factor, figure in
      let metric = [figure.metric, figure.statistic].compactMap(\.self).joined(separator: ".")
      let ofRun = [figure.statistic, run(figure)].compactMap(\.self).joined(separator: " of ")
      let name = sameMetric ? ofRun : areOneRun ? metric : "\(run(figure)).\(metric)"
      return (factor.map { "\(Self.plain($0)) * \(name)" } ?? name, factor != nil)
    }
  }

  /// Returns a factor in the notation of checks: `0.5`, `2`.
  private static func plain(_ factor: Double) -> String { Int(exactly: factor).map(String.init) ?? "\(factor)" }
}
