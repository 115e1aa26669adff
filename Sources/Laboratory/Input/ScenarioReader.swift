import Measurement

/// A reader that creates an ``Experiment`` from a scenario file, and checks every name and value against the pattern
/// that the file names.
public struct ScenarioReader {
  /// The name of the file, as errors show it.
  public let place: String
  /// The patterns that the file may refer to.
  public let patterns: [any Pattern]
  /// The documents with the sentences that claims may refer to; nil to accept any identifier of a sentence.
  public let documents: SourceDocuments?

  /// The keys that a scenario file may have.
  static let keys = [
    "scenario", "pattern", "title", "source", "lesson", "tags", "parameters", "variants", "sweep", "baseline", "show",
    "claims", "conclusions", "quick", "trace",
  ]

  /// Creates a reader of a file. Errors call the file `place`.
  public init(place: String, patterns: [any Pattern], documents: SourceDocuments? = nil) {
    self.place = place
    self.patterns = patterns
    self.documents = documents
  }

  /// Returns the experiment that the text of the file describes.
  ///
  /// - Throws: ``InputError`` with the file and the line, if the text is not valid; the error describes the text that
  ///   was found and the text that was expected, and suggests the nearest name.
  public func experiment(from yaml: String) throws(InputError) -> Experiment {
    try experiment(from: try PlacedNode(yaml: yaml, place: place))
  }

  /// Returns the experiment that the parsed content of the file describes.
  func experiment(from content: PlacedNode) throws(InputError) -> Experiment {
    let root = try Mapping(content, "a scenario file")
    try root.allow(Self.keys)
    let name = try root.text("scenario")
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }) else {
      throw root.node("scenario").error("scenario: '\(name)' may have only letters, digits, '-' and '_'")
    }
    let pattern = try PatternDescription(try pattern(of: root))
    let parameters = try settings(root, "parameters", pattern)
    let variants = try variants(root, pattern)
    let sweep = try sweep(root, "sweep", pattern)
    for swept in sweep where parameters[swept.name] != nil {
      throw root.node("sweep").error("'\(swept.name)' is both a parameter and swept")
    }
    for swept in sweep where pattern.parameter(swept.name)?.isNumber == true {
      for case .text(let name) in swept.values where sweep.contains(where: { $0.name == name }) {
        throw root.node("sweep").error("'\(swept.name)' has the value of '\(name)', which is swept itself")
      }
    }
    let reader = ClaimReader(
      file: self, pattern: pattern, variants: variants, parameters: parameters, sweep: sweep)
    let claims = try reader.claims(root)
    let conclusions = try ConclusionReader(reader: reader, claims: claims).conclusions(root)
    return Experiment(
      name: name, pattern: pattern, title: try root.text("title"), source: try root.optionalText("source") ?? "",
      lesson: try root.optionalText("lesson") ?? "", tags: try root.list("tags").map { node in node.text },
      parameters: parameters, variants: variants, sweep: sweep, baseline: try baseline(root, variants),
      show: try show(root, pattern), claims: claims,
      conclusions: conclusions, quick: try settings(root, "quick", pattern),
      trace: try self.sweep(root, "trace", pattern))
  }

  func pattern(of root: Mapping) throws(InputError) -> any Pattern {
    let name = try root.text("pattern")
    guard let pattern = patterns.first(where: { type(of: $0).name == name }) else {
      throw .unknown(
        "pattern", name, at: root.node("pattern").place, known: patterns.map { type(of: $0).name },
        listing: .unlessNear)
    }
    return pattern
  }

  private func settings(_ root: Mapping, _ key: String, _ pattern: PatternDescription) throws(InputError)
    -> [String: ParameterValue]
  {
    var values: [String: ParameterValue] = [:]
    for entry in try root.entries(key) {
      values[entry.key] = try value(entry.value, of: try parameter(entry, pattern))
    }
    return values
  }

  private func parameter(_ entry: Mapping.Entry, _ pattern: PatternDescription) throws(InputError) -> Parameter {
    do { return try pattern.knownParameter(entry.key) } catch { throw error.at(entry.value.place) }
  }

  private func value(_ node: PlacedNode, of parameter: Parameter) throws(InputError) -> ParameterValue {
    do { return try parameter.value(parsing: try node.scalar(parameter.name)) } catch { throw error.at(node.place) }
  }

  private func point(_ node: PlacedNode, of parameter: Parameter, _ pattern: PatternDescription) throws(InputError)
    -> ParameterValue
  {
    do { return try pattern.pointValue(try node.scalar(parameter.name), of: parameter) } catch {
      throw error.at(node.place)
    }
  }

  private func variants(_ root: Mapping, _ pattern: PatternDescription) throws(InputError) -> [Variant] {
    let nodes = try root.list("variants")
    guard !nodes.isEmpty else { return pattern.variants }
    var variants: [Variant] = []
    for node in nodes {
      guard let variant = pattern.variant(node.text) else {
        throw .unknown(
          "variant", node.text, of: pattern.name, at: node.place, known: pattern.variants.map(\.name),
          listing: .unlessNear)
      }
      guard !variants.contains(variant) else { throw node.error("variant '\(node.text)' is listed twice") }
      variants.append(variant)
    }
    return variants
  }

  private func sweep(_ root: Mapping, _ key: String, _ pattern: PatternDescription) throws(InputError) -> [Sweep] {
    var sweep: [Sweep] = []
    for entry in try root.entries(key) {
      let parameter = try parameter(entry, pattern)
      // The value is a range in the form of `compare`: 1..64:x4.
      if let range = entry.value.node.scalar, range.contains("..") {
        do { sweep.append(try SweepParser(pattern).sweep("\(entry.key)=\(range)")) } catch {
          throw error.at(entry.value.place)
        }
        continue
      }
      let nodes = entry.value.node.scalar == nil || key == "sweep" ? try entry.value.list(entry.key) : [entry.value]
      guard !nodes.isEmpty else { throw entry.value.error("\(key) of '\(entry.key)' has no values") }
      var values: [ParameterValue] = []
      for node in nodes {
        let value = try point(node, of: parameter, pattern)
        guard !values.contains(value) else { throw node.error("\(key) of '\(entry.key)' has '\(node.text)' twice") }
        values.append(value)
      }
      sweep.append(Sweep(entry.key, values))
    }
    return sweep
  }

  private func baseline(_ root: Mapping, _ variants: [Variant]) throws(InputError) -> String? {
    guard let name = try root.optionalText("baseline") else { return nil }
    guard variants.contains(where: { $0.name == name }) else {
      throw root.node("baseline").error(
        "baseline '\(name)' is not one of the variants", near: name, of: variants.map(\.name), listing: .unlessNear)
    }
    return name
  }

  private func show(_ root: Mapping, _ pattern: PatternDescription) throws(InputError) -> [String] {
    let nodes = try root.list("show")
    for node in nodes where pattern.metric(node.text) == nil {
      throw .unknown(
        "metric", node.text, of: pattern.name, at: node.place, known: pattern.metrics.map(\.name),
        listing: .unlessNear)
    }
    return nodes.isEmpty ? pattern.metrics.map(\.name) : nodes.map(\.text)
  }
}
