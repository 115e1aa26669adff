/// The value of a parameter. Durations are in whole nanoseconds, and sizes are in whole bytes.
public enum ParameterValue: Sendable, Hashable {
  /// A count, a percentage, a duration in nanoseconds or a size in bytes.
  case integer(Int)
  /// A word, a path or another free text.
  case text(String)

  /// The number of a count, a percentage, a duration in nanoseconds or a size in bytes; nil for a text.
  public var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}

extension ParameterValue: Codable {
  /// Decodes a value from a JSON number or string.
  ///
  /// - Throws: `DecodingError` if the value is neither.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      self = .integer(number)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  /// Encodes the value as a JSON number or string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}
