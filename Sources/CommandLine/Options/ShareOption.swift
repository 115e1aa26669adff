import ArgumentParser
import Measurement

/// A share as flags take it: `2%`.
struct Share {
  /// As a fraction: 0.02.
  let value: Double

  /// Reads `text`, which must be in the `allowed` range of hundredths.
  ///
  /// - Throws: `ValidationError` that names the flag, what was found and what is allowed.
  init(option: String, _ text: String, allowed: ClosedRange<Double>) throws {
    guard let quantity = try? Quantity(parsing: text), quantity.unit == .percent, allowed.contains(quantity.value)
    else {
      let range = "\(Quantity.number(allowed.lowerBound))% to \(Quantity.number(allowed.upperBound))%"
      throw ValidationError("\(option): found '\(text)', allowed is \(range).")
    }
    value = quantity.value / 100
  }
}
