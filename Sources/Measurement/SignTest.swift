/// The sign test (Arbuthnot, 1710), which decides whether one of two directions is significantly more common in several
/// rounds.
public enum SignTest {
  /// Returns whether `met` differs significantly from half of `rounds`: chance alone would produce such a difference in
  /// less than 1 % of all cases.
  public static func isSignificant(_ met: Int, of rounds: Int) -> Bool {
    let fewer = min(met, rounds - met)
    guard rounds > 0, fewer >= 0 else { return false }
    // The probability of at most `fewer` heads in `rounds` throws of a coin. The test doubles the probability to count
    // both directions.
    var likelihood = 1.0
    for _ in 0..<rounds { likelihood /= 2 }
    var tail = likelihood
    for index in 0..<fewer {
      likelihood *= Double(rounds - index) / Double(index + 1)
      tail += likelihood
    }
    return 2 * tail < 1 - ConfidenceInterval.confidence
  }
}
