/// The sign test (Arbuthnot, 1710): it decides whether the directions of several rounds show which direction is more
/// common.
public enum SignTest {
  /// Returns whether `met` of `rounds` is farther from half of them than chance brings about in one of a hundred cases.
  public static func isTold(_ met: Int, of rounds: Int) -> Bool {
    let fewer = min(met, rounds - met)
    guard rounds > 0, fewer >= 0 else { return false }
    // The likelihood of so few, or fewer, heads in that many throws of a coin; both sides count.
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
