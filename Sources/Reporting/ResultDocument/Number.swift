/// A number in a result document. A whole number is exact, and any other number is rounded to six significant digits.
///
/// The number is rounded at its creation and not at encoding, so that a run shows the same figures before and after the
/// run is saved.
struct Number: Codable, Hashable, Sendable {
  let value: Double

  init(_ value: Double) { self.value = Self.rounded(value) }

  /// The range of valid numbers. The range includes the values of all clocks and counters, and excludes numbers whose
  /// products overflow.
  static let allowed = -1e36...1e36

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let value = try container.decode(Double.self)
    guard Self.allowed.contains(value) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "found \(value), expected -1e36 to 1e36")
    }
    self.init(value)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
  }

  private static func rounded(_ value: Double) -> Double {
    // Negative zero becomes 0.
    guard value != value.rounded() else { return value == 0 ? 0 : value }
    var scale = 1.0
    while abs(value) * scale < 100_000, scale < 1e12 { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return rounded == 0 ? 0 : rounded
  }
}
