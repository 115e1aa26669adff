import Measurement

extension Check {
  /// Creates a check on the given variants of `pattern` by parsing `text`.
  ///
  /// - Throws: ``InputError`` if `text` is not a check; the error quotes the check and describes the mistake. For an
  ///   unknown name, the error suggests the nearest name.
  public init(parsing text: String, on pattern: PatternDescription, variants: [Variant]) throws(InputError) {
    self = try CheckParser.parse(text, pattern: pattern, variants: variants)
  }
}

/// A parser that resolves the names in a written check with the declarations of a pattern. As a result, an unknown
/// variant, metric or parameter causes an error before any trial runs.
struct CheckParser {
  let text: String
  let pattern: PatternDescription
  let variants: [Variant]
  /// The word for the text in errors: `check` or `figure`.
  private let kind: String

  /// Parses `text` as a check on the given variants of `pattern`.
  static func parse(_ text: String, pattern: PatternDescription, variants: [Variant]) throws(InputError) -> Check {
    let parser = CheckParser(text: text, pattern: pattern, variants: variants, kind: "check")
    let written = try WrittenCheck(parsing: text)
    let check = Check(
      text: text, left: try parser.operand(written.left), relation: written.relation,
      right: try parser.operand(written.right))
    try parser.matchUnits(check)
    return check
  }

  /// Parses `text` as a single figure: `variant[point].metric.statistic`.
  static func figure(_ text: String, pattern: PatternDescription, variants: [Variant]) throws(InputError)
    -> Check.Reference
  {
    try CheckParser(text: text, pattern: pattern, variants: variants, kind: "figure")
      .reference(WrittenCheck.Figure(parsing: text))
  }

  private func operand(_ written: WrittenCheck.Operand) throws(InputError) -> Check.Operand {
    switch written {
    case .quantity(let quantity): .quantity(quantity.value, quantity.unit)
    case .cores: .cores
    case .figure(let figure): .reference(try reference(figure))
    case .scaled(let factor, let inner): .scaled(factor, try operand(inner))
    }
  }

  private func reference(_ figure: WrittenCheck.Figure) throws(InputError) -> Check.Reference {
    guard variants.contains(where: figure.scope.includes) else {
      throw InputError.unknown(
        "variant", figure.scope.name, known: variants.map(\.name) + ["all", "any"], listing: .unlessNear
      ).about(subject)
    }
    let point = try point(figure.point)
    guard let metric = pattern.metric(figure.metric) else {
      throw InputError.unknown(
        "metric", figure.metric, of: pattern.name,
        known: (pattern.metrics + Metric.outcomes + Metric.costs).map(\.name), listing: .unlessNear
      ).about(subject)
    }
    return Check.Reference(
      scope: figure.scope, point: point, metric: metric, statistic: try statistic(figure.statistic))
  }

  private func statistic(_ name: String?) throws(InputError) -> Statistic? {
    guard let name else { return nil }
    guard let statistic = Statistic(rawValue: name) else {
      throw InputError.unknown("statistic", name, known: Statistic.allCases.map(\.rawValue)).about(subject)
    }
    return statistic
  }

  private func point(_ settings: [WrittenCheck.Setting]) throws(InputError) -> [Setting] {
    var point: [Setting] = []
    for setting in settings {
      guard let parameter = pattern.parameter(setting.name) else {
        throw InputError.unknown(
          "parameter", setting.name, known: pattern.settable.map(\.name), listing: .unlessNear
        ).about(subject)
      }
      do {
        point.append(
          Setting(setting.name, try pattern.pointValue(setting.value, of: parameter), unit: parameter.unit))
      } catch { throw error.about(subject) }
    }
    return point
  }

  /// Throws an error if the sides have different units. A side that is 0 may lack a unit. The comparison of a duration
  /// with a number of bytes is a mistake in the check, and not a result of a run.
  private func matchUnits(_ check: Check) throws(InputError) {
    guard let left = Self.unit(check.left), let right = Self.unit(check.right) else { return }
    let isBareZero = { (operand: Check.Operand) in operand == .quantity(0, .none) }
    if left != right, !isBareZero(check.left), !isBareZero(check.right) {
      func name(_ unit: Unit) -> String { unit == .none ? "a plain count" : "'\(unit.rawValue)'" }
      throw InputError("the sides have different units, \(name(left)) and \(name(right))").about(subject)
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

  /// The name of the text in errors.
  private var subject: String { "\(kind) '\(text)'" }
}
