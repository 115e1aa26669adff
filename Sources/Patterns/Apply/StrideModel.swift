import Laboratory
import Measurement

/// What a strided loop costs, as a function of its stride `s` for `n` iterations:
///
///     elapsed(s) = work + overhead * ceil(n / s) + tail * s
///
/// `work` is the loop's own work over the cores, `overhead` what scheduling one block adds, `tail` what an iteration of
/// the last, lonely block adds while the other cores have nothing left. All three are at least 0.
struct StrideModel {
  /// What one stride was measured to cost: medians over the rounds.
  struct Cost {
    let stride: Int
    let blocks: Double
    let elapsed: Double
    let speedup: Double?
  }

  let work: Double
  let overhead: Double
  let tail: Double
  let iterations: Double
  /// The error of predicting a stride from all the others, as a share: the worst, and where.
  let worst: (error: Double, stride: Int)

  /// Fits at least four strides; nil for fewer, since three are met by any three numbers.
  init?(fitting costs: [Cost]) {
    guard costs.count >= 4, let fit = Self.fit(costs) else { return nil }
    (work, overhead, tail) = (fit[0], fit[1], fit[2])
    iterations = costs.map { $0.blocks * Double($0.stride) }.max() ?? 0
    // Each stride inside the range is predicted by a fit that has not seen it.
    let inner = costs.sorted { $0.stride < $1.stride }.dropFirst().dropLast()
    let errors = inner.compactMap { held -> (error: Double, stride: Int)? in
      guard let fit = Self.fit(costs.filter { $0.stride != held.stride }) else { return nil }
      return (abs(Self.predict(fit, held) / held.elapsed - 1), held.stride)
    }
    guard let worst = errors.max(by: { $0.error < $1.error }) else { return nil }
    self.worst = worst
  }

  /// The stride from which scheduling costs less than `share` of the work; nil when it costs nothing.
  func stride(forOverhead share: Double) -> Int? {
    guard overhead > 0, work > 0 else { return nil }
    return max(1, Int((overhead * iterations / (share * work)).rounded(.up)))
  }

  func sentence(for variant: String) -> String {
    let error = "predicts a stride from the others within \(Quantity.number((worst.error * 1000).rounded() / 10)) %"
    guard worst.error <= 0.1 else {
      return "\(variant): no simple cost model fits; a fit \(error) only (stride \(worst.stride.grouped))"
    }
    var line = "\(variant) costs \(Quantity(work, .nanoseconds)) of work + \(Quantity(overhead, .nanoseconds)) a block"
    if tail > 0 { line += " + \(Quantity(tail, .nanoseconds)) an iteration of stride at the tail" }
    line += "; this \(error)"
    if let stride = stride(forOverhead: 0.01) { line += "; overhead is below 1 % from stride \(stride.grouped) on" }
    return line
  }

  static func costs(of variant: String, in results: Results) -> [Cost] {
    guard let elapsed = results.experiment.pattern.metric("elapsed"),
      let blocks = results.experiment.pattern.metric("blocks"),
      let speedup = results.experiment.pattern.metric("speedup")
    else { return [] }
    return results.runs.filter { $0.variant.name == variant }.compactMap { run in
      guard case .integer(let stride)? = run.point["stride"],
        let time = Summary(run.trials.compactMap { $0.figure(elapsed) })?.p50,
        let count = Summary(run.trials.compactMap { $0.figure(blocks) })?.p50
      else { return nil }
      return Cost(
        stride: stride, blocks: count, elapsed: time,
        speedup: Summary(run.trials.compactMap { $0.figure(speedup) })?.p50)
    }
  }

  /// Non-negative least squares of relative errors: with three parameters, every subset of them is simply tried.
  private static func fit(_ costs: [Cost]) -> [Double]? {
    var best: (error: Double, parameters: [Double])?
    for subset in 1..<8 {
      let columns = (0..<3).filter { subset & (1 << $0) != 0 }
      let rows = costs.map { cost in columns.map { terms(cost)[$0] / cost.elapsed } }
      guard let solution = solve(rows), solution.allSatisfy({ $0 >= 0 }) else { continue }
      var parameters = [0.0, 0.0, 0.0]
      for (column, value) in zip(columns, solution) { parameters[column] = value }
      let error = costs.reduce(0) { sum, cost in
        let relative = predict(parameters, cost) / cost.elapsed - 1
        return sum + relative * relative
      }
      if error < best?.error ?? .infinity { best = (error, parameters) }
    }
    return best?.parameters
  }

  private static func terms(_ cost: Cost) -> [Double] { [1, cost.blocks, Double(cost.stride)] }

  private static func predict(_ parameters: [Double], _ cost: Cost) -> Double {
    zip(parameters, terms(cost)).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// Least squares of `rows * x = 1` by the normal equations and Gauss-Jordan elimination.
  private static func solve(_ rows: [[Double]]) -> [Double]? {
    let n = rows[0].count
    var matrix = (0..<n).map { i in
      (0..<n).map { j in rows.reduce(0) { $0 + $1[i] * $1[j] } } + [rows.reduce(0) { $0 + $1[i] }]
    }
    for i in 0..<n {
      guard abs(matrix[i][i]) > 1e-300 else { return nil }
      for j in 0..<n where j != i {
        let factor = matrix[j][i] / matrix[i][i]
        for k in i...n { matrix[j][k] -= factor * matrix[i][k] }
      }
    }
    let solution = (0..<n).map { matrix[$0][n] / matrix[$0][$0] }
    return solution.allSatisfy(\.isFinite) ? solution : nil
  }
}
