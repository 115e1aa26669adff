import Laboratory
import Measurement

extension ClaimFacts {
  /// The evidence in one sentence.
  var evidenceText: String { evidenceText(unless: nil) }

  /// The same without the number of rounds, where that is `known`.
  func evidenceText(unless known: Int?) -> String {
    let trials = "\(evidence.trials) trial\(evidence.trials == 1 ? "" : "s")"
    let all = evidence.trials == 1 ? "the one trial" : "all \(trials)"
    switch verdict {
    case .unavailable: return evidence.reason ?? "not measured"
    case .held: return "\(left) in \(all)"
    case .violated:
      let found = evidence.left == nil ? "" : "found \(left): "
      return "\(found)\(evidence.reason ?? "a trial failed"); held in \(evidence.met) of \(trials)"
    case .witnessed:
      let isAll = evidence.met == evidence.trials && evidence.lost == nil
      let others = evidence.lost.map { ", \($0) more lost" } ?? ""
      let seen = "in \(isAll ? all : "\(evidence.met) of \(trials)")\(others)\(spread(over: known))"
      // What was asked for with `==` is what was found.
      guard comparison?.comparison != .equal, evidence.left != nil else { return seen }
      return seen + (isAll ? ", " : "; there ") + counted
    case .notWitnessed: return "in none of \(trials)\(spread(over: known)), \(counted)"
    case .supported, .refuted, .inconclusive:
      if let reason = apart ?? evidence.reason { return comparedText + "; \(reason)" }
      return comparedText + (evidence.trials == known ? "" : ", \(evidence.trials) rounds")
    }
  }

  /// Whether its evidence tells a ratio of paired rounds.
  var hasRatio: Bool {
    switch told {
    case .ratio(let interval): !interval.isSame(evidence.meaning)
    case .noDifference: true
    case .tooNoisy, nil: false
    }
  }

  /// Whether its evidence says that the ratio does not tell the sides apart: by a narrow interval, or by a wide one.
  var isUntold: (narrow: Bool, wide: Bool) {
    switch told {
    case .noDifference: (true, false)
    case .tooNoisy: (false, true)
    case .ratio, nil: (false, false)
    }
  }

  /// The left side; from the smallest to the largest where they differ.
  private var left: String { side(evidence.left, evidence.leftRange) }

  /// A side of one figure, or from its smallest to its largest.
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

  /// Of more trials than there are rounds, at how many settings they were: ` (6 at each of 3 settings)`.
  private func spread(over rounds: Int?) -> String {
    guard let rounds, rounds > 0, evidence.trials > rounds, evidence.trials % rounds == 0,
      comparison?.figures.first?.scope.isOne == true
    else { return "" }
    return " (\(rounds) at each of \(evidence.trials / rounds) settings)"
  }

  /// The left side with what it counts: `4 to 40,330 duplicates`; both sides where two figures are compared.
  private var counted: String {
    let names = comparison?.figures.map(\.metric) ?? []
    guard let name = names.first else { return left }
    if names.count > 1 { return "\(name) \(left), \(names[1]) \(side(evidence.right, evidence.rightRange))" }
    return "\(left) \(name)"
  }

  /// Which side is below the other in every round; nil where that is not why the verdict is so.
  private var apart: String? {
    guard evidence.reason == Evidence.apart, let names = comparison?.sideNames, let left = evidence.left?.value,
      let right = evidence.right?.value
    else { return nil }
    let (low, high) = left < right ? (names[0].text, names[1].text) : (names[1].text, names[0].text)
    return "every round of \(low) is below every round of \(high)"
  }

  /// The interval of the ratio of the sides; nil where one of them is a limit that was judged, and where there is no
  /// ratio.
  private var interval: ConfidenceInterval? {
    guard comparison?.isOfLimit != true || verdict == .inconclusive, let ratio = evidence.ratio, let low = evidence.low,
      let high = evidence.high
    else { return nil }
    return ConfidenceInterval(estimate: ratio.value, low: low.value, high: high.value)
  }

  /// What the rounds tell of the ratio.
  private enum Told {
    case ratio(ConfidenceInterval)
    /// Whose median is the smaller one is chance, too.
    case noDifference(ConfidenceInterval)
    case tooNoisy
  }

