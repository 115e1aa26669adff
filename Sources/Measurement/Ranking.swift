import RealModule

/// Which of several is best: the one rule, for when to stop, what a pattern finds and what every report marks.
public enum Ranking: Sendable {
  /// The lower figure is the better one.
  case lower
  /// The higher figure is the better one.
  case higher

  /// The figure that stands for the rounds of a run: their geometric mean, or their median where one is not above 0 and
  /// has no logarithm; nil without rounds.
  public static func typical(_ rounds: [Double]) -> Double? {
    guard rounds.allSatisfy({ $0 > 0 }) else { return Summary(rounds)?.p50 }
    return rounds.isEmpty ? nil : Double.exp(rounds.reduce(0) { $0 + Double.log($1) } / Double(rounds.count))
  }

  /// The best of those that have a figure, the first of equals; nil when none has.
  public func best<Candidate>(
    _ candidates: some Sequence<Candidate>, by figure: (Candidate) -> Double?
  ) -> Candidate? {
    var best: (candidate: Candidate, figure: Double)?
    for candidate in candidates {
      guard let figure = figure(candidate) else { continue }
      if let found = best, self == .lower ? figure >= found.figure : figure <= found.figure { continue }
      best = (candidate, figure)
    }
    return best?.candidate
  }
}
