import RealModule

enum LogScale {
  /// Returns the position of `value` on a logarithmic scale from `low` (0) to `high` (1). A value below `low` has the
  /// position 0. Both ends must be above 0, and `low` must be below `high`.
  static func position(_ value: Double, low: Double, high: Double) -> Double {
    (Double.log(max(value, low)) - Double.log(low)) / (Double.log(high) - Double.log(low))
  }

  /// Returns the value at a position from 0 to 1. This function is the inverse of ``position(_:low:high:)``.
  static func value(_ position: Double, low: Double, high: Double) -> Double {
    Double.exp(Double.log(low) + position * (Double.log(high) - Double.log(low)))
  }

  /// Returns the powers of ten from `low` to `high`.
  static func decades(from low: Double, to high: Double) -> [Double] {
    let first = Int(Double.log10(low).rounded(.up))
    let last = Int(Double.log10(high).rounded(.down))
    return first <= last ? (first...last).map { Double.pow(10, Double($0)) } : []
  }
}
