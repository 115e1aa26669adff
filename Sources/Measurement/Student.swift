import RealModule

/// Student's t distribution (Student, "The Probable Error of a Mean", 1908).
enum Student {
  /// Returns the share of the distribution with `freedom` degrees of freedom that lies farther from 0 than `t`, on both
  /// sides together.
  static func tails(beyond t: Double, freedom: Double) -> Double {
    let square = t * t
    return incompleteBeta(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5)
  }

  /// Returns the distance from 0 beyond which `share` of the distribution with `freedom` degrees of freedom lies, in
  /// both tails together. The solver is Newton's method on the logarithm of the share, within a bracket.
  static func quantile(tails share: Double, freedom: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    while tails(beyond: high, freedom: freedom) > share { (low, high) = (high, 2 * high) }
    let scale =
      Double.exp(Double.logGamma((freedom + 1) / 2) - Double.logGamma(freedom / 2)) / (freedom * Double.pi).squareRoot()
    var t = high
    // The iteration needs fewer than 10 steps. The limit is for inputs that should not occur.
    for _ in 0..<100 {
      let beyond = tails(beyond: t, freedom: freedom)
      if beyond > share { low = t } else { high = t }
      let density = 2 * scale * Double.pow(1 + t * t / freedom, -(freedom + 1) / 2)
      var next = t + beyond * Double.log(beyond / share) / density
      if !(low...high).contains(next) { next = (low + high) / 2 }
      defer { t = next }
      if abs(next - t) <= 1e-12 * t { break }
    }
    return t
  }

  /// Returns the regularized incomplete beta function at `x`, where `y` is `1 - x`. The method of Lentz evaluates the
  /// continued fraction of the function (Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.5.8) on the
  /// side on which the fraction converges fast.
  private static func incompleteBeta(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard y > 0 else { return 1 }
    if x > (a + 1) / (a + b + 2) { return 1 - incompleteBeta(y, x, b, a) }
    let front = Double.exp(
      Double.logGamma(a + b) - Double.logGamma(a) - Double.logGamma(b) + a * Double.log(x) + b * Double.log(y))
    var (c, d) = (1.0, 1 / (1 - (a + b) * x / (a + 1)))
    var fraction = d
    for step in 1...1000 {
      let m = Double(step)
      let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
      let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
      d = 1 / (1 + even * d)
      c = 1 + even / c
      fraction *= d * c
      d = 1 / (1 + odd * d)
      c = 1 + odd / c
      fraction *= d * c
      if abs(d * c - 1) < 1e-15 { break }
    }
    return front * fraction / a
  }
}
