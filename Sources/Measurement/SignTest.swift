/// The sign test (Arbuthnot, 1710): it decides whether the directions of several rounds show which direction is more
/// common.
public enum SignTest {
  /// Returns whether `met` differs so much from half of `rounds` that chance has this effect in less than one of a
  /// hundred cases.
  public static func isSignificant(_ met: Int, of rounds: Int) -> Bool {
    let fewer = min(met, rounds - met)
    guard rounds > 0, fewer >= 0 else { return false }
    // The probability of at most `fewer` heads in `rounds` throws of a coin. The test doubles it to count both
    // directions.
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
