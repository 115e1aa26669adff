import Measurement

/// A reader of the claims in a scenario file. The reader throws an error for a check that the scenario's runs cannot
/// answer.
struct ClaimReader {
  let file: ScenarioReader
  let pattern: PatternDescription
  let variants: [Variant]
  let parameters: [String: ParameterValue]
  let sweep: [Sweep]

  static let keys = ["says", "bears", "contradicts", "of", "kind", "check", "for"]

  func claims(_ root: Mapping) throws(InputError) -> [Claim] {
    var claims: [Claim] = []
    for written in try WrittenClaim.all(in: root) { claims.append(try claim(written)) }
    return claims
  }

  private func claim(_ written: WrittenClaim) throws(InputError) -> Claim {
    let fields = written.fields
    try fields.allow(Self.keys)
    if let subject = written.subject { try requireVariant(subject) }
    let kind = try Self.kind(fields)
    let checkNode = fields.node("check")
    do throws(InputError) {
      let check = try Check(parsing: try written.check(), on: pattern, variants: variants)
      guard !check.references.isEmpty else {
        throw InputError("check '\(check.text)': names no figure; expected for example \(variants[0].name).METRIC")
      }
      for reference in check.references {
        try requireMetric(of: reference, "check '\(check.text)'")
        try requirePoint(of: reference, "check '\(check.text)'")
        if kind == .performance { try requireSingleRun(of: reference, "check '\(check.text)'") }
      }
      let (bears, contradicts) = (try sentences(fields, "bears"), try sentences(fields, "contradicts"))
      let isOfLesson = try isOfLesson(fields, bears, contradicts)
      return Claim(
        says: try written.says(), bears: bears, contradicts: contradicts, isOfLesson: isOfLesson, kind: kind,
        check: check)
    } catch { throw error.at(checkNode.place) }
  }

  private func requireVariant(_ subject: WrittenClaim.Subject) throws(InputError) {
    let names = variants.map(\.name)
    guard !names.contains(subject.variant) else { return }
    throw InputError.unknown(
      "variant", subject.variant, at: subject.node.place, known: names, listing: .unlessNear
    ).about("for")
  }

  static func kind(_ fields: Mapping) throws(InputError) -> Claim.Kind {
    let name = try fields.text("kind")
    guard let kind = Claim.Kind(rawValue: name) else {
      throw .unknown(
        "kind", name, at: fields.node("kind").place, known: Claim.Kind.allCases.map(\.rawValue),
        listing: .all(as: "allowed"))
    }
    return kind
  }

  /// Parses `text` as a figure of a single run.
  ///
  /// - Throws: ``InputError`` if `text` is not a figure that a single run of the scenario can have.
  func reference(_ text: String) throws(InputError) -> Check.Reference {
    let reference = try CheckParser.figure(text, pattern: pattern, variants: variants)
    try requireMetric(of: reference, "figure '\(text)'")
    try requirePoint(of: reference, "figure '\(text)'")
    try requireSingleRun(of: reference, "figure '\(text)'")
    return reference
  }

  /// Returns the identifiers of the documents' sentences at `key`. Throws an error for an identifier that is unknown or
  /// appears twice, and for a contradiction of a mere possibility.
  private func sentences(_ fields: Mapping, _ key: String) throws(InputError) -> [String] {
    var names: [String] = []
    for node in try fields.list(key) {
      let name = node.text
      if let documents = file.documents {
        guard let sentence = documents.sentence(name) else {
          throw .unknown(
            "sentence", name, at: node.place, known: documents.sentences.map(\.id),
            listing: .text("see the command documents"))
        }
        if key == "contradicts", sentence.strength == .may {
          throw node.error("'\(name)' states a possibility, which a lack of occurrences does not contradict")
        }
      }
      guard !names.contains(name) else { throw node.error("sentence '\(name)' appears twice") }
      names.append(name)
    }
    return names
  }

  /// Returns whether a claim belongs only to the lesson (`of: lesson`). Throws an error if such a claim supports or
  /// contradicts a sentence, or if a claim supports and contradicts one sentence.
  private func isOfLesson(_ fields: Mapping, _ bears: [String], _ contradicts: [String]) throws(InputError) -> Bool {
    if let name = contradicts.first(where: bears.contains) {
      throw fields.node("contradicts").error("a claim cannot bear out '\(name)' and contradict it")
    }
    guard let whose = try fields.optionalText("of") else { return false }
    guard whose == "lesson" else {
      throw fields.node("of").error("of: found '\(whose)'", near: whose, of: ["lesson"], listing: .all(as: "allowed"))
    }
    guard bears.isEmpty, contradicts.isEmpty else {
      throw fields.node("of").error("a claim of the lesson alone tests no sentence of the documents")
    }
    return true
  }

  /// Throws an error unless a trial can record the figure. A figure that no trial can record is a mistake in the check.
  private func requireMetric(of reference: Check.Reference, _ place: String) throws(InputError) {
    let metric = reference.metric
    let meant = variants.filter { reference.scope.includes($0) }
    guard !meant.contains(where: { $0.canRecord(metric) }) else { return }
    let who = if case .variant(let name) = reference.scope { name } else { "no variant of this scenario" }
    let verb = if case .variant = reference.scope { "does not measure" } else { "measures" }
    let given = meant.flatMap(\.records).map(\.name)
    throw InputError("\(place): \(who) \(verb) '\(metric.name)'", near: metric.name, of: given, listing: .unlessNear)
  }

  /// Throws an error unless the scenario has runs with the settings of the point. No run could answer a check with
  /// other settings.
  private func requirePoint(of reference: Check.Reference, _ place: String) throws(InputError) {
    for wanted in reference.point {
      if let values = sweep.first(where: { $0.name == wanted.name })?.values {
        guard !values.contains(wanted.value) else { continue }
        let swept = values.map { Setting(wanted.name, $0, unit: wanted.unit).valueLabel }
        throw InputError(
          "\(place): no run has \(wanted.label); the sweep has \(swept.joined(separator: ", "))")
      }
      let parameter = pattern.parameter(wanted.name)
      guard let value = parameters[wanted.name] ?? parameter?.standard, value != wanted.value else { continue }
      throw InputError(
        "\(place): no run has \(wanted.label); the value is "
          + Setting(wanted.name, value, unit: wanted.unit).valueLabel)
    }
  }

  /// Throws an error unless the reference includes a single run. A performance check compares one run with another run
  /// in each round. Several runs on one side would have several ratios.
  private func requireSingleRun(of reference: Check.Reference, _ place: String) throws(InputError) {
    guard case .variant(let name) = reference.scope else {
      throw InputError("\(place): a performance check or a conclusion needs single variants, not 'all' or 'any'")
    }
    let affecting = variants.first { $0.name == name }.map { variant in
      sweep.filter { !variant.ignores.contains($0.name) }
    }
    for swept in affecting ?? [] where !reference.point.contains(where: { $0.name == swept.name }) {
      throw InputError("\(place): name the \(swept.name) as well, as in \(name)[\(swept.name)=…]")
    }
  }
}
