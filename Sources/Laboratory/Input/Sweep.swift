/// A parameter, and the values that the parameter takes in turn.
public struct Sweep: Sendable, Hashable {
  /// The parameter's name.
  public let name: String
  /// The values, in the order of the sweep.
  public let values: [ParameterValue]

  /// Creates a sweep of the parameter called `name`.
  public init(_ name: String, _ values: [ParameterValue]) {
    self.name = name
    self.values = values
  }
}
