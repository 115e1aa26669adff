import RealModule

/// The sign test (Arbuthnot, 1710), which decides whether one of two directions is significantly more common in several
/// rounds.
public enum SignTest {
  /// Returns whether `met` differs significantly from half of `rounds`: chance alone would produce such a difference in
  /// less than 1 % of all cases.
  public static func isSignificant(_ met: Int, of rounds: Int) -> Bool {
    let fewer = min(met, rounds - met)
    guard rounds > 0, fewer >= 0 else { return false }
    // The probability of at most `fewer` heads in `rounds` throws of a coin. The test doubles the probability to count
    // both directions. The likelihood of each number of heads is computed as a logarithm, since the likelihood of no
    // heads in 1075 throws is too small for a `Double`.
    var logarithm = Double(rounds) * Double.log(0.5)
    var tail = Double.exp(logarithm)
    for index in 0..<fewer {
      logarithm += Double.log(Double(rounds - index) / Double(index + 1))
      tail += Double.exp(logarithm)
    }
    return 2 * tail < 1 - ConfidenceInterval.confidence
  }
}
