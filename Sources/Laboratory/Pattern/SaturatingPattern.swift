/// A pattern with a parameter whose large values all have the same effect.
///
/// `compare` leaves out all but the smallest of these values. The figures of the others would differ by chance alone,
/// and one of them would be called the best.
public protocol SaturatingPattern: Pattern {
  /// Returns the value of `parameter` from which larger values change nothing in any variant, and the reason in words
  /// that follow a colon; nil if each value has an effect of its own.
  ///
  /// - Parameter parameters: the values of the other parameters. A parameter that is swept has none.
  func saturation(of parameter: String, with parameters: [String: ParameterValue]) -> (from: Int, reason: String)?
}

extension PatternDescription {
  /// Returns the value of `parameter` from which larger values change nothing; nil if the pattern has none.
  public func saturation(of parameter: String, with parameters: [String: ParameterValue])
    -> (from: Int, reason: String)?
  {
    (pattern as? any SaturatingPattern)?.saturation(of: parameter, with: parameters)
  }
}
