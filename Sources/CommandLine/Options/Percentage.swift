import ArgumentParser
import Measurement

/// The value of an option that expects a percentage, such as `2%`.
struct Percentage {
  /// The percentage as a fraction; for example, 0.02 for `2%`.
  let value: Double

  /// Creates a percentage from the text of an option.
  ///
  /// - Throws: `ValidationError` if `text` is not a percentage in the range `allowed`. The error names the option, the
  ///   text and the range.
  init(option: String, _ text: String, allowed: ClosedRange<Double>) throws {
    guard let quantity = try? Quantity(parsing: text), quantity.unit == .percent, allowed.contains(quantity.value)
    else {
      let range = "\(Quantity.number(allowed.lowerBound))% to \(Quantity.number(allowed.upperBound))%"
      let isShare = Double(text).map(allowed.contains) ?? false
      throw ValidationError(
        "\(option): found '\(text)', expected \(range)\(isShare ? "; did you mean \(text)%?" : ".")")
    }
    value = quantity.value / 100
  }
}
