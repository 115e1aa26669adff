import Measurement

/// A check in its written form, before its names are resolved. Two texts that differ only in spaces, or in the place of
/// a factor, have equal written checks. A result document contains only the text of a check, which this type parses.
///
/// ```
/// check    = operand ("<" | "<=" | "==" | "!=" | ">=" | ">") operand
/// operand  = quantity | quantity-with-unit "*" number | number "*" value | value ["*" number]
/// value    = "cores" | figure
/// figure   = scope [point] "." metric ["." statistic]
/// scope    = variant | "all" | "any"
/// point    = "[" parameter "=" value { "," parameter "=" value } "]"
/// ```
public struct WrittenCheck: Sendable, Hashable {
  /// One side of a check.
  public indirect enum Operand: Sendable, Hashable {
    /// A number with a unit.
    case quantity(Quantity)
    /// The word `cores`.
    case cores
    /// A figure of trials.
    case figure(Figure)
    /// An operand that is multiplied by a factor.
    case scaled(Double, Operand)
  }

  /// A figure as a check names it: its variants, its point, its metric and its statistic.
  public struct Figure: Sendable, Hashable {
    /// The variants that the figure refers to.
    public let scope: Check.Reference.Scope
    /// The settings of the point.
    public let point: [Setting]
    /// The name of the metric.
    public let metric: String
    /// The name of the statistic; nil for the metric's default statistic.
    public let statistic: String?
  }

  /// A parameter of a point, with its value.
  public struct Setting: Sendable, Hashable {
    /// The name of the parameter.
    public let name: String
    /// The value of the parameter.
    public let value: String
  }

  /// The operand on the left side.
  public let left: Operand
  /// The way in which the sides are compared.
  public let relation: Check.Relation
  /// The operand on the right side.
  public let right: Operand

  /// Creates a check by parsing `text`; nil if `text` is not a check.
  public init?(_ text: String) {
    guard let check = try? WrittenCheck(parsing: text) else { return nil }
    self = check
  }

  /// Parses the text of a check.
  ///
  /// - Throws: ``InputError`` if the text is not a check; the error quotes the text and describes the mistake.
  init(parsing text: String) throws(InputError) {
    var scanner = CheckScanner(text, kind: "check")
    left = try scanner.operand()
    relation = try scanner.relation()
    right = try scanner.operand()
    try scanner.requireEnd("found '\(scanner.rest)' after the check")
  }

  /// The figures that the check refers to, from left to right.
  public var figures: [Figure] { left.figures + right.figures }
}

extension WrittenCheck.Operand {
  fileprivate var figures: [WrittenCheck.Figure] {
    switch self {
    case .figure(let figure): [figure]
    case .scaled(_, let inner): inner.figures
    case .quantity, .cores: []
    }
  }
}

extension WrittenCheck.Figure {
  /// Parses the text of a figure.
  ///
  /// - Throws: ``InputError`` if the text is not a figure; the error quotes the text and describes the mistake.
  init(parsing text: String) throws(InputError) {
    var scanner = CheckScanner(text, kind: "figure")
    guard case .figure(let figure) = try scanner.reference() else {
      throw scanner.failure("expected variant.metric and nothing else")
    }
    try scanner.requireEnd("expected variant.metric and nothing else")
    self = figure
  }
}

/// A parser that reads a check or a figure from left to right.
private struct CheckScanner {
  private let text: String
  /// The word for the text in errors: `check` or `figure`.
  private let kind: String
  private(set) var rest: Substring

  init(_ text: String, kind: String) {
    self.text = text
    self.kind = kind
    rest = text[...]
    skipSpace()
  }

  func requireEnd(_ problem: @autoclosure () -> String) throws(InputError) {
    if !rest.isEmpty { throw failure(problem()) }
  }

  mutating func relation() throws(InputError) -> Check.Relation {
    // Two-character operators come first. Otherwise, "<=" would be read as "<".
    for relation in Check.Relation.allCases.sorted(by: { $0.rawValue.count > $1.rawValue.count })
    where take(relation.rawValue) { return relation }
    throw failure("expected one of < <= == != >= > at '\(rest.prefix(20))'")
  }

  mutating func operand() throws(InputError) -> WrittenCheck.Operand {
    var factor: Double?
    var operand: WrittenCheck.Operand
    if let quantity = try quantity() {
      if quantity.unit == .none, take("*") {
        factor = quantity.value
        operand = try reference()
      } else {
        operand = .quantity(quantity)
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

  mutating func reference() throws(InputError) -> WrittenCheck.Operand {
    let scope = name()
    guard !scope.isEmpty else { throw failure("expected a number, 'cores' or variant.metric at '\(rest.prefix(20))'") }
    if scope == "cores", !rest.hasPrefix(".") { return .cores }
    let point = try point()
    guard take(".") else { throw failure("expected '.metric' after '\(scope)'") }
    let metric = name()
    let statistic = take(".") ? String(takeWhile { $0.isLetter || $0.isNumber || $0 == "." }) : nil
    return .figure(.init(scope: .init(scope), point: point, metric: metric, statistic: statistic))
  }

  private mutating func point() throws(InputError) -> [WrittenCheck.Setting] {
    guard take("[") else { return [] }
    // A missing bracket is detected immediately. Otherwise, the rest of the text would be parsed as a setting.
    guard rest.prefix(while: { !"<>[".contains($0) }).contains("]") else { throw failure("'[' is not closed by ']'") }
    var settings: [WrittenCheck.Setting] = []
    repeat {
      let name = name()
      guard take("=") else { throw failure("expected '=value' after '\(name)'") }
      let value = takeWhile { $0 != "," && $0 != "]" }
      settings.append(.init(name: name, value: String(value.reversed().drop { $0 == " " }.reversed())))
    } while take(",")
    guard take("]") else { throw failure("'[' is not closed by ']'") }
    return settings
  }

  private mutating func name() -> String { String(takeWhile { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) }

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

  func failure(_ message: String) -> InputError { InputError("\(kind) '\(text)': \(message)") }
}
