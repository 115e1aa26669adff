import RealModule

/// A confidence interval of a mean, by Student's t distribution.
///
/// A run has few rounds, so the interval must be correct for few values: resampling six values cannot reach the tail
/// that 99 % requires. If a program is compared with itself, the logarithms of paired ratios are as often above 0 as
/// below 0, regardless of the noise of a round. For such data the t interval is nearly exact, or too wide if the
/// distribution has heavy tails (Efron, "Student's t-Test Under Symmetry Conditions", 1969; Cressie, "Relaxing
/// Assumptions in the One Sample t-Test", 1980). If the noise of the two sides differs in shape, no interval of six
/// values is exact: Johnson's correction for skewness (1978) helps only in part, since it mistakes outliers for
/// skewness. `make intervals` simulates how often intervals are wrong.
public struct ConfidenceInterval: Sendable, Hashable, Codable {
  /// The estimate of the mean or of the ratio.
  public let estimate: Double
  /// The lower end of the interval.
  public let low: Double
  /// The upper end of the interval.
  public let high: Double

  /// Creates an interval from its estimate and its ends.
  public init(estimate: Double, low: Double, high: Double) {
    self.estimate = estimate
    self.low = low
    self.high = high
  }

  /// The confidence level of a single claim, and of all ratios of a table together, as a share.
  public static let confidence = 0.99
  /// The smallest number of values from which an interval is computed. The spread of fewer values is not a reliable
  /// estimate of the noise.
  public static let fewest = 6
  /// The smallest number of batches into which many values are divided.
  private static let fewestBatches = 16

  /// Returns the number of comparisons of `cells` cells with the best cell, at least 1.
  ///
  /// The figures determine the best cell, and any cell could have been the best, so all pairs count (Tukey, "The
  /// Problem of Multiple Comparisons", 1953; by Bonferroni's inequality, since the cells do not share their noise).
  public static func comparisonsWithBest(of cells: Int) -> Int { max(1, cells * (cells - 1) / 2) }

  /// Returns the interval of the mean of `values`; nil for fewer than ``fewest`` values, or if a value is not finite.
  ///
  /// Disturbances last longer than a trial, so successive values resemble each other and contain less information than
  /// independent values. The standard error is therefore estimated from the means of batches (Law and Carson, "A
  /// Sequential Procedure for Determining the Length of a Steady-State Simulation", 1979).
  ///
  /// - Parameters:
  ///   - values: the values in the order in which they were measured.
  ///   - comparisons: the number of intervals that share ``confidence``. All of these intervals together hold with that
  ///     confidence (Bonferroni).
  ///   - spread: the smallest standard deviation that is plausible.
  public static func ofMean(
    _ values: [Double], among comparisons: Int = 1, spread: Double = 0
  ) -> ConfidenceInterval? {
    guard values.count >= fewest, let mean = Summary(values)?.mean else { return nil }
    let batches = batches(values)
    guard let deviation = Summary(batches)?.stddev else { return nil }
    let error = max(deviation / Double(batches.count).squareRoot(), spread / Double(values.count).squareRoot())
    return ConfidenceInterval(
      estimate: mean, error: error, freedom: Double(batches.count - 1),
      errorProbability: (1 - confidence) / Double(max(comparisons, 1)))
  }

  /// Returns the means of successive values, in 16 to 23 batches whose sizes differ by at most 1; the values themselves
  /// if there are fewer than 32 values.
  private static func batches(_ values: [Double]) -> [Double] {
    let size = values.count / fewestBatches
    guard size > 1 else { return values }
    let count = values.count / size
    return (0..<count).map { batch in
      let part = values[batch * values.count / count..<(batch + 1) * values.count / count]
      return part.reduce(0, +) / Double(part.count)
    }
  }

  /// Creates the interval of an estimate whose standard error was estimated with `freedom` degrees of freedom.
  /// `errorProbability` is the probability that the interval does not contain the true value.
  public init(estimate: Double, error: Double, freedom: Double, errorProbability: Double) {
    let reach = error > 0 ? Student.quantile(tails: errorProbability, freedom: freedom) * error : 0
    self.init(estimate: estimate, low: estimate - reach, high: estimate + reach)
  }

  /// Returns the interval of the geometric mean of the ratios of the left to the right values; nil if a value is not
  /// positive and finite, or if there are fewer than ``fewest`` pairs.
  public static func ofRatio(
    _ pairs: [(left: Double, right: Double)], among comparisons: Int = 1, spread: Double = 0
  ) -> ConfidenceInterval? {
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
    return ofMean(pairs.map { Double.log($0.left / $0.right) }, among: comparisons, spread: spread)?.exponential
  }

