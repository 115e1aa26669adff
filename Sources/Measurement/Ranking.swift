import RealModule

/// The rule that says which of several figures is best. This one rule decides when a run stops, what a pattern finds
/// and what every report marks.
public enum Ranking: Sendable {
  /// The lower figure is better.
  case lower
  /// The higher figure is better.
  case higher

  /// Returns the figure that represents the rounds of a run: their geometric mean. If a round is not above 0 and has no
  /// logarithm, it is their median. Returns nil without rounds.
  public static func typical(_ rounds: [Double]) -> Double? {
    guard rounds.allSatisfy({ $0 > 0 }) else { return Summary(rounds)?.p50 }
    return rounds.isEmpty ? nil : Double.exp(rounds.reduce(0) { $0 + Double.log($1) } / Double(rounds.count))
  }

  /// Returns the best of the candidates that have a figure, and the first one of equal candidates; nil if none has a
  /// figure.
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
