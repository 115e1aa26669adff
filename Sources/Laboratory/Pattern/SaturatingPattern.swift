/// A pattern with a parameter whose large values all have the same effect.
///
/// `compare` runs only the smallest of these values. The figures of the other values would differ only by chance, and
/// one of these values would be reported as the best.
public protocol SaturatingPattern: Pattern {
  /// Returns the smallest value of `parameter` at and above which all values have the same effect in every variant, and
  /// the reason as a clause that follows a colon; nil if each value has its own effect.
  ///
  /// - Parameter parameters: the values of all parameters that are not swept.
  func saturation(of parameter: String, with parameters: [String: ParameterValue]) -> (from: Int, reason: String)?
}
