import Measurement

/// The figures of two sides in the rounds that both sides have, matched by the number of the round. A round is left out
/// if either side has no figure in this round.
///
/// Both sides of a round ran within seconds of each other, so a disturbance affected both sides.
public struct PairedRounds: Sendable {
  /// The two figures of each round, in the order of the left side's rounds.
  public let pairs: [(left: Double, right: Double)]

  /// Creates pairs from the figures of the rounds that both sides have.
  public init(_ left: [RoundFigure], against right: [RoundFigure]) {
    let others = Dictionary(firstOf: right.map { ($0.round, $0.value) })
    pairs = left.compactMap { figure in others[figure.round].map { (figure.value, $0) } }
  }

  /// Creates paired rounds from figures that are already paired.
  init(_ pairs: [(left: Double, right: Double)]) { self.pairs = pairs }

  /// Whether all pairs have a ratio: there is a pair, and all figures are above 0.
  public var areRatios: Bool { !pairs.isEmpty && pairs.allSatisfy { $0.left > 0 && $0.right > 0 } }

  /// Returns the interval of the ratio of left to right; nil if there are too few rounds or a pair has no ratio.
  ///
  /// - Parameters:
  ///   - comparisons: the number of intervals that share the confidence.
  ///   - spread: the smallest plausible standard deviation of the ratios' logarithms.
  public func interval(among comparisons: Int = 1, spread: Double = 0) -> ConfidenceInterval? {
    ConfidenceInterval.ofRatio(pairs, among: comparisons, spread: spread)
  }

  /// Whether the ranges of the two sides do not overlap. If the sides do not differ and have six rounds each, the
  /// ranges do not overlap in one of 462 cases (Mann and Whitney, 1947).
  var areDisjoint: Bool {
    let sides = [pairs.map(\.left), pairs.map(\.right)].compactMap { side in
      side.min().flatMap { low in side.max().map { (low: low, high: $0) } }
    }
    return sides.count == 2 && (sides[0].high < sides[1].low || sides[1].high < sides[0].low)
  }

  /// Returns whether the ranges of the two sides do not overlap, and such a gap is too improbable to be due to chance.
  /// The probability of a gap by chance, multiplied by `comparisons`, must be at most a tenth of the error
  /// probability of the intervals.
  func areCertainlyDisjoint(among comparisons: Int) -> Bool {
    // The number of ways to distribute the figures over the two sides. In two of these ways, the sides do not overlap.
    let ways = (1...max(1, pairs.count)).reduce(1.0) { $0 * Double(pairs.count + $1) / Double($1) }
    return areDisjoint && 2 / ways * Double(comparisons) <= (1 - ConfidenceInterval.confidence) / 10
  }
}
