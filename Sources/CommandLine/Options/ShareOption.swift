import ArgumentParser
import Measurement

/// A percentage of a flag: `2%`.
struct Share {
  /// The percentage as a fraction: 0.02.
  let value: Double

  /// Parses `text`, which must be in the `allowed` range of percentages.
  ///
  /// - Throws: `ValidationError`, which names the flag, what was found and what is allowed.
  init(option: String, _ text: String, allowed: ClosedRange<Double>) throws {
    guard let quantity = try? Quantity(parsing: text), quantity.unit == .percent, allowed.contains(quantity.value)
    else {
      let range = "\(Quantity.number(allowed.lowerBound))% to \(Quantity.number(allowed.upperBound))%"
      let isShare = Double(text).map(allowed.contains) ?? false
      throw ValidationError(
        "\(option): found '\(text)', allowed is \(range)\(isShare ? "; did you mean \(text)%?" : ".")")
    }
    value = quantity.value / 100
  }
}
