import Measurement

/// A setting: a parameter with a value.
public struct Setting: Sendable, Hashable {
  /// The name of the parameter.
  public let name: String
  /// The value of the parameter.
  public let value: ParameterValue
  /// The unit of the value, for labels.
  public let unit: Unit

  /// Creates the setting of `name` to `value`.
  public init(_ name: String, _ value: ParameterValue, unit: Unit = .none) {
    self.name = name
    self.value = value
    self.unit = unit
  }

  /// The setting as checks and `--set` write it, for example `work=50ns`.
  public var label: String { "\(name)=\(valueLabel)" }

  /// The value as checks and `--set` write it, for example `50ns`.
  var valueLabel: String {
    switch value {
    case .integer(let number): Quantity.exact(number, unit)
    case .text(let text): text
    }
  }
}
