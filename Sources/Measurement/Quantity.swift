/// A number with its unit. Scenario files and the command line contain exact quantities (`50ns`, `2ms`, `64KiB`,
/// `1_000_000`). Reports round quantities (`3.20 us`, `1.40 ms`, `64 KiB`).
public struct Quantity: Sendable, Hashable {
  /// The number, in `unit`.
  public var value: Double
  /// The unit of the number.
  public var unit: Unit

  /// Creates a quantity from a number and its unit.
  public init(_ value: Double, _ unit: Unit) {
    self.value = value
    self.unit = unit
  }

  /// Creates a quantity in nanoseconds from a duration.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(Double(seconds) * 1e9 + Double(attoseconds) / 1e9, .nanoseconds)
  }

  /// All accepted suffixes, each with its factor and its unit.
  static let suffixes: [String: (factor: Double, unit: Unit)] = [
    "": (1, .none), "ns": (1, .nanoseconds), "us": (1e3, .nanoseconds), "µs": (1e3, .nanoseconds),
    "μs": (1e3, .nanoseconds), "ms": (1e6, .nanoseconds), "s": (1e9, .nanoseconds), "min": (6e10, .nanoseconds),
    "B": (1, .bytes), "KiB": (1024, .bytes), "MiB": (1_048_576, .bytes), "GiB": (1_073_741_824, .bytes),
    "/s": (1, .perSecond), "B/s": (1, .bytesPerSecond), "KiB/s": (1024, .bytesPerSecond),
    "MiB/s": (1_048_576, .bytesPerSecond), "GiB/s": (1_073_741_824, .bytesPerSecond), "%": (1, .percent),
    "k": (1e3, .none), "K": (1e3, .none), "M": (1e6, .none),
  ]

  /// Whether a word is a unit that follows a number and a space, as in `3.20 us`.
  public static func isUnit(_ word: some StringProtocol) -> Bool {
    !word.isEmpty && (suffixes[String(word)] != nil || ["k/s", "M/s", "G/s", "G"].contains(word))
  }

  /// The suffixes that an error message suggests in place of an unknown suffix.
  public static let knownSuffixes = ["ns", "us", "ms", "s", "min", "B", "KiB", "MiB", "GiB", "/s", "%"]

  /// Parses `text`: a number with an optional sign and optional decimals, then an optional suffix. Spaces are ignored,
  /// and so is `_` after the first character.
  ///
  /// - Throws: ``QuantityError`` if the text before the suffix is not a finite number, or if the suffix is unknown.
  public init(parsing text: String) throws(QuantityError) {
    let compact = text.filter { $0 != " " }
    let number = compact.prefix { $0.isASCII && ($0.isNumber || "_.+-".contains($0)) }
    let suffix = String(compact.dropFirst(number.count))
    guard let value = Double(number.filter { $0 != "_" }), value.isFinite, number.first != "_" else {
      throw .notANumber(text)
    }
    guard let (factor, unit) = Self.suffixes[suffix] else { throw .unknownUnit(suffix) }
    self.init(value * factor, unit)
  }
}

/// The reason why a text is not a ``Quantity``.
public enum QuantityError: Error, Equatable, CustomStringConvertible {
  /// The text, which is the associated value, does not start with a number.
  case notANumber(String)
  /// The text after the number, which is the associated value, is not a known unit.
  case unknownUnit(String)

  /// The reason as the text of an error message.
  public var description: String {
    switch self {
    case .notANumber(let text): "'\(text)' is not a number with a unit such as 50ns, 2ms, 64KiB or 1_000"
    case .unknownUnit(let unit):
      "unknown unit '\(unit)' (known: \(Quantity.knownSuffixes.joined(separator: ", ")), or none for a count)"
    }
  }
}

extension Quantity: CustomStringConvertible {
  /// The quantity, rounded and in the unit that suits its size: `3.20 us`, `64 KiB`, `1.20 M/s`.
  public var description: String {
    switch unit {
    case .nanoseconds: Self.scaled(value, [(1e9, " s"), (1e6, " ms"), (1e3, " us"), (1, " ns")])
    case .bytes: Self.scaled(value, [(1_073_741_824, " GiB"), (1_048_576, " MiB"), (1024, " KiB"), (1, " B")])
    case .bytesPerSecond:
      Self.scaled(value, [(1_073_741_824, " GiB/s"), (1_048_576, " MiB/s"), (1024, " KiB/s"), (1, " B/s")])
    case .perSecond: Self.scaled(value, [(1e9, " G/s"), (1e6, " M/s"), (1e3, " k/s"), (1, " /s")])
    case .percent: Self.number(value) + " %"
    case .none: abs(value) >= 1e5 ? Self.scaled(value, [(1e9, " G"), (1e6, " M"), (1e3, " k")]) : Self.number(value)
    }
  }

  private static func scaled(_ value: Double, _ scale: [(Double, String)]) -> String {
    // The value is compared after it is rounded to three digits, so that 999.9 ns is printed as 1.00 us and not as 1000
    // ns.
    let step = scale.first { abs(value) >= $0.0 * 0.9995 } ?? scale[scale.count - 1]
    return number(value / step.0) + step.1
  }

  /// Returns a ratio with three significant digits, including trailing zeros, such as `2.00` or `40.0`. A ratio has at
  /// most six decimals, and no decimals from 100 upwards. The text of a rough ratio has two significant digits, such as
  /// `2.0` or `160,000`.
  public static func ratio(_ value: Double, isRough: Bool = false) -> String {
    if isRough, abs(value) >= 99.5, abs(value) < 1e15 {
      let step = Double.pow(10, Double.log10(abs(value)).rounded(.down) - 1)
      return Int((value / step).rounded() * step).withCommas
    }
    let ends = [0.000_999_5, 0.009_995, 0.099_95, 0.9995, 9.995, 99.95]
    return fixed(value, decimals: max(0, ends.count { abs(value) < $0 } - (isRough ? 1 : 0)))
  }

  /// Returns the text of `number` in `unit` without rounding, in the largest unit in which the number is whole. The
  /// text can be parsed again: `50ns`, `2ms`, `1500us`, `64KiB`.
  public static func exact(_ number: Int, _ unit: Unit) -> String {
    let steps: [(Int, String)] =
      switch unit {
      case .nanoseconds: [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "us"), (1, "ns")]
      case .bytes: [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")]
      case .perSecond, .bytesPerSecond, .percent, .none: [(1, unit == .perSecond ? "/s" : unit.rawValue)]
      }
    let step = steps.first { number != 0 && number.isMultiple(of: $0.0) } ?? steps[steps.count - 1]
    return "\(number / step.0)\(step.1)"
  }

  /// Returns a number as text, with three decimals below 1, two below 10, one below 100 and none from 100 upwards. A
  /// whole number below 100,000 has commas and no decimals, such as `40,746`. A number of 9e15 or more can have an
  /// exponent.
  public static func number(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e5 { return Int(value).withCommas }
    switch abs(value) {
    case 99.95...: return fixed(value, decimals: 0)
    case 9.995...: return fixed(value, decimals: 1)
    case 0.9995...: return fixed(value, decimals: 2)
    default: return fixed(value, decimals: 3)
    }
  }

  /// Returns `value` with exactly `decimals` digits after the point. If the result would have more than 15 digits,
  /// returns the description of `value`, which may have an exponent.
  public static func fixed(_ value: Double, decimals: Int) -> String {
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (abs(value) * Double(scale)).rounded()
    guard scaled < 9e15 else { return String(value) }
    let whole = Int(scaled)
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(whole) }
    let fraction = String(whole % scale)
    return sign + String(whole / scale) + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
  }
}
