import Measurement

/// The terms of a ``StrideModel``. Cross-validation selects the set of terms that best predicts the costs of strides
/// that were left out of the fit.
struct StrideFit {
  let work: Double
  let overhead: Double
  let contention: Double
  let tail: Double
  /// The largest error, as a fraction, and the stride at which the error occurs. The error at a stride is the error of
  /// a prediction from a fit to all other strides. At the smallest and the largest stride, where such a prediction
  /// would be an extrapolation, the value is the error of the fit itself.
  let worst: (error: Double, stride: Int)

  /// Whether the fit contains the overhead, the contention and the tail, in this order.
  var terms: [Bool] { [overhead > 0, contention > 0, tail > 0] }

  /// Creates a fit to costs that are sorted by stride in ascending order; nil if no set of terms can be fitted and
  /// cross-validated.
  init?(_ costs: [StrideModel.Cost]) {
    var best: (worst: (error: Double, stride: Int), terms: [Double])?
    for columns in Self.choices(leaving: costs.count - 2) {
      guard let terms = Self.fit(costs, columns), let worst = Self.worst(costs, columns, of: terms) else { continue }
      if worst.error < best?.worst.error ?? .infinity { best = (worst, terms) }
    }
    guard let best else { return nil }
    (work, overhead, contention, tail) = (best.terms[0], best.terms[1], best.terms[2], best.terms[3])
    worst = best.worst
  }

  // MARK: Resampling

  private static let resamplings = 100

  /// Returns fits to resampled rounds; an empty array if a stride has too few rounds. A resampling that cannot be
  /// fitted is omitted.
  ///
  /// The method is the bootstrap: each resampling draws as many rounds as were measured, with replacement, and repeats
  /// the whole procedure from the means to the selection of the terms. Since all strides take part in the same
  /// rounds, a round is drawn for all strides together. The seed is fixed, so that equal results have equal intervals.
  static func resampled(_ costs: [StrideModel.Cost]) -> [StrideFit] {
    guard costs.allSatisfy({ $0.rounds.count >= ConfidenceInterval.fewest }) else { return [] }
    let rounds = Set(costs.flatMap(\.rounds.keys)).sorted()
    var random = SplitMix64(seed: 1)
    return (0..<resamplings).compactMap { _ in
      let drawn = rounds.indices.map { _ in rounds[Int.random(in: rounds.indices, using: &random)] }
      let costs = costs.compactMap { cost -> StrideModel.Cost? in
        guard let mean = Ranking.typical(drawn.compactMap { cost.rounds[$0] }) else { return nil }
        var cost = cost
        cost.elapsed = mean
        return cost
      }
      return StrideFit(costs)
    }
  }

  // MARK: Least squares

  /// Returns the sets of terms to try, as column indices. Each set includes the work and has at most `most` terms,
  /// since more terms would fit any costs.
  private static func choices(leaving most: Int) -> [[Int]] {
    (0..<8).map { subset in [0] + (1...3).filter { subset & (1 << ($0 - 1)) != 0 } }.filter { $0.count <= most }
  }

  /// Returns the largest error of a set of terms, and the stride at which the error occurs (see ``worst``); nil for
  /// fewer than three costs. The error is infinite if one of the fits fails.
  ///
  /// - Parameter whole: the fit to all costs.
  private static func worst(
    _ costs: [StrideModel.Cost], _ columns: [Int], of whole: [Double]
  ) -> (error: Double, stride: Int)? {
    guard costs.count > 2 else { return nil }
    let ends = [costs.first?.stride, costs.last?.stride]
    let errors = costs.map { held -> (error: Double, stride: Int) in
      let others = ends.contains(held.stride) ? whole : fit(costs.filter { $0.stride != held.stride }, columns)
      guard let fit = others else { return (.infinity, held.stride) }
      return (abs(predict(fit, held) / held.elapsed - 1), held.stride)
    }
    return errors.max { $0.error < $1.error }
  }

  /// Returns the terms that minimize the sum of the squares of the relative errors; nil if the costs do not determine
  /// the terms, or if a term is negative, which has no meaning.
  private static func fit(_ costs: [StrideModel.Cost], _ columns: [Int]) -> [Double]? {
    let rows = costs.map { cost in columns.map { terms(cost)[$0] / cost.elapsed } }
    guard let solution = LeastSquares.solve(rows), solution.allSatisfy({ $0 >= 0 }) else { return nil }
    var parameters = [0.0, 0.0, 0.0, 0.0]
    for (column, value) in zip(columns, solution) { parameters[column] = value }
    return parameters
  }

  private static func terms(_ cost: StrideModel.Cost) -> [Double] {
    [1, cost.blocks, cost.blocks / Double(cost.stride), Double(cost.stride)]
  }

  private static func predict(_ parameters: [Double], _ cost: StrideModel.Cost) -> Double {
    zip(parameters, terms(cost)).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
