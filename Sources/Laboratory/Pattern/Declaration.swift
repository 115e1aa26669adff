/// A stored property that declares a parameter or a metric of a pattern: a ``ParameterKey``, a ``MetricKey`` or a
/// ``MetricFamily``. The arguments `reads` and `records` of a ``Probe`` list these properties.
public protocol Declaration: Sendable {
  /// The place of the declaration in the source, for error messages.
  var place: SourceLine { get }
  /// The description of the declared parameter; nil for a declaration of metrics.
  var parameter: Parameter? { get }
  /// The descriptions of the declared metrics; empty for a parameter. A ``MetricFamily`` declares several metrics.
  var metrics: [Metric] { get }
}

extension Declaration {
  /// The default, for all declarations except parameters: nil.
  public var parameter: Parameter? { nil }
  /// The default, for all declarations except metrics: an empty array.
  public var metrics: [Metric] { [] }

  /// The names that the declaration introduces.
  var names: [String] { metrics.map(\.name) + (parameter.map { [$0.name] } ?? []) }
}
