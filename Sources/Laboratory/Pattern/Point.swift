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
