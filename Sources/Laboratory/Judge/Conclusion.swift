import Measurement

/// What a reader should remember of a scenario: a sentence with figures of the run. It is told only if the claims that
/// it depends on came out accordingly in that run.
public struct Conclusion: Sendable {
  /// A part of the sentence.
  public enum Part: Sendable, Equatable {
    /// Words.
    case text(String)
    /// The median of a figure over the rounds: `{mutex.hot-path}`.
    case figure(Check.Reference)
    /// The first figure as a multiple of the second, over paired rounds: `{serial.hot-path / mutex.hot-path}`.
    case ratio(Check.Reference, Check.Reference)
    /// The total of the first figure in percent of the second one's total: `{naive.lost of naive.sent}`.
    case share(Check.Reference, Check.Reference)
    /// The system that the run was made on, where another may do otherwise: `{system}`.
    case system
  }
  /// The required result of a claim.
  public struct Condition: Sendable, Hashable {
    /// The check of the claim.
    public let check: WrittenCheck
    /// Whether the claim must be refuted; otherwise it must be borne out.
    public let isRefuted: Bool

    /// Creates a condition on the claim with this check.
    public init(check: WrittenCheck, isRefuted: Bool = false) {
      self.check = check
      self.isRefuted = isRefuted
    }
  }
  /// The conditions of the sentence.
  public let conditions: [Condition]
  /// The parts of the sentence.
  public let parts: [Part]

  /// Creates a sentence with its conditions.
  public init(conditions: [Condition], parts: [Part]) {
    self.conditions = conditions
    self.parts = parts
  }

  /// The kind of the remark among a run's findings.
  public static let kind = "conclusion"
  /// The kind of the remark with what a pattern advises beside the answer of a search for the best setting.
  public static let advice = "advice"
}

extension Verdict {
  /// Whether the verdict bears the claim out.
  public var isBorneOut: Bool { self == .held || self == .witnessed || self == .supported }
}

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
