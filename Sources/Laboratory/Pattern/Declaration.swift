/// A stored property that a pattern declares: a ``ParameterKey`` or a ``MetricKey``. A ``Probe`` lists it by the
/// property, in `reads` or `records`.
public protocol Declaration: Sendable {
  /// The place of the declaration, for errors.
  var place: SourceLine { get }
  /// The description of a parameter; nil for a metric.
  var parameter: Parameter? { get }
  /// The descriptions of metrics: none for a parameter, and several for a family.
  var metrics: [Metric] { get }
}

extension Declaration {
  /// Nil, except for a ``ParameterKey``.
  public var parameter: Parameter? { nil }
  /// Empty, except for metrics.
  public var metrics: [Metric] { [] }

  /// The names that the declaration introduces.
  var names: [String] { metrics.map(\.name) + (parameter.map { [$0.name] } ?? []) }
}

/// A line of a pattern's source.
public struct SourceLine: Sendable, Hashable, CustomStringConvertible {
  /// `Module/File.swift`.
  public let file: String
  /// The number of the line, from 1.
  public let line: Int

  /// Creates the place of a call from the call's defaults `#fileID` and `#line`.
  public init(_ file: StaticString, _ line: UInt) {
    self.file = "\(file)"
    self.line = Int(line)
  }

  /// The name of the file without the module.
  public var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }

  /// `File.swift:12`.
  public var description: String { "\(fileName):\(line)" }
}
