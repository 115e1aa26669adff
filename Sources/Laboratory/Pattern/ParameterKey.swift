/// A typed key for a parameter that a pattern's author declares. A trial reads the value with the key.
///
/// ```swift
/// let work = Parameter.duration("work", .zero ... .seconds(1), default: .microseconds(100), "spin of each task")
/// …
/// trial[work]  // a Duration
/// ```
///
/// The name in the declaration is the name of the property in kebab case. A test verifies this rule.
public struct ParameterKey<Value: Sendable>: Declaration {
  /// The description of the parameter: name, kind, range, default and meaning.
  public private(set) var declared: Parameter
  /// The place of the declaration.
  public let place: SourceLine
  private let typed: @Sendable (ParameterValue) -> Value?

  fileprivate init(
    _ parameter: Parameter, _ place: SourceLine, _ typed: @escaping @Sendable (ParameterValue) -> Value?
  ) {
    declared = parameter
    self.place = place
    self.typed = typed
  }

  /// The description of the parameter, as ``Declaration`` requires it.
  public var parameter: Parameter? { declared }
  /// The name of the parameter, as `--set` and scenario files write it.
  public var name: String { declared.name }

  /// The same parameter, marked as one of the measurement: it defines how a trial measures, such as the number of
  /// operations that are timed together. ``PatternDescription/exampleSweeps(_:)`` leaves such a parameter out.
  public var ofMeasurement: ParameterKey {
    var key = self
    key.declared.isOfMeasurement = true
    return key
  }

  /// Returns `value`, which is from a request or a scenario, as the parameter's type. If `value` is nil, returns the
  /// default.
  ///
  /// - Throws: ``InputError`` if the value has another type or is out of range; the error names the parameter.
  func value(_ value: ParameterValue?) throws(InputError) -> Value {
    let value = value ?? declared.standard
    guard declared.allows(value), let typed = typed(value) else {
      throw InputError("the value is not allowed; expected \(declared.allowed)", at: "parameters.\(name)")
    }
    return typed
  }

  /// Returns the value of the parameter in `parameters`; nil if `parameters` does not contain the parameter, or
  /// contains a value of another type.
  public func value(in parameters: [String: ParameterValue]) -> Value? { parameters[name].flatMap(typed) }
}

extension ParameterValue {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension Parameter {
  /// Declares a parameter whose values are whole numbers in `range`.
  public static func count(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> ParameterKey<Int> {
    integer(name, .count(range), standard, says, SourceLine(file, line))
  }

  /// Declares a parameter whose values are sizes in bytes, in `range`.
  public static func size(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> ParameterKey<Int> {
    integer(name, .size(range), standard, says, SourceLine(file, line))
  }

  /// Declares a parameter whose values are percentages in whole numbers, in `range`.
  public static func percent(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> ParameterKey<Int> {
    integer(name, .percent(range), standard, says, SourceLine(file, line))
  }

  private static func integer(
    _ name: String, _ kind: Parameter.Kind, _ standard: Int, _ says: String, _ line: SourceLine
  ) -> ParameterKey<Int> {
    ParameterKey(Parameter(name, kind, default: .integer(standard), says), line, \.integer)
  }

  /// Declares a parameter whose values are durations of whole nanoseconds, in `range`.
  public static func duration(
    _ name: String, _ range: ClosedRange<Duration>, default standard: Duration, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> ParameterKey<Duration> {
    let nanoseconds = Int(range.lowerBound.nanoseconds)...Int(range.upperBound.nanoseconds)
    return ParameterKey(
      Parameter(name, .duration(nanoseconds), default: .integer(Int(standard.nanoseconds)), says),
      SourceLine(file, line)
    ) { value in value.integer.map { .nanoseconds($0) } }
  }

  /// Declares a parameter whose values are paths or other free texts.
  ///
  /// - Parameter fault: a closure that returns a description of the error in a text, or nil if the text is valid. The
  ///   lab refuses a run with an invalid text before the run begins.
  public static func text(
    _ name: String, default standard: String, _ says: String,
    fault: @escaping @Sendable (String) -> String? = { _ in nil }, file: StaticString = #fileID, line: UInt = #line
  ) -> ParameterKey<String> {
    ParameterKey(
      Parameter(name, .text, default: .text(standard), says, fault: fault), SourceLine(file, line), \.text)
  }

  /// Declares a parameter whose values are the cases of an enumeration. Scenario files contain the raw values of the
  /// cases.
  public static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, default standard: Value, _ says: String, file: StaticString = #fileID, line: UInt = #line
  ) -> ParameterKey<Value> {
    ParameterKey(
      Parameter(name, .choice(Value.allCases.map(\.rawValue)), default: .text(standard.rawValue), says),
      SourceLine(file, line)
    ) { value in value.text.flatMap(Value.init(rawValue:)) }
  }
}