  /// Returns the smallest plausible standard deviation of the logarithms of ratios, if many cells are compared with the
  /// best cell: the median of the cells' standard deviations, or the lower of the two middle ones; 0 if no cell has
  /// enough pairs with positive values.
  ///
  /// Among many cells, some look steady by chance. Moreover, Student's distribution does not fit noise that has only a
  /// few values, such as fast and slow. No cell therefore counts as steadier than the median cell. With two cells, the
  /// mean of both would let one erratic cell widen the interval of a steady one.
  public static func leastSpread(ofRatios cells: [[(left: Double, right: Double)]]) -> Double {
    let spreads = cells.compactMap { pairs -> Double? in
      guard pairs.count >= fewest, pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
      return Summary(pairs.map { Double.log($0.left / $0.right) })?.stddev
    }
    return spreads.isEmpty ? 0 : spreads.sorted()[(spreads.count - 1) / 2]
  }

  /// The interval of the ratio whose logarithm this interval describes. The values are limited to the range from
  /// exp(-80) to exp(80), since a result document cannot contain infinite numbers.
  public var exponential: ConfidenceInterval {
    func end(_ value: Double) -> Double { Double.exp(min(max(value, -80), 80)) }
    return ConfidenceInterval(estimate: end(estimate), low: end(low), high: end(high))
  }
}

extension ConfidenceInterval {
  /// The larger of the distances from the estimate of a ratio to the two ends, as a share of the estimate.
  public var relativeMargin: Double { max(high / estimate - 1, 1 - low / estimate) }

  /// The largest ``relativeMargin`` for which a percentage describes the interval of a ratio. The upper end is the
  /// estimate multiplied by a factor, and the lower end is the estimate divided by nearly that factor. Up to this
  /// margin, adding and subtracting the percentage results in these ends, to within 1 % of the estimate.
  private static let widestMargin = 0.1
  /// The largest difference between two sides that count as alike, as a share. A larger difference would matter to a
  /// reader who chooses between the sides.
  public static let alikeDifference = 0.1

  /// Whether the interval is too wide to be described as a percentage of the estimate.
  public var isWide: Bool { relativeMargin > Self.widestMargin }

  /// The largest difference between 1 and a ratio in the interval, or between 1 and the reciprocal of a ratio in the
  /// interval.
  public var largestDifference: Double { max(high, 1 / low) - 1 }

  /// The ends of the interval of the ratio, or of its reciprocal if the estimate is at most 1. A difference is thus a
  /// multiple of at least 1.
  public var multiples: (low: Double, high: Double) { estimate <= 1 ? (1 / high, 1 / low) : (low, high) }

  /// The ratio in the interval that is nearest to 1; 1 if the interval includes 1.
  public var nearest: Double { min(max(1, low), high) }

  /// Whether the interval includes 1 and ``largestDifference`` is so large that the sides are neither different nor
  /// alike.
  public var isNoise: Bool { low <= 1 && high >= 1 && largestDifference > Self.alikeDifference }

  /// Returns the factor by which the number of rounds must probably grow to rank the two sides of this ratio; nil if no
  /// number of rounds would rank the sides. Use this method if the interval includes 1.
  ///
  /// With that many rounds and unchanged noise, the interval either excludes 1 or is no longer noise (``isNoise``).
  ///
  /// - Parameters:
  ///   - rounds: the number of rounds of this interval.
  ///   - comparisons: the number of intervals that share ``confidence``.
  public func roundsToRank(after rounds: Int, among comparisons: Int) -> Double? {
    let distance = abs(Double.log(estimate))
    let enough = isNoise ? max(distance, Double.log(1 + Self.alikeDifference) - distance) : distance
    return enough > 0 ? Self.growth(narrowingBy: logarithmicReach / enough, rounds, comparisons) : nil
  }

  /// Returns the factor by which the number of rounds must at least grow until the interval is no longer noise
  /// (``isNoise``). The factor suffices if the two sides turn out to be equal.
  public func fewestRoundsToRank(after rounds: Int, among comparisons: Int) -> Double {
    Self.growth(narrowingBy: logarithmicReach / Double.log(1 + Self.alikeDifference), rounds, comparisons)
  }

  private var logarithmicReach: Double { (Double.log(high) - Double.log(low)) / 2 }

  /// Returns the factor by which the number of rounds must be multiplied to narrow the interval by `factor`. The width
  /// is inversely proportional to the square root of the number of rounds, and proportional to Student's quantile,
  /// which falls fast while there are few rounds.
  private static func growth(narrowingBy factor: Double, _ rounds: Int, _ comparisons: Int) -> Double {
    func quantile(_ rounds: Double) -> Double {
      let values = rounds < Double(2 * fewestBatches) ? max(rounds, 2) : Double(fewestBatches)
      return Student.quantile(tails: (1 - confidence) / Double(max(comparisons, 1)), freedom: values - 1)
    }
    let now = quantile(Double(rounds))
    var growth = factor * factor
    // Each step uses the quantile of the previous step's number of rounds, and the steps converge fast.
    for _ in 0..<5 {
      let narrower = factor * quantile(Double(rounds) * max(growth, 1)) / now
      growth = narrower * narrower
    }
    return growth
  }
}
