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

/// A combination of the swept parameters' values; empty if nothing is swept.
public struct Point: Sendable, Hashable {
  /// The settings, in the order of the sweep.
  public let settings: [Setting]

  /// Creates a point.
  public init(_ settings: [Setting] = []) { self.settings = settings }

  /// The value of the parameter `name` at this point; nil if the parameter is not swept.
  public subscript(name: String) -> ParameterValue? { settings.first { $0.name == name }?.value }

  /// The values by the names of their parameters.
  public var values: [String: ParameterValue] { Dictionary(firstOf: settings.map { ($0.name, $0.value) }) }

  /// The label of the point, for example `stride=64,balance=ramp`.
  public var label: String { settings.map(\.label).joined(separator: ",") }
}
