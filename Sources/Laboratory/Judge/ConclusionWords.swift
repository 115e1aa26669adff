import Measurement

extension Results {
  /// The first of the experiment's conclusions whose conditions are all met and whose figures all exist. If there is
  /// none but a claim is inconclusive, the remark says what would help. It is nil in a search for the best setting,
  /// which is another question.
  var conclusion: Remark? {
    guard !experiment.seeksBest else { return nil }
    let met = Set<Conclusion.Condition>(
      judgements.filter { $0.verdict.isBorneOut || $0.verdict == .refuted }.compactMap { judgement in
        judgement.claim.check.written.map { .init(check: $0, isRefuted: judgement.verdict == .refuted) }
      })
    let words = experiment.conclusions.lazy.filter { met.isSuperset(of: $0.conditions) }.compactMap(words).first
    if words == nil, !experiment.conclusions.isEmpty, judgements.contains(where: { $0.verdict == .inconclusive }) {
      return Remark(Conclusion.kind, noConclusion)
    }
    return words.map { Remark(Conclusion.kind, $0) }
  }

  /// Why there is no conclusion, and what would help.
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
      // If the interval includes no change, the estimate means nothing.
      let interval = rounds(left, right).interval()
      return interval.flatMap { $0.low > 1 || $0.high < 1 ? Quantity.ratio($0.estimate) : nil }
    case .system: return machine.os
    case .share(let left, let right):
      let pairs = rounds(left, right).pairs
      let whole = pairs.map(\.right).reduce(0, +)
      return whole > 0 ? Quantity(100 * pairs.map(\.left).reduce(0, +) / whole, .percent).description : nil
    }
  }

  private func rounds(_ left: Check.Reference, _ right: Check.Reference) -> PairedRounds {
    PairedRounds(figures(left), against: figures(right))
  }

  private func figures(_ reference: Check.Reference) -> [RoundFigure] {
    runs(of: reference).first?.figures(reference.metric, reference.statistic) ?? []
  }
}
