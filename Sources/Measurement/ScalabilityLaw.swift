/// The growth of a throughput with the number of cores, by the Universal Scalability Law (Gunther, 2007):
///
/// ```
/// X(n) = λn / (1 + σ(n − 1) + κn(n − 1))
/// ```
///
/// `λ` is the throughput of one core. `σ` is the share of the work that is done by one core at a time (contention).
/// `κ` is the cost of each pair of cores that must exchange data (coherence). No term is negative. If `κ` is above 0,
/// there is a number of cores beyond which the throughput falls.
///
/// The law is fitted by the least squares of relative errors in `n / X(n)`, which is linear in `1/λ`, `σ/λ` and `κ/λ`.
/// Cross-validation decides which of these terms the law contains: the terms that best predict throughputs that they
/// were not fitted to.
public struct ScalabilityLaw: Sendable {
  /// The throughput that was measured with a number of cores.
  public struct Point: Sendable, Hashable {
    /// The number of cores, at least 1.
    public let cores: Int
    /// The throughput, in any unit, above 0.
    public let throughput: Double

    /// Creates a point from a number of cores and a throughput.
    public init(cores: Int, throughput: Double) {
      self.cores = cores
      self.throughput = throughput
    }
  }

  /// The throughput of one core, in the unit of the points.
  public let lambda: Double
  /// The contention, at least 0; 0 if the law does not contain this term.
  public let sigma: Double
  /// The coherence, at least 0; 0 if the law does not contain this term.
  public let kappa: Double
  /// The largest leave-one-out error, as a share, and the number of cores at which it occurs. A leave-one-out error is
  /// the error of a prediction for one number of cores by a law that is fitted to all other numbers.
  public let worst: (error: Double, cores: Int)

  /// The largest leave-one-out error of a law that fits, as a share.
  public static let tolerance = 0.1
  /// The minimum number of points for a fit. Each point has its own number of cores. With three points, the
  /// law would fit any figures.
  public static let fewest = 4

  /// Creates the law that fits the points best; nil for fewer than ``fewest`` points, if two points have the same
  /// number of cores, if a number is out of its range, or if no fit has only terms that are not negative.
  public init?(fitting points: [Point]) {
    let points = points.sorted { $0.cores < $1.cores }
    guard points.count >= Self.fewest, Set(points.map(\.cores)).count == points.count,
      points.allSatisfy({ $0.cores > 0 && $0.throughput > 0 && $0.throughput.isFinite })
    else { return nil }
    var best: (terms: [Double], worst: (error: Double, cores: Int))?
    // A law with as many terms as points would pass through all points. A leave-one-out fit has one point less.
    for columns in Self.choices where columns.count <= points.count - 2 {
      guard let terms = Self.fit(points, columns), let worst = Self.worstPrediction(points, columns) else { continue }
      if worst.error < best?.worst.error ?? .infinity { best = (terms, worst) }
    }
    guard let best, best.terms[0] > 0 else { return nil }
    (lambda, sigma, kappa) = (1 / best.terms[0], best.terms[1] / best.terms[0], best.terms[2] / best.terms[0])
    worst = best.worst
  }

  /// Whether the largest leave-one-out error (``worst``) is at most ``tolerance``.
  public var fits: Bool { worst.error <= Self.tolerance }

  /// Returns the throughput that the law predicts for `cores` cores, in the unit of the points.
  public func throughput(_ cores: Double) -> Double {
    lambda * cores / (1 + sigma * (cores - 1) + kappa * cores * (cores - 1))
  }

  /// The number of cores with the highest throughput, `√((1 − σ) / κ)` and at least 1; nil if the throughput
  /// never falls.
  public var peak: Double? { kappa > 0 ? max(1, max(0, 1 - sigma) / kappa).squareRoot() : nil }

  /// The number of cores beyond which the throughput falls; nil if the throughput still rises at 10^9 cores.
  public var most: Int? {
    guard let peak, peak < 1e9 else { return nil }
    let below = Int(peak)
    return throughput(Double(below + 1)) > throughput(Double(below)) ? below + 1 : below
  }

  /// The sets of terms to try: the work alone, and the work with contention, with coherence, and with both terms.
  private static let choices = [[0], [0, 1], [0, 2], [0, 1, 2]]

  /// Returns the factors of `1/λ`, `σ/λ` and `κ/λ` in `n / X(n)`.
  private static func factors(_ cores: Int) -> [Double] {
    let n = Double(cores)
    return [1, n - 1, n * (n - 1)]
  }

  /// Returns the fitted terms `1/λ`, `σ/λ` and `κ/λ`; nil if the points do not determine the terms, or if a term is
  /// negative, which has no meaning.
  private static func fit(_ points: [Point], _ columns: [Int]) -> [Double]? {
    let rows = points.map { point in
      let time = Double(point.cores) / point.throughput
      return columns.map { factors(point.cores)[$0] / time }
    }
    guard let solution = LeastSquares.solve(rows), solution.allSatisfy({ $0 >= 0 }) else { return nil }
    var terms = [0.0, 0.0, 0.0]
    for (column, value) in zip(columns, solution) { terms[column] = value }
    return terms
  }

  /// Returns the largest leave-one-out error, and the number of cores at which it occurs; nil for fewer than three
  /// points. The lowest and the highest number of cores are not predicted. An error is infinite if no law can be fitted
  /// to the remaining points.
  private static func worstPrediction(_ points: [Point], _ columns: [Int]) -> (error: Double, cores: Int)? {
    let errors = points.dropFirst().dropLast().map { held -> (error: Double, cores: Int) in
      guard let fit = fit(points.filter { $0 != held }, columns) else { return (.infinity, held.cores) }
      let time = zip(fit, factors(held.cores)).reduce(0) { $0 + $1.0 * $1.1 }
      return (abs(Double(held.cores) / held.throughput / time - 1), held.cores)
    }
    return errors.max { $0.error < $1.error }
  }
}
