/// The solution of linear equations by least squares.
public enum LeastSquares {
  /// Returns the vector `x` for which `rows * x` is nearest to 1 in every row, by the normal equations and Gauss-Jordan
  /// elimination; nil if the rows do not determine `x`.
  public static func solve(_ rows: [[Double]]) -> [Double]? {
    guard let n = rows.first?.count, n > 0 else { return nil }
    var matrix = (0..<n).map { i -> [Double] in
      let products = (0..<n).map { j in rows.reduce(0.0) { $0 + $1[i] * $1[j] } }
      return products + [rows.reduce(0.0) { $0 + $1[i] }]
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
