import Measurement
import Yams

/// Reads a scenario file into an ``Experiment``, checking every name and value against its pattern.
public struct ScenarioFile {
  /// What error messages call the file.
  public let place: String
  /// The patterns there are.
  public let patterns: [any Pattern]

  /// The keys a scenario file may have.
  static let keys = [
    "scenario", "pattern", "title", "source", "lesson", "tags", "parameters", "variants", "sweep", "baseline", "show",
    "claims", "quick",
  ]

  /// A file that error messages call `place`.
  public init(place: String, patterns: [any Pattern]) {
    self.place = place
    self.patterns = patterns
  }

  /// Reads the text of the file.
  ///
  /// - Throws: ``InputError`` with file and line, what was found, what is allowed and the nearest name.
  public func experiment(from yaml: String) throws(InputError) -> Experiment {
    let root = try mapping(try compose(yaml), "a scenario file")
    try root.allow(Self.keys)
    let name = try root.text("scenario")
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) else {
      throw error(root.node("scenario"), "scenario: '\(name)' may have only letters, digits, '-' and '_'")
    }
    let patternName = try root.text("pattern")
    guard let pattern = patterns.first(where: { $0.name == patternName }) else {
      throw error(
        root.node("pattern"), "unknown pattern '\(patternName)'", near: patternName, of: patterns.map(\.name))
    }
    let parameters = try settings(root, "parameters", pattern)
    let variants = try variants(root, pattern)
    let sweep = try sweep(root, pattern)
    for (swept, _) in sweep where parameters[swept] != nil {
      throw error(root.node("sweep"), "'\(swept)' is both a parameter and swept")
    }
    return Experiment(
      name: name, pattern: pattern, title: try root.text("title"), source: try root.text("source"),
      lesson: try root.optionalText("lesson") ?? "", tags: try root.list("tags").map { node in node.text },
      parameters: parameters, variants: variants, sweep: sweep, baseline: try baseline(root, variants),
      show: try show(root, pattern), claims: try claims(root, pattern, variants, sweep),
      quick: try settings(root, "quick", pattern))
  }

  private func settings(_ root: Mapping, _ key: String, _ pattern: any Pattern) throws(InputError)
    -> [String: ParameterValue]
  {
    var values: [String: ParameterValue] = [:]
    for entry in try root.entries(key) {
      values[entry.key] = try value(entry.value, of: try parameter(entry, pattern))
    }
    return values
  }

  private func parameter(_ entry: Mapping.Entry, _ pattern: any Pattern) throws(InputError) -> Parameter {
    do { return try pattern.knownParameter(entry.key) } catch { throw error.at(entry.value.place) }
  }

  private func value(_ node: PlacedNode, of parameter: Parameter) throws(InputError) -> ParameterValue {
    do { return try parameter.value(parsing: try node.scalar(parameter.name)) } catch { throw error.at(node.place) }
  }

  private func variants(_ root: Mapping, _ pattern: any Pattern) throws(InputError) -> [Variant] {
    let nodes = try root.list("variants")
    guard !nodes.isEmpty else { return pattern.variants }
    var variants: [Variant] = []
    for node in nodes {
      guard let variant = pattern.variant(node.text) else {
        throw error(
          node, "unknown variant '\(node.text)' of \(pattern.name)", near: node.text, of: pattern.variants.map(\.name))
      }
      guard !variants.contains(variant) else { throw error(node, "variant '\(node.text)' is listed twice") }
      variants.append(variant)
    }
    return variants
  }

  private func sweep(_ root: Mapping, _ pattern: any Pattern) throws(InputError)
    -> [(name: String, values: [ParameterValue])]
  {
    var sweep: [(name: String, values: [ParameterValue])] = []
    for entry in try root.entries("sweep") {
      let parameter = try parameter(entry, pattern)
      let nodes = try entry.value.list(entry.key)
      guard !nodes.isEmpty else { throw error(entry.value, "sweep of '\(entry.key)' has no values") }
      var values: [ParameterValue] = []
      for node in nodes {
        let value = try value(node, of: parameter)
        guard !values.contains(value) else { throw error(node, "sweep of '\(entry.key)' has '\(node.text)' twice") }
        values.append(value)
      }
      sweep.append((entry.key, values))
    }
    return sweep
  }

  private func baseline(_ root: Mapping, _ variants: [Variant]) throws(InputError) -> String? {
    guard let name = try root.optionalText("baseline") else { return nil }
    guard variants.contains(where: { $0.name == name }) else {
      throw error(
        root.node("baseline"), "baseline '\(name)' is not one of the variants", near: name, of: variants.map(\.name))
    }
    return name
  }

  private func show(_ root: Mapping, _ pattern: any Pattern) throws(InputError) -> [String] {
    let nodes = try root.list("show")
    for node in nodes where pattern.metric(node.text) == nil {
      throw error(
        node, "unknown metric '\(node.text)' of \(pattern.name)", near: node.text, of: pattern.metrics.map(\.name))
    }
    return nodes.isEmpty ? pattern.metrics.map(\.name) : nodes.map(\.text)
  }

  private func claims(
    _ root: Mapping, _ pattern: any Pattern, _ variants: [Variant], _ sweep: [(name: String, values: [ParameterValue])]
  ) throws(InputError) -> [Claim] {
    var claims: [Claim] = []
    for node in try root.list("claims") {
      let fields = try mapping(node, "a claim")
      try fields.allow(["says", "kind", "check"])
      let kindName = try fields.text("kind")
      guard let kind = Claim.Kind(rawValue: kindName) else {
        let kinds = Claim.Kind.allCases.map(\.rawValue)
        throw error(
          fields.node("kind"), "unknown kind '\(kindName)' (allowed: \(kinds.joined(separator: ", ")))",
          near: kindName, of: kinds)
      }
      let checkNode = fields.node("check")
      do {
        let check = try CheckParser.parse(try fields.text("check"), pattern: pattern, variants: variants)
        if kind == .performance { try check.requireSingleRuns(sweep) }
        claims.append(Claim(says: try fields.text("says"), kind: kind, check: check))
      } catch { throw error.at(checkNode.place) }
    }
    return claims
  }
}

extension Check {
  /// A performance check compares one run with another in each round; over several runs there is no single ratio.
  fileprivate func requireSingleRuns(_ sweep: [(name: String, values: [ParameterValue])]) throws(InputError) {
    for reference in references {
      guard case .variant(let name) = reference.scope else {
        throw InputError("check '\(text)': a performance check compares single variants, not 'all' or 'any'")
      }
      // Only the pattern's own variant knows what it ignores, so a named point is always fine.
      for (swept, _) in sweep where !reference.point.isEmpty && !reference.point.contains(where: { $0.name == swept }) {
        throw InputError("check '\(text)': name the \(swept) as well, as in \(name)[\(swept)=…]")
      }
    }
  }

  /// The figures it refers to.
  public var references: [Reference] {
    func inside(_ operand: Operand) -> [Reference] {
      switch operand {
      case .reference(let reference): [reference]
      case .scaled(_, let inner): inside(inner)
      case .quantity, .cores: []
      }
    }
    return inside(left) + inside(right)
  }
}
