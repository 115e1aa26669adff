/// A number of a document: a whole number stays as it is, and any other has six significant digits.
///
/// The number is rounded when it is made, not when it is written, so that a run shows the same figures before and after
/// it was saved.
struct Number: Codable, Hashable, Sendable {
  let value: Double

  init(_ value: Double) { self.value = Self.rounded(value) }

  /// The allowed range. It exceeds the values of any clock or counter, and it is narrow enough for calculations with
  /// doubles.
  static let allowed = -1e36...1e36

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let value = try container.decode(Double.self)
    guard Self.allowed.contains(value) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "found \(value), allowed is -1e36 to 1e36")
    }
    self.init(value)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
  }

  private static func rounded(_ value: Double) -> Double {
    // The result is 0 for -0, too.
    guard value != value.rounded() else { return value == 0 ? 0 : value }
    var scale = 1.0
    while abs(value) * scale < 100_000, scale < 1e12 { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return rounded == 0 ? 0 : rounded
  }
}
