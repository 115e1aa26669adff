import Measurement

/// A parser for the sweeps of `compare`, for example `stride=1,4,16`, `stride=1..4096:x4`, `work=10ns..100ns:+10ns` or
/// `balance=uniform,ramp`.
public struct SweepParser {
  /// The pattern whose parameters are swept.
  public let pattern: PatternDescription

  /// The maximum number of values in a range. A range with more values is rejected as a mistake.
  static let mostValues = 1000

  /// Creates a parser for sweeps of `pattern`.
  public init(_ pattern: PatternDescription) { self.pattern = pattern }

  /// Parses a text of the form `name=values`.
  ///
  /// - Throws: ``InputError`` if the text is not a sweep of a parameter of the pattern; the error describes the text
  ///   that was found and the text that was expected.
  public func sweep(_ text: String) throws(InputError) -> Sweep {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      let examples = pattern.exampleSweeps()
      let example = examples.first { $0.hasPrefix("\(text)=") } ?? examples[0]
      throw InputError("found '\(text)', expected NAME=VALUES as in \(example); a range is 1..64:x4")
    }
    let name = String(text[..<equals])
    let parameter = try pattern.knownParameter(name)
    var values: [ParameterValue] = []
    for item in text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false) {
      for value in try range(String(item), of: parameter) {
        guard !values.contains(value) else {
          throw InputError("\(name): \(parameter.describe(value)) appears twice in '\(text)'")
        }
        values.append(value)
      }
    }
    return Sweep(name, values)
  }

  private func range(_ text: String, of parameter: Parameter) throws(InputError) -> [ParameterValue] {
    guard let dots = text.firstRange(of: "..") else { return [try parameter.value(parsing: text)] }
    let parts = text[dots.upperBound...].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parameter.isNumber, ["x", "+", nil].contains(parts[0].first) {
      let step = parts.filter { !$0.isEmpty }.map { ":" + $0 }.joined()
      throw InputError("\(parameter.name): the range '\(text)' has no end: write \(text[..<dots.upperBound])END\(step)")
    }
    guard case .integer(let low) = try parameter.value(parsing: String(text[..<dots.lowerBound])),
      case .integer(let high) = try parameter.value(parsing: String(parts[0]))
    else { throw InputError("\(parameter.name): '\(text)' is a range, but the values of this parameter are words") }
    guard low <= high else { throw InputError("\(parameter.name): the range '\(text)' ends before it begins") }
    let next = try step(parts.count > 1 ? String(parts[1]) : nil, of: parameter, in: text)
    var values: [ParameterValue] = []
    var value: Int? = low
    while let current = value, current <= high {
      guard values.count < Self.mostValues else {
        throw InputError(
          "\(parameter.name): the range '\(text)' has more than \(Self.mostValues) values; give it a larger step")
      }
      values.append(.integer(current))
      value = next(current)
    }
    return values
  }

  /// Returns a function that computes the next value of a range. The function returns nil if the next value is too
  /// large.
  private func step(_ text: String?, of parameter: Parameter, in range: String) throws(InputError) -> (Int) -> Int? {
    guard let text else {
      guard parameter.unit == .none else {
        throw InputError("\(parameter.name): the range '\(range)' needs a step: ':x2' or ':+\(parameter.step)'")
      }
      return { $0 + 1 }
    }
    if text.hasPrefix("x"), let factor = Double(text.dropFirst()), factor.isFinite, factor > 1 {
      return { value in
        let next = (Double(value) * factor).rounded()
        // A small factor must still increase a small value.
        return next < 9e15 ? max(Int(next), value + 1) : nil
      }
    }
    if text.hasPrefix("+"), let quantity = try? Quantity(parsing: String(text.dropFirst())),
      quantity.unit == parameter.unit,
      quantity.value >= 1, quantity.value < 9e15, quantity.value == quantity.value.rounded()
    {
      return { $0 + Int(quantity.value) }
    }
    throw InputError(
      "\(parameter.name): '\(text)' is not a step: ':x2' doubles from value to value, ':+\(parameter.step)' adds")
  }
}

