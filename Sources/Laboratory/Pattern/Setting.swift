/// Something that can be set in a pattern, as its author declares it: a typed handle, by which a trial reads the value.
///
/// ```swift
/// let work = Setting.duration("work", .zero ... .seconds(1), default: .microseconds(100), "how long each task spins")
/// …
/// trial[work]  // a Duration
/// ```
///
/// The literal is the property's name in kebab case, which a test holds.
public struct Setting<Value: Sendable>: Declaration {
  /// Its description: name, kind, range, default, sentence.
  public let declared: Parameter
  /// Where it is declared.
  public let place: SourcePlace
  private let typed: @Sendable (ParameterValue) -> Value?

  fileprivate init(
    _ parameter: Parameter, _ place: SourcePlace, _ typed: @escaping @Sendable (ParameterValue) -> Value?
  ) {
    declared = parameter
    self.place = place
    self.typed = typed
  }

  /// Its description.
  public var parameter: Parameter? { declared }
  /// Its name, as `--set` and scenario files write it.
  public var name: String { declared.name }

  /// The typed value of what a request or a scenario says; the default where it says nothing.
  ///
  /// - Throws: ``InputError`` that names the setting, for a value of another kind or out of range.
  func value(_ value: ParameterValue?) throws(InputError) -> Value {
    let value = value ?? declared.standard
    guard declared.allows(value), let typed = typed(value) else {
      throw InputError("a value that is not allowed (\(declared.allowed))", at: "parameters.\(name)")
    }
    return typed
  }

  /// Its value among `parameters`; nil where it is not among them.
  public func value(in parameters: [String: ParameterValue]) -> Value? { parameters[name].flatMap(typed) }
}

extension ParameterValue {
  fileprivate var integer: Int? { if case .integer(let number) = self { number } else { nil } }
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension Setting where Value == Int {
  /// A whole number in `range`.
  public static func count(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Setting<Int> {
    Setting(.count(name, range, default: standard, says), SourcePlace(file, line), \.integer)
  }

  /// A size in bytes, in `range`.
  public static func size(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Setting<Int> {
    Setting(.size(name, range, default: standard, says), SourcePlace(file, line), \.integer)
  }

  /// A share in whole hundredths, in `range`.
  public static func percent(
    _ name: String, _ range: ClosedRange<Int>, default standard: Int, _ says: String, file: StaticString = #fileID,
    line: UInt = #line
  ) -> Setting<Int> {
    Setting(.percent(name, range, default: standard, says), SourcePlace(file, line), \.integer)
  }
}

extension Setting where Value == Duration {
  /// A duration of whole nanoseconds in `range`.
  public static func duration(
    _ name: String, _ range: ClosedRange<Duration>, default standard: Duration, _ says: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Setting<Duration> {
    let nanoseconds = Int(range.lowerBound.nanoseconds)...Int(range.upperBound.nanoseconds)
    return Setting(
      .duration(name, nanoseconds, default: Int(standard.nanoseconds), says), SourcePlace(file, line)
    ) { value in value.integer.map { .nanoseconds($0) } }
  }
}

extension Setting where Value == String {
  /// A path or another free text.
  ///
  /// - Parameter fault: what is wrong with a text that is given, nil for nothing; a run with it is refused before it
  ///   begins.
  public static func text(
    _ name: String, default standard: String, _ says: String,
    fault: @escaping @Sendable (String) -> String? = { _ in nil }, file: StaticString = #fileID, line: UInt = #line
  ) -> Setting<String> {
    Setting(.text(name, default: standard, says, fault: fault), SourcePlace(file, line), \.text)
  }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the cases of an enumeration, by its raw value.
  public static func choice(
    _ name: String, default standard: Value, _ says: String, file: StaticString = #fileID, line: UInt = #line
  ) -> Setting<Value> {
    Setting(
      .choice(name, Value.allCases.map(\.rawValue), default: standard.rawValue, says), SourcePlace(file, line)
    ) { value in value.text.flatMap(Value.init(rawValue:)) }
  }
}
