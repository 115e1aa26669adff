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
  /// Fewer samples than this give no interval: resampling five or fewer pairs cannot see their spread.
  public static let fewest = 5

  /// The interval of the mean of `values`, at ``confidence``; nil for fewer than ``fewest`` values.
  ///
  /// The studentised bootstrap, which keeps its promise for as few as five values where the plain percentile
  /// bootstrap is too narrow.
  public static func ofMean(_ values: [Double], seed: UInt64, resamples: Int = 2000) -> ConfidenceInterval? {
    let n = values.count
    guard n >= fewest, values.allSatisfy(\.isFinite) else { return nil }
    let (mean, error) = meanAndError(values)
    guard error > 0 else { return ConfidenceInterval(estimate: mean, low: mean, high: mean) }
    var generator = SplitMix64(seed: seed)
    var resample = values
    var studentised: [Double] = []
    studentised.reserveCapacity(resamples)
    while studentised.count < resamples {
      for i in 0..<n { resample[i] = values[Int(generator.next() % UInt64(n))] }
      let (resampled, resampledError) = meanAndError(resample)
      // A resample of one value over and over has no spread to divide by; the original's stands in.
      studentised.append((resampled - mean) / (resampledError > 0 ? resampledError : error))
    }
    studentised.sort()
    let tail = (1 - confidence) / 2
    return ConfidenceInterval(
      estimate: mean, low: mean - studentised.quantile(1 - tail) * error,
      high: mean - studentised.quantile(tail) * error)
  }

  /// The interval of the ratio left to right of paired values: the geometric mean of the pairs' ratios. Nil when a
  /// value is not positive or there are too few pairs.
  public static func ofRatio(_ pairs: [(left: Double, right: Double)], seed: UInt64) -> ConfidenceInterval? {
    guard pairs.allSatisfy({ $0.left > 0 && $0.right > 0 }) else { return nil }
    guard let logs = ofMean(pairs.map { log($0.left / $0.right) }, seed: seed) else { return nil }
    return ConfidenceInterval(estimate: exp(logs.estimate), low: exp(logs.low), high: exp(logs.high))
  }

  private static func meanAndError(_ values: [Double]) -> (mean: Double, error: Double) {
    let n = Double(values.count)
    let mean = values.reduce(0, +) / n
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (n - 1)
    return (mean, (variance / n).squareRoot())
  }
}
