/// A line of a pattern's source.
public struct SourceLine: Sendable, Hashable, CustomStringConvertible {
  /// The module and the name of the file: `Module/File.swift`.
  public let file: String
  /// The number of the line, from 1.
  public let line: Int

  /// Creates the place of a call. The arguments are the call's `#fileID` and `#line`.
  public init(_ file: StaticString, _ line: UInt) {
    self.file = "\(file)"
    self.line = Int(line)
  }

  /// The name of the file without the module.
  public var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }

  /// The name of the file and the line, for example `File.swift:12`.
  public var description: String { "\(fileName):\(line)" }
}