extension Parameter {
  /// An example of a step in the unit of the parameter, for error messages.
  fileprivate var step: String {
    switch unit {
    case .nanoseconds: "10ns"
    case .bytes: "4KiB"
    case .percent: "10%"
    default: "1"
    }
  }
}

extension PatternDescription {
  /// Returns example sweeps of the pattern's parameters in the form of `compare`. The sweep of a number contains a
  /// quarter of the value, the value and four times the value, if these numbers are allowed. The sweep of a choice
  /// contains all words. Percentages and texts have no sweep, and neither have parameters of the measurement
  /// (``ParameterKey/ofMeasurement``). The sweeps of parameters that define how the work is done are first, followed by
  /// the sweeps of parameters that define the amount of work. The sweep of the cores is last.
  ///
  /// - Parameter parameters: the values that are set. Other parameters have their default values.
  public func exampleSweeps(_ parameters: [String: ParameterValue] = [:]) -> [String] {
    let ways = self.parameters.filter { !problem.contains($0.name) }
    let amounts = self.parameters.filter { problem.contains($0.name) }
    let sweeps = (ways + amounts).filter { !$0.isOfMeasurement }.compactMap { parameter -> String? in
      let values: [ParameterValue]
      switch (parameter.kind, parameters[parameter.name] ?? parameter.standard) {
      case (.choice(let choices), _): values = choices.map(ParameterValue.text)
      case (.count, .integer(let number)), (.duration, .integer(let number)), (.size, .integer(let number)):
        values = [number / 4, number, number * 4].filter { $0 > 0 }.map(ParameterValue.integer).filter(parameter.allows)
      case (.percent, _), (.text, _), (.cores, _), (_, .text): return nil
      }
      guard values.count > 1 else { return nil }
      let texts = values.map { Setting(parameter.name, $0, unit: parameter.unit).valueLabel }
      return "\(parameter.name)=\(texts.joined(separator: ","))"
    }
    return sweeps + ["\(Cores.name)=1,2"]
  }
}

extension Experiment {
  /// Up to three example sweeps of parameters that the experiment's variants use, in the form of `compare`.
  public var exampleSweeps: [String] {
    let affecting = pattern.exampleSweeps(parameters).filter { sweep in
      variants.contains { variant in !variant.ignores.contains { sweep.hasPrefix($0 + "=") } }
    }
    return Array(affecting.prefix(3))
  }

  /// Returns the experiment with `sweeps`, which replace the experiment's own sweep.
  ///
  /// - Throws: ``InputError`` if a parameter is swept twice or affects no variant, or if the sweeps result in more than
  ///   `mostRuns` runs.
  public func sweeping(_ sweeps: [Sweep], mostRuns: Int = 10_000) throws(InputError) -> Experiment {
    var changed = self
    changed.sweep = sweeps
    changed.isComparison = true
    for (index, swept) in sweeps.enumerated() {
      guard !sweeps[..<index].contains(where: { $0.name == swept.name }) else {
        throw InputError("'\(swept.name)' is swept twice")
      }
      guard variants.contains(where: { !$0.ignores.contains(swept.name) }) else {
        let affected = pattern.variants.filter { !$0.ignores.contains(swept.name) }.map(\.name)
        throw InputError(
          "'\(swept.name)' changes nothing for \(variants.map(\.name).joined(separator: ", "))"
            + (affected.isEmpty ? "" : ", only for \(affected.joined(separator: ", "))"))
      }
      changed.parameters[swept.name] = nil
    }
    var runs = 0.0
    for variant in variants {
      runs += sweeps.filter { !variant.ignores.contains($0.name) }.reduce(1.0) { $0 * Double($1.values.count) }
    }
    guard runs <= Double(mostRuns) else {
      throw InputError(
        "\(Quantity(runs, .none)) combinations of settings and variants are too many; expected at most \(mostRuns.withCommas)"
      )
    }
    return changed
  }
}
