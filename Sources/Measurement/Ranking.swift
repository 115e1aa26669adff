import RealModule

/// The direction in which a figure is better. Runs, patterns and reports use the same ranking to decide when to stop,
/// to compute findings and to mark the best figure.
public enum Ranking: Sendable {
  /// The lower figure is better.
  case lower
  /// The higher figure is better.
  case higher

  /// Returns the geometric mean of the figures of a run's rounds; nil if there are no figures. If a figure is not
  /// positive and therefore has no logarithm, returns the median.
  public static func typical(_ rounds: [Double]) -> Double? {
    guard rounds.allSatisfy({ $0 > 0 }) else { return Summary(rounds)?.p50 }
    return rounds.isEmpty ? nil : Double.exp(rounds.reduce(0) { $0 + Double.log($1) } / Double(rounds.count))
  }

  /// Returns the candidate with the best figure, or the first of several equal candidates; nil if no candidate has a
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
