import Measurement

extension Results {
  /// The note with the first of the experiment's conclusions whose conditions are all met and whose figures all exist.
  /// If no conclusion qualifies but a claim is inconclusive, the note contains the reason, and a change that would help
  /// if there is one. The value is nil if no conclusion qualifies and no claim is inconclusive, if the experiment has
  /// no conclusions, or if it searches for the best setting.
  var conclusion: RunNote? {
    guard !experiment.isComparison else { return nil }
    let met = Set<Conclusion.Condition>(
      judgements.filter { $0.verdict.isBorneOut || $0.verdict == .refuted }.compactMap { judgement in
        judgement.claim.check.written.map { .init(check: $0, isRefuted: judgement.verdict == .refuted) }
      })
    let words = experiment.conclusions.lazy.filter { met.isSuperset(of: $0.conditions) }.compactMap(words).first
    if words == nil, !experiment.conclusions.isEmpty, judgements.contains(where: { $0.verdict == .inconclusive }) {
      return RunNote(Conclusion.kind, noConclusion)
    }
    return words.map { RunNote(Conclusion.kind, $0) }
  }

  /// The reason why there is no conclusion, and a change that would help if there is one.
  private var noConclusion: String {
    if let thing = runs.lazy.flatMap(\.trials).flatMap(\.shortages).min() {
      return "No conclusion: \(thing) was not available. Close other programs that keep the cores busy, and run again."
    }
    let rounds = runs.map(\.trials.count).max() ?? 0
    if rounds < ConfidenceInterval.fewest {
      return "No conclusion: too few rounds (\(ConfidenceInterval.fewest) needed)."
    }
    let thorough = Budget.thorough.rounds
    return "No conclusion: the rounds are too noisy" + (rounds < thorough ? "; --thorough runs \(thorough)." : ".")
  }

  private func words(of conclusion: Conclusion) -> String? {
    var sentence = ""
    for part in conclusion.parts {
      guard let text = words(of: part) else { return nil }
      sentence += text
    }
    return sentence
  }

  private func words(of part: Conclusion.Part) -> String? {
    switch part {
    case .text(let text): return text
    case .figure(let reference):
      return Summary(figures(reference).map(\.value))
        .map { Quantity($0.p50, reference.metric.unit).description }
    case .ratio(let left, let right):
      // If the interval includes 1, the estimate is not significant.
      let interval = rounds(left, right).interval()
      return interval.flatMap { interval in
        guard interval.low > 1 || interval.high < 1 else { return nil }
        let bound =
          switch (isNearFloor(left), isNearFloor(right)) {
          case (false, false): ""
          case (false, true): "at least "
          case (true, false): "at most "
          case (true, true): interval.estimate > 1 ? "at least " : "at most "
          }
        guard interval.isWide else { return bound + Quantity.ratio(interval.estimate) }
        // A reader would quote the estimate as if it were certain.
        return bound.isEmpty
          ? "\(Quantity.ratio(interval.low)) to \(Quantity.ratio(interval.high))"
          : bound + Quantity.ratio(interval.nearest)
      }
    case .system: return machine.os
    case .share(let left, let right): return Self.share(rounds(left, right).pairs)
    }
  }

  /// Returns whether the cost of the clock, or of the timing loop, is a large part of a figure. If the result is true,
  /// the actual figure is lower. The result is false if the figure or its noise floor is unknown.
  private func isNearFloor(_ reference: Check.Reference) -> Bool {
    guard let run = runs(of: reference).first, let floor = run.floor(of: reference.metric, on: machine),
      let median = Summary(figures(reference).map(\.value))?.p50
    else { return false }
    return NoiseFloor.isNear(median, floor: floor)
  }

  /// Returns whether the true ratio of a check's two sides is further from 1 than the measured `ratio`: the shorter
  /// time is near its noise floor. The cost of the measurement is part of both times, and a larger part of the shorter
  /// time. The result is false if a side is not a figure.
  func isLowerBound(_ ratio: ConfidenceInterval, of check: Check) -> Bool {
    guard case .reference(let left) = check.left, case .reference(let right) = check.right else { return false }
    return isNearFloor(ratio.estimate < 1 ? left : right)
  }

  /// Returns the shares of the rounds as a range of rounded percentages, `9 to 38 %`; nil if there are no shares. The
  /// share of lost updates, for example, differs from round to round, so a precise total would be misleading. If there
  /// are too few cases for a share in each round, the result is `8 % (2 of 24)`: the total share, with the number of
  /// cases.
  static func share(_ pairs: [(left: Double, right: Double)]) -> String? {
    let (cases, all) = (pairs.reduce(0) { $0 + $1.left }, pairs.reduce(0) { $0 + $1.right })
    if all > 0, all < fewCases, pairs.allSatisfy({ $0.left <= $0.right }) {
      return
        "\(Quantity.number((100 * cases / all).rounded())) % (\(Quantity.number(cases)) of \(Quantity.number(all)))"
    }
    let shares = pairs.filter { $0.right > 0 }.map { 100 * $0.left / $0.right }
    guard let low = shares.min(), let high = shares.max() else { return nil }
    func text(_ share: Double) -> String {
      share >= 0.95 || share == 0
        ? Quantity.fixed(share, decimals: 0) : share >= 0.095 ? Quantity.fixed(share, decimals: 1) : "less than 0.1"
    }
    return text(low) == text(high) ? "\(text(high)) %" : "\(text(low)) to \(text(high)) %"
  }

  /// The smallest number of cases, in all rounds together, for which the range of the rounds' shares is shown.
  private static let fewCases = 200.0

  private func rounds(_ left: Check.Reference, _ right: Check.Reference) -> PairedRounds {
    PairedRounds(figures(left), against: figures(right))
  }

  private func figures(_ reference: Check.Reference) -> [RoundFigure] {
    runs(of: reference).first?.figures(reference.metric, reference.statistic) ?? []
  }
}