  /// Nil where there is no ratio, and where the verdict stands on the reason behind it and not on the interval.
  private var told: Told? {
    guard let interval else { return nil }
    guard interval.low < 1, interval.high > 1 else { return .ratio(interval) }
    guard verdict == .inconclusive else { return nil }
    return interval.isNoise ? .tooNoisy : .noDifference(interval)
  }

  /// The medians and what the rounds tell of their ratio, in the claim's direction; else what was claimed.
  private var comparedText: String {
    let sides = bothSides
    switch told {
    case .ratio(let interval): return "\(sides): \(interval.wording(evidence.meaning))"
    case .noDifference(let interval): return "\(sides): no significant difference \(interval.ends)"
    case .tooNoisy: return "\(sides): \(Tables.noise)"
    case nil: return (interval == nil ? claimed : nil) ?? sides
    }
  }

  /// `elapsed: 2.09 ms, above the limit of 1.86 ms by 12 %`, and of a count `width: 2 where at most 1 is claimed`; nil
  /// where two figures are compared, where the check asks for what is different, and where it is open.
  private var claimed: String? {
    guard verdict != .inconclusive, let found = evidence.left, let comparison, comparison.isOfLimit else { return nil }
    if let limit = evidence.right, evidence.unit != .none || !comparison.hasLimit, limit.value > 0,
      comparison.comparison.isDirected
    {
      let share = found.value / limit.value - 1
      let factor = comparison.sideNames.map { (side: $0[0].text, product: " (\($0[1].text))") }
      let who = factor.map { $0.side + " " } ?? ""
      let by = abs(share) < 1 ? " by \(Quantity.number((abs(share) * 100).rounded())) %" : ""
      let place = abs(share) < 0.005 ? "at" : share > 0 ? "above" : "below"
      return "\(measured)\(who)\(left), \(place) the limit of \(figure(limit))\(factor?.product ?? "")"
        + (place == "at" ? "" : by)
    }
    guard comparison.hasLimit else { return nil }
    let right = figure(evidence.right)
    let asked: String? =
      switch comparison.comparison {
      case .equal: right
      case .atMost: "at most \(right)"
      case .atLeast: "at least \(right)"
      case .less: "less than \(right)"
      case .greater: "more than \(right)"
      case .different: nil
      }
    guard let asked else { return nil }
    let isAsAsked = comparison.comparison == .equal && verdict == .supported
    return "\(measured)\(left)" + (isAsAsked ? ", as claimed" : " where \(asked) is claimed")
  }

  /// What both figures are of, before them: `contended: `. Empty where each side names its own.
  private var measured: String { comparison?.sharedMetric.map { "\($0): " } ?? "" }

  /// The two sides, each with its name where both are figures: `contended: mutex 18.2 ns vs sync 114 ns`.
  private var bothSides: String {
    let figures = [left, side(evidence.right, evidence.rightRange)]
    let named =
      comparison?.sideNames.map { zip($0, figures).map { "\($0.text)\($0.isProduct ? " =" : "") \($1)" } } ?? figures
    return measured + named.joined(separator: " vs ")
  }
}

extension WrittenCheck {
  /// Whether one side is a number, which the other is held against.
  fileprivate var hasLimit: Bool { figures.count == 1 }

  /// Whether the left side is held against a number, or against a part or a multiple of another figure.
  fileprivate var isOfLimit: Bool {
    let sides = sideNames
    return hasLimit || sides?[0].isProduct == false && sides?[1].isProduct == true
  }

  /// The metric of its figures; nil where they are of two.
  fileprivate var sharedMetric: String? {
    let metrics = Set(figures.map(\.metric))
    return metrics.count == 1 ? metrics.first : nil
  }

  /// What tells its sides apart, where both are figures: their variants, points or metrics; nil where one is a number.
  ///
  /// Of a product the figure beside it is what it comes to.
  var sideNames: [(text: String, isProduct: Bool)]? {
    let sides = [left, right].map { operand -> (factor: Double?, figure: Figure)? in
      switch operand {
      case .figure(let figure): (nil, figure)
      case .scaled(let factor, .figure(let figure)): (factor, figure)
      case .quantity, .cores, .scaled: nil
      }
    }
    guard let left = sides[0], let right = sides[1], left.figure != right.figure else { return nil }
    // What both have in common tells nothing.
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

  /// A factor as checks have it: `0.5`, `2`.
  private static func plain(_ factor: Double) -> String { Int(exactly: factor).map(String.init) ?? "\(factor)" }
}
