import RealModule

/// A confidence interval of a mean, by Student's t.
///
/// Rounds are few, so the interval must be right for few: resampling six values cannot reach the tail that 99 % asks
/// for. Of the same program twice, the logarithms of paired ratios are as often above 0 as below, whatever the noise of
/// a round. For such data the t interval is nearly exact, and too wide where the tails are heavy (Efron, "Student's
/// t-Test Under Symmetry Conditions", 1969; Cressie, "Relaxing Assumptions in the One Sample t-Test", 1980). Where the
/// noise of two sides differs in shape, no interval of six values is exact: Johnson's correction for skewness (1978)
/// helps only partly there, and takes outliers for skewness. `make intervals` has the figures.
public struct ConfidenceInterval: Sendable, Hashable, Codable {
  /// The estimate.
  public let estimate: Double
  /// The lower end.
  public let low: Double
  /// The upper end.
  public let high: Double

  /// An interval around an estimate.
  public init(estimate: Double, low: Double, high: Double) {
    self.estimate = estimate
    self.low = low
    self.high = high
  }

  /// The confidence of claims, each for itself, and of tables as a whole.
  public static let confidence = 0.99
  /// Fewer values than this give no interval: what their spread tells of the noise is too little.
  public static let fewest = 6

  /// How many comparisons a table of so many cells makes: each cell with a reference named beforehand, or with the
  /// best. The best was chosen for its figures and could have been any cell, so that all pairs count (Tukey, "The
  /// Problem of Multiple Comparisons", 1953; by Bonferroni's inequality, since cells do not share their noise).
  public static func comparisons(of cells: Int, withBest: Bool) -> Int {
    max(1, withBest ? cells * (cells - 1) / 2 : cells - 1)
  }

  /// The interval of the mean of `values`; nil for fewer than ``fewest``.
  ///
  /// - Parameters:
  ///   - comparisons: how many intervals share ``confidence``: all of them hold with it together (Bonferroni).
  ///   - spread: the least standard deviation to believe in.
  public static func ofMean(
    _ values: [Double], among comparisons: Int = 1, spread: Double = 0
  ) -> ConfidenceInterval? {
    guard values.count >= fewest, let summary = Summary(values), let deviation = summary.stddev else { return nil }
    let count = Double(values.count)
    let error = max(deviation, spread) / count.squareRoot()
    return ConfidenceInterval(
      estimate: summary.mean, error: error, freedom: count - 1, share: (1 - confidence) / Double(max(comparisons, 1)))
  }

  /// The interval of an estimate whose standard error was estimated with some degrees of freedom, which misses it in a
  /// `share` of all cases.
  public init(estimate: Double, error: Double, freedom: Double, share: Double) {
    let reach = error > 0 ? Student.quantile(tails: share, freedom: freedom) * error : 0
    self.init(estimate: estimate, low: estimate - reach, high: estimate + reach)
  }

  /// The interval of the ratio left to right of paired values: the geometric mean of the pairs' ratios. Nil when a
  /// value is not positive or there are too few pairs.
  public static func ofRatio(
    _ pairs: [(left: Double, right: Double)], among comparisons: Int = 1, spread: Double = 0
  ) -> ConfidenceInterval? {
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
    return ofMean(pairs.map { Double.log($0.left / $0.right) }, among: comparisons, spread: spread)?.exponential
  }

  /// The least standard deviation to believe in of the logarithms of such ratios, those of many cells with the best of
  /// them: the median of theirs.
  ///
  /// Among many cells chance makes some look steady that are not, and of noise that has few values, such as fast and
  /// slow, Student's tails know nothing: none is believed to be steadier than half of them are.
  public static func leastSpread(ofRatios cells: [[(left: Double, right: Double)]]) -> Double {
    let spreads = cells.compactMap { pairs -> Double? in
      guard pairs.count >= fewest, pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
      return Summary(pairs.map { Double.log($0.left / $0.right) })?.stddev
    }
    return Summary(spreads)?.p50 ?? 0
  }

  /// The interval of the ratio whose logarithm this is of. The ends stay within what documents hold: of wild figures an
  /// interval may reach from next to nothing to more than a number can be.
  public var exponential: ConfidenceInterval {
    func end(_ value: Double) -> Double { Double.exp(min(max(value, -80), 80)) }
    return ConfidenceInterval(estimate: end(estimate), low: end(low), high: end(high))
  }
}

extension ConfidenceInterval {
  /// Half its width where it is wider, as a share of the estimate of a ratio, in percent.
  public var share: Double { 100 * max(high / estimate - 1, 1 - low / estimate) }

  /// Wider than this, a share of the estimate misleads: the interval of a ratio does not lie evenly around it.
  private static let widestShare = 25.0

  /// Whether it reaches farther than a share of the estimate can say.
  public var isWide: Bool { share > Self.widestShare }

  /// Whether it includes no change and reaches so far that it says nothing.
  public var isNoise: Bool { low <= 1 && high >= 1 && isWide }
}
