import Measurement

extension Check {
  /// Reads the text of a check on the given variants of `pattern`.
  ///
  /// - Throws: ``InputError`` that quotes the check and says what was found, what is allowed and the nearest name.
  public init(parsing text: String, on pattern: PatternDescription, variants: [Variant]) throws(InputError) {
    self = try CheckParser.parse(text, pattern: pattern, variants: variants)
  }
}

/// Reads the text of a check against what a pattern knows, so that an unknown variant, metric or unit is an error
/// before anything runs.
///
/// ```
/// check    = operand ("<" | "<=" | "==" | "!=" | ">=" | ">") operand
/// operand  = [number "*"] (number-with-unit | "cores" | scope [point] "." metric ["." statistic]) ["*" number]
/// scope    = variant | "all" | "any"
/// point    = "[" parameter "=" value { "," parameter "=" value } "]"
/// ```
struct CheckParser {
  let text: String
  let pattern: PatternDescription
  let variants: [Variant]
  /// What errors call the text.
  private let kind: String
  private var rest: Substring

  /// Parses `text`, a check on the given variants of `pattern`.
  static func parse(_ text: String, pattern: PatternDescription, variants: [Variant]) throws(InputError) -> Check {
    var parser = CheckParser(text: text, pattern: pattern, variants: variants)
    let left = try parser.operand()
    let comparison = try parser.comparison()
    let right = try parser.operand()
    guard parser.rest.isEmpty else { throw parser.failure("found '\(parser.rest)' behind the check") }
    let check = Check(text: text, left: left, comparison: comparison, right: right)
    try parser.matchUnits(check)
    return check
  }

  /// Parses `text`, a single figure: `variant[point].metric.statistic`.
  static func figure(_ text: String, pattern: PatternDescription, variants: [Variant]) throws(InputError)
    -> Check.Reference
  {
    var parser = CheckParser(text: text, pattern: pattern, variants: variants, kind: "figure")
    guard case .reference(let reference) = try parser.reference(), parser.rest.isEmpty else {
      throw parser.failure("expected variant.metric and nothing else")
    }
    return reference
  }

  private init(text: String, pattern: PatternDescription, variants: [Variant], kind: String = "check") {
    self.kind = kind
    self.text = text
    self.pattern = pattern
    self.variants = variants
    rest = text[...]
    skipSpace()
  }

  private mutating func comparison() throws(InputError) -> Check.Comparison {
    // Two-character operators first: "<=" must not be read as "<".
    for comparison in Check.Comparison.allCases.sorted(by: { $0.rawValue.count > $1.rawValue.count })
    where take(comparison.rawValue) { return comparison }
    throw failure("expected one of < <= == != >= > at '\(rest.prefix(20))'")
  }

  private mutating func operand() throws(InputError) -> Check.Operand {
    var factor: Double?
    var operand: Check.Operand
    if let quantity = try quantity() {
      if quantity.unit == .none, take("*") {
        factor = quantity.value
        operand = try reference()
      } else {
        operand = .quantity(quantity.value, quantity.unit)
      }
    } else {
      operand = try reference()
    }
    if take("*") {
      guard factor == nil, let number = try quantity(), number.unit == .none else {
        throw failure("expected one plain factor beside '*'")
      }
      factor = number.value
    }
    if let factor { operand = .scaled(factor, operand) }
    return operand
  }

  private mutating func quantity() throws(InputError) -> Quantity? {
    guard let first = rest.first, first.isNumber || first == "-" || first == "." else { return nil }
    let word = takeWhile { $0.isLetter || $0.isNumber || "._-/%".contains($0) }
    do { return try Quantity(parsing: String(word)) } catch { throw failure("\(error)") }
  }

