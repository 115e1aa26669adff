import Measurement

/// A description of a parameter: its type, unit, range, default and meaning. The author of a pattern declares a
/// parameter with a ``ParameterKey``.
public struct Parameter: Sendable {
  /// The values that a parameter accepts.
  public enum Kind: Sendable, Equatable {
    /// A whole number.
    case count(ClosedRange<Int>)
    /// A duration; the range is in nanoseconds.
    case duration(ClosedRange<Int>)
    /// A size; the range is in bytes.
    case size(ClosedRange<Int>)
    /// A percentage in whole numbers.
    case percent(ClosedRange<Int>)
    /// One of several words.
    case choice([String])
    /// A path or another free text.
    case text
    /// A number of cores up to `most`, or the word `all`.
    case cores(most: Int, all: String)
  }
  /// The name, as `--set` and scenario files write it.
  public let name: String
  /// The values that the parameter accepts.
  public let kind: Kind
  /// The default value.
  public let standard: ParameterValue
  /// A short description of the parameter.
  public let summary: String
  /// Whether the parameter defines how a trial measures, and not what it measures (``ParameterKey/ofMeasurement``).
  public internal(set) var isOfMeasurement = false
  /// A closure that returns a description of the error in a free text, or nil if the text is valid. The result may
  /// depend on the machine, for example on whether a file can be read.
  private let fault: @Sendable (String) -> String?

  /// Creates a parameter.
  public init(
    _ name: String, _ kind: Kind, default standard: ParameterValue, _ summary: String,
    fault: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.name = name
    self.kind = kind
    self.standard = standard
    self.summary = summary
    self.fault = fault
  }

  /// The unit of the values.
  public var unit: Unit {
    switch kind {
    case .duration: .nanoseconds
    case .size: .bytes
    case .percent: .percent
    case .count, .choice, .text, .cores: .none
    }
  }

  /// The accepted values, such as `1 to 4096` or `pool or thread`, for error messages and `explain`.
  public var allowed: String {
    switch kind {
    case .count(let range), .duration(let range), .size(let range), .percent(let range):
      "\(describe(.integer(range.lowerBound))) to \(describe(.integer(range.upperBound)))"
    case .choice(let choices):
      choices.count < 2
        ? choices.joined() : choices.dropLast().joined(separator: ", ") + " or \(choices[choices.count - 1])"
    case .text: "any text"
    case .cores(_, let all): "1 or more, or \(all)"
    }
  }

  /// Parses `text` as a value of this parameter.
  ///
  /// - Throws: ``InputError`` without a place if `text` is not an allowed value; the error describes the mistake.
  public func value(parsing text: String) throws(InputError) -> ParameterValue {
    let range: ClosedRange<Int>
    switch kind {
    case .choice(let choices):
      guard choices.contains(text) else {
        throw InputError("\(name): '\(text)' is not one of \(choices.joined(separator: ", "))", near: text, of: choices)
      }
      return .text(text)
    case .text:
      if let fault = fault(text) { throw InputError("\(name): \(fault)") }
      return .text(text)
    case .cores(let most, let all):
      if text == all { return .text(all) }
      guard let number = Int(text), (1...most).contains(number) else {
        throw InputError("\(name): found '\(text)', expected a whole number of 1 or more, or \(all)")
      }
      return .integer(number)
    case .count(let allowed), .duration(let allowed), .size(let allowed), .percent(let allowed): range = allowed
    }
    let quantity: Quantity
    do { quantity = try Quantity(parsing: text) } catch {
      guard case .unknownUnit(let suffix) = error, !unit.suffixes.isEmpty else {
        throw InputError("\(name): found '\(text)', expected \(wanted)")
      }
      throw InputError.unknown("unit", suffix, in: "'\(text)'", known: unit.suffixes, listing: .unlessNear).about(name)
    }
    guard quantity.unit == unit || quantity.value == 0 && quantity.unit == .none else {
      let hint = quantity.unit == .none && unit != .none ? ", which has no unit; expected" : ", expected"
      throw InputError("\(name): found '\(text)'\(hint) \(wanted)")
    }
    guard quantity.value == quantity.value.rounded(), abs(quantity.value) < 9e15 else {
      throw InputError("\(name): '\(text)' is not a whole number\(unit == .none ? "" : " of \(unit.rawValue)")")
    }
    let number = Int(quantity.value)
    guard range.contains(number) else { throw InputError("\(name): \(text) is out of range; expected \(allowed)") }
    return .integer(number)
  }

  /// A description of the expected value, with an example in the parameter's unit.
  private var wanted: String {
    switch unit {
    case .nanoseconds: "a duration such as 50ns or 2ms"
    case .bytes: "a size such as 64KiB"
    case .percent: "a share such as 2%"
    default: "a count such as 64, 1_000 or 200k"
    }
  }

  /// Whether the values are numbers. In place of a number, a scenario or a check may contain the name of another
  /// setting, except for the number of cores.
  var isNumber: Bool {
    switch kind {
    case .count, .duration, .size, .percent, .cores: true
    case .choice, .text: false
    }
  }

  /// Returns whether `value` has the type of the parameter, and is in the range or among the choices. Any free text is
  /// allowed.
  public func allows(_ value: ParameterValue) -> Bool {
    switch (kind, value) {
    case (.choice(let choices), .text(let text)): choices.contains(text)
    case (.text, .text): true
    case (.cores(_, let all), .text(let text)): text == all
    case (.cores(let most, _), .integer(let number)): (1...most).contains(number)
    case (.count(let range), .integer(let number)), (.duration(let range), .integer(let number)),
      (.size(let range), .integer(let number)), (.percent(let range), .integer(let number)):
      range.contains(number)
    default: false
    }
  }

  /// Returns `value` in a readable form, for example `50 ns`, `64 KiB`, `1_000_000` or `ramp`.
  public func describe(_ value: ParameterValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): unit == .none ? number.withUnderscores : Quantity(Double(number), unit).description
    }
  }
}
