import Laboratory
import Measurement

extension ClaimFacts {
  /// The evidence in one sentence.
  var evidenceText: String { evidenceText(unless: nil) }

  /// The same without the number of rounds, where that is `known`.
  func evidenceText(unless known: Int?) -> String {
    func figure(_ value: Number?) -> String {
      value.map { Quantity($0.value, evidence.unit).description } ?? "-"
    }
    let trials = "\(evidence.trials) trial\(evidence.trials == 1 ? "" : "s")"
    switch verdict {
    case .unavailable: return evidence.reason ?? "not measured"
    case .held: return "\(figure(evidence.left)) in \(evidence.trials == 1 ? "the one trial" : "all \(trials)")"
    case .violated:
      let found = evidence.left.map { "found \(figure($0)): " } ?? ""
      return "\(found)\(evidence.reason ?? "a trial failed"); held in \(evidence.met) of \(trials)"
    case .witnessed:
      // What was asked for with `==` is what was found.
      return "in \(evidence.met) of \(trials)"
        + (comparison?.comparison == .equal ? "" : evidence.left.map { ", \(figure($0)) at the median" } ?? "")
    case .notWitnessed: return "never in \(trials): \(figure(evidence.left)) at the median"
    case .supported, .refuted, .inconclusive:
      var text: String
      if let ratio = evidence.ratio, let low = evidence.low, let high = evidence.high {
        let interval = ConfidenceInterval(estimate: ratio.value, low: low.value, high: high.value)
        // Whose median is the smaller one is chance, too.
        let isNoise = verdict == .inconclusive && interval.low < 1 && interval.high > 1
        text =
          "\(figure(evidence.left)) against \(figure(evidence.right)), "
          + (isNoise ? "within noise \(interval.ends)" : interval.wording(ofTimes: evidence.unit == .nanoseconds))
      } else if verdict != .inconclusive, let left = evidence.left, let claimed = claimed(figure(evidence.right)) {
        text = "\(figure(left)) where \(claimed) is claimed"
      } else {
        text = "\(figure(evidence.left)) against \(figure(evidence.right))"
      }
      if let reason = evidence.reason { return text + "; \(reason)" }
      return text + (evidence.trials == known ? "" : ", \(evidence.trials) rounds")
    }
  }

  /// What the check asks for on its right side, in words; nil where it asks for what is different.
  private func claimed(_ right: String) -> String? {
    switch comparison?.comparison {
    case .equal: right
    case .atMost: "at most \(right)"
    case .atLeast: "at least \(right)"
    case .less: "less than \(right)"
    case .greater: "more than \(right)"
    case .different, nil: nil
    }
  }
}