  private mutating func reference() throws(InputError) -> Check.Operand {
    let name = String(takeWhile { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    guard !name.isEmpty else { throw failure("expected a number, 'cores' or variant.metric at '\(rest.prefix(20))'") }
    if name == "cores", !rest.hasPrefix(".") { return .cores }
    let scope: Check.Reference.Scope
    switch name {
    case "all": scope = .all
    case "any": scope = .any
    default:
      guard variants.contains(where: { $0.name == name }) else {
        throw failure("unknown variant '\(name)'", near: name, among: variants.map(\.name) + ["all", "any"])
      }
      scope = .variant(name)
    }
    let point = try point()
    guard take(".") else { throw failure("expected '.metric' behind '\(name)'") }
    let metricName = String(takeWhile { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    guard let metric = pattern.metric(metricName) else {
      throw failure(
        "unknown metric '\(metricName)' of \(pattern.name)", near: metricName,
        among: (pattern.metrics + Metric.outcomes).map(\.name))
    }
    return .reference(.init(scope: scope, point: point, metric: metric, statistic: try statistic()))
  }

  private mutating func statistic() throws(InputError) -> Statistic? {
    guard take(".") else { return nil }
    let name = String(takeWhile { $0.isLetter || $0.isNumber || $0 == "." })
    guard let statistic = Statistic(rawValue: name) else {
      let known = Statistic.allCases.map(\.rawValue)
      throw failure("unknown statistic '\(name)' (known: \(known.joined(separator: ", ")))", near: name, of: known)
    }
    return statistic
  }

  private mutating func point() throws(InputError) -> [Assignment] {
    guard take("[") else { return [] }
    // Looked for at once, or all that follows would be taken for a setting.
    guard rest.prefix(while: { !"<>[".contains($0) }).contains("]") else { throw failure("'[' is not closed by ']'") }
    var settings: [Assignment] = []
    repeat {
      let name = String(takeWhile { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      guard let parameter = pattern.parameter(name) else {
        throw failure("unknown parameter '\(name)'", near: name, among: pattern.parameters.map(\.name))
      }
      guard take("=") else { throw failure("expected '=value' behind '\(name)'") }
      let value = String(takeWhile { $0 != "," && $0 != "]" })
      do { settings.append(Assignment(name, try pattern.pointValue(value, of: parameter), unit: parameter.unit)) } catch
      {
        throw failure("\(error)")
      }
    } while take(",")
    guard take("]") else { throw failure("'[' is not closed by ']'") }
    return settings
  }

  /// A duration compared to a byte count is a slip in the check, not a finding.
  private func matchUnits(_ check: Check) throws(InputError) {
    guard let left = Self.unit(check.left), let right = Self.unit(check.right) else { return }
    let isBareZero = { (operand: Check.Operand) in operand == .quantity(0, .none) }
    if left != right, !isBareZero(check.left), !isBareZero(check.right) {
      func name(_ unit: Unit) -> String { unit == .none ? "a plain count" : "'\(unit.rawValue)'" }
      throw failure("the sides have different units, \(name(left)) and \(name(right))")
    }
  }

  private static func unit(_ operand: Check.Operand) -> Unit? {
    switch operand {
    case .quantity(_, let unit): unit
    case .cores: Unit.none
    case .reference(let reference): reference.metric.unit
    case .scaled(_, let inner): unit(inner)
    }
  }

  private mutating func take(_ token: String) -> Bool {
    guard rest.hasPrefix(token) else { return false }
    rest = rest.dropFirst(token.count)
    skipSpace()
    return true
  }

  private mutating func takeWhile(_ matches: (Character) -> Bool) -> Substring {
    let word = rest.prefix(while: matches)
    rest = rest.dropFirst(word.count)
    skipSpace()
    return word
  }

  private mutating func skipSpace() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private func failure(_ message: String, near found: String = "", of names: [String] = []) -> InputError {
    InputError("\(kind) '\(text)': \(message)", near: found, of: names)
  }

  private func failure(_ message: String, near found: String, among names: [String]) -> InputError {
    InputError("\(kind) '\(text)': \(message)", near: found, among: names)
  }
}
