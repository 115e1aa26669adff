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
    case .held: return "\(figure(evidence.left)) in \(all)"
    case .violated:
      let found = evidence.left.map { "found \(figure($0)): " } ?? ""
      return "\(found)\(evidence.reason ?? "a trial failed"); held in \(evidence.met) of \(trials)"
    case .witnessed:
      let isAll = evidence.met == evidence.trials
      let seen = "in \(isAll ? all : "\(evidence.met) of \(trials)")"
      // What was asked for with `==` is what was found.
      guard comparison?.comparison != .equal, evidence.left != nil else { return seen }
      return seen + ", median\(isAll ? "" : " of these") \(median)"
    case .notWitnessed: return "in none of \(trials), median \(median)"
    case .supported, .refuted, .inconclusive:
      let text = ratio ?? claimed ?? figures.joined(separator: " vs ")
      if let reason = evidence.reason { return text + "; \(reason)" }
      return text + (evidence.trials == known ? "" : ", \(evidence.trials) rounds")
    }
  }

  private func figure(_ value: Number?) -> String {
    value.map { Quantity($0.value, evidence.unit).description } ?? "-"
  }

  /// The median of the left side, with what it counts: `40,330 duplicates`.
  private var median: String {
    let whole = evidence.unit == .none ? evidence.left.flatMap { Int(exactly: $0.value) } : nil
    return (whole?.withCommas ?? figure(evidence.left)) + (comparison?.figures.first.map { " \($0.metric)" } ?? "")
  }

  /// Both medians and their ratio, in the claim's direction; nil where there is no ratio.
  private var ratio: String? {
    guard let ratio = evidence.ratio, let low = evidence.low, let high = evidence.high else { return nil }
    let interval = ConfidenceInterval(estimate: ratio.value, low: low.value, high: high.value)
    // Whose median is the smaller one is chance, too.
    let isUntold = verdict == .inconclusive && interval.low < 1 && interval.high > 1
    let words = RatioWords(evidence.of, evidence.unit)
    let told =
      !isUntold
      ? interval.wording(words) : interval.isNoise ? Tables.noise : "no significant difference \(interval.ends)"
    return figures.joined(separator: " vs ") + ": " + told
  }

  /// `2 where at most 1 is claimed`; nil where the check asks for what is different, and where it is open.
  private var claimed: String? {
    guard verdict != .inconclusive, evidence.left != nil else { return nil }
    let right = figure(evidence.right)
    let asked: String? =
      switch comparison?.comparison {
      case .equal: right
      case .atMost: "at most \(right)"
      case .atLeast: "at least \(right)"
      case .less: "less than \(right)"
      case .greater: "more than \(right)"
      case .different, nil: nil
      }
    return asked.map { "\(figure(evidence.left)) where \($0) is claimed" }
  }

  /// The two sides, each with its name where both are figures: `mutex 18.2 ns`, `sync 114 ns`.
  private var figures: [String] {
    let figures = [evidence.left, evidence.right].map(figure)
    guard let names = comparison?.sideNames else { return figures }
    return zip(names, figures).map { "\($0) \($1)" }
  }
}

extension WrittenCheck {
  /// What tells its sides apart, where both are figures: their variants, points or metrics; nil where one is a number.
  var sideNames: [String]? {
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
      return figure.scope + (point.isEmpty ? "" : "[\(point)]")
    }
    let areOneRun = run(left.figure) == run(right.figure)
    let sameMetric = left.figure.metric == right.figure.metric && left.figure.statistic == right.figure.statistic
    return [left, right].map { factor, figure in
      let metric = [figure.metric, figure.statistic].compactMap(\.self).joined(separator: ".")
      let name = sameMetric ? run(figure) : areOneRun ? metric : "\(run(figure)).\(metric)"
      return factor.map { "\(Quantity.number($0)) * \(name)" } ?? name
    }
  }
}

extension Int {
  /// As English prose groups its digits: `40,330`.
  var withCommas: String { grouped.replacing("_", with: ",") }
}
