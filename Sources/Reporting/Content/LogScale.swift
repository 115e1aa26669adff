import RealModule

/// A scale with equal steps of the logarithm.
enum LogScale {
  /// Returns the position of `value` between `low` (0) and `high` (1). All must be above 0, and `low` below `high`.
  static func position(_ value: Double, low: Double, high: Double) -> Double {
    (Double.log(max(value, low)) - Double.log(low)) / (Double.log(high) - Double.log(low))
  }

  /// Returns the value at a position from 0 to 1: the inverse of ``position(_:low:high:)``.
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
