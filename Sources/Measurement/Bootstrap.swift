#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A confidence interval by resampling (Efron, "Bootstrap Methods: Another Look at the Jackknife", 1979).
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

  /// The confidence of every interval the lab prints.
  public static let confidence = 0.99
  /// Fewer samples than this give no interval: the signs of five equal pairs agree by chance too often.
  public static let fewest = 6

  /// The interval of the mean of `values`, at ``confidence``; nil for fewer than ``fewest`` values.
  ///
  /// The expanded percentile bootstrap (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015): percentiles
  /// of the resampled means, taken further out for few samples, where the plain percentiles are too narrow.
  public static func ofMean(_ values: [Double], seed: UInt64, resamples: Int = 4000) -> ConfidenceInterval? {
    let n = values.count
    guard n >= fewest, values.allSatisfy(\.isFinite) else { return nil }
    var generator = SplitMix64(seed: seed)
    var means: [Double] = []
    means.reserveCapacity(resamples)
    for _ in 0..<resamples {
      var sum = 0.0
      for _ in 0..<n { sum += values[Int(generator.next() % UInt64(n))] }
      means.append(sum / Double(n))
    }
    means.sort()
    let tail = expandedTail(n)
    return ConfidenceInterval(
      estimate: values.reduce(0, +) / Double(n), low: means.quantile(tail), high: means.quantile(1 - tail))
  }

  /// The tail to cut off at each end: that of a normal distribution where Student's t of `n` samples would cut,
  /// widened by the bias of a variance that is taken over `n` and not `n - 1`.
  private static func expandedTail(_ n: Int) -> Double {
    0.5 * erfc((Double(n) / Double(n - 1)).squareRoot() * studentT(n) / 2.0.squareRoot())
  }

  /// How many standard errors Student's interval of `n` values reaches to each side at ``confidence``: from the normal
  /// distribution by its Cornish-Fisher expansion.
  private static func studentT(_ n: Int) -> Double {
    let z = 2.575_829_303_548_901  // The 99.5th percentile of the normal distribution, for 99 % confidence.
    let v = Double(n - 1)
    let (z3, z5, z7) = (z * z * z, z * z * z * z * z, z * z * z * z * z * z * z)
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v)
      + (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v)
  }

  /// How far Student's interval of the mean reaches to each side: nearly what ``ofMean(_:seed:resamples:)`` gives, at a
  /// thousandth of its cost, for deciding after each round whether more are needed. Nil for fewer than ``fewest`` values.
  public static func studentReach(ofMean values: [Double]) -> Double? {
    guard values.count >= fewest, let deviation = Summary(values)?.stddev else { return nil }
    return studentT(values.count) * deviation / Double(values.count).squareRoot()
  }

  /// The interval of the ratio left to right of paired values: the geometric mean of the pairs' ratios. Nil when a
  /// value is not positive or there are too few pairs.
  public static func ofRatio(_ pairs: [(left: Double, right: Double)], seed: UInt64) -> ConfidenceInterval? {
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
    guard let logs = ofMean(pairs.map { log($0.left / $0.right) }, seed: seed) else { return nil }
    return ConfidenceInterval(estimate: exp(logs.estimate), low: exp(logs.low), high: exp(logs.high))
  }

  /// The interval of the ratio of the geometric means of two samples that are not paired: each is resampled by itself.
  /// Nil when a value is not positive or one side has too few.
  public static func ofRatio(_ left: [Double], to right: [Double], seed: UInt64, resamples: Int = 4000)
    -> ConfidenceInterval?
  {
    guard left.count >= fewest, right.count >= fewest, (left + right).allSatisfy({ $0 > 0 && $0.isFinite }) else {
      return nil
    }
    let sides = [left.map { log($0) }, right.map { log($0) }]
    var generator = SplitMix64(seed: seed)
    var differences = (0..<resamples).map { _ in
      let means = sides.map { side in
        var sum = 0.0
        for _ in side { sum += side[Int(generator.next() % UInt64(side.count))] }
        return sum / Double(side.count)
      }
      return means[0] - means[1]
    }
    differences.sort()
    let means = sides.map { $0.reduce(0, +) / Double($0.count) }
    // The tail of the smaller side: the interval is rather too wide than too narrow.
    let tail = expandedTail(min(left.count, right.count))
    return ConfidenceInterval(
      estimate: exp(means[0] - means[1]), low: exp(differences.quantile(tail)),
      high: exp(differences.quantile(1 - tail)))
  }
}
