/// What a pattern declares as a stored property: a ``Setting`` or a measure. Variants name it, by the property, in
/// `own` and `without`.
public protocol Declaration: Sendable {
  /// Where it is declared, for errors.
  var place: SourcePlace { get }
  /// What can be set by it; nil for a measure.
  var parameter: Parameter? { get }
  /// What is measured by it; empty for a setting, several for a family.
  var metrics: [Metric] { get }
}

extension Declaration {
  /// None, but for a ``Setting``.
  public var parameter: Parameter? { nil }
  /// None, but for a measure.
  public var metrics: [Metric] { [] }

  /// The names it brings.
  var names: [String] { metrics.map(\.name) + (parameter.map { [$0.name] } ?? []) }
}

/// A line of a pattern's source.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// `Module/File.swift`.
  public let file: String
  /// Its line, from 1.
  public let line: Int

  /// The line of a call that has the defaults `#fileID` and `#line`.
  public init(_ file: StaticString, _ line: UInt) {
    self.file = "\(file)"
    self.line = Int(line)
  }

  /// The file's own name, without the module.
  public var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }

  /// `File.swift:12`.
  public var description: String { "\(fileName):\(line)" }
}
