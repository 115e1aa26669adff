import Platform

/// The scenarios that can be run: the built-in scenarios, and scenarios in files.
public struct ScenarioLibrary: Sendable {
  /// The names of the built-in scenarios, in the order of their patterns.
  public let names: [String]
  private let patterns: [any Pattern]
  let files: BuiltInFiles
  private let code: VariantCode
  /// The largest accepted size of a scenario file, in bytes. The longest built-in scenario has about 10 KB.
  private static let largestFile = 1 << 20

  /// Creates a library of built-in files.
  ///
  /// - Parameters:
  ///   - files: the scenarios (`NAME.yml`), the documents that their claims refer to (`documents.yml`), and the sources
  ///     of the patterns (`.swift`). For each YAML file, a second file may contain its parsed content
  ///     (`NAME.yml.shelved`).
  ///   - patterns: the patterns of the scenarios.
  public init(files: [(name: String, text: String)], patterns: [any Pattern]) {
    self.files = BuiltInFiles(files)
    code = VariantCode(of: files)
    self.patterns = patterns
    // The scenarios are in the order of their patterns, and the patterns are in the order of their families. Scenarios
    // without the name of a pattern are last.
    let order = patterns.map { type(of: $0).name }
    names = self.files.scenarios.enumerated().sorted { left, right in
      let (first, second) = (order.firstIndex(of: left.element), order.firstIndex(of: right.element))
      return (first ?? order.count, left.offset) < (second ?? order.count, right.offset)
    }.map(\.element)
  }

  /// Returns the source of a pattern by the name of its file; nil if the lab was built without this file.
  public func source(_ file: String) -> String? { files.text(file) }

  private func withCode(_ experiment: Experiment) -> Experiment {
    var experiment = experiment
    for variant in experiment.variants { experiment.code[variant.name] = code.code(of: variant) }
    return experiment
  }

  /// Returns the lines of the body of `variant` in the source of the variant's pattern; nil if the source is missing.
  public func body(of variant: Variant) -> [String]? { code.body(of: variant) }

  /// Returns the helpers of the lab that the code of `variant` names and does not include, in the order of the code.
  package func helpers(of variant: Variant) -> [CodeHelper] { code.helpers(of: variant) }

  /// Returns the documents with the sentences that claims refer to; nil if the lab was built without documents.
  ///
  /// - Throws: ``InputError`` if the built-in file of the documents is not valid.
  public func documents() throws(InputError) -> SourceDocuments? {
    try files.content(BuiltInFiles.documents).map { content throws(InputError) in try SourceDocuments(content) }
  }

  /// Returns the outlines of all built-in scenarios, in the order of ``names``. If `withClaims` is false, the outlines
  /// contain no claims.
  ///
  /// - Throws: ``InputError`` if a built-in file is not valid.
  public func outlines(withClaims: Bool = true) throws(InputError) -> [ScenarioOutline] {
    var outlines: [ScenarioOutline] = []
    for name in names {
      guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { continue }
      outlines.append(try reader(of: name).outline(of: content, withClaims: withClaims))
    }
    return outlines
  }

  /// Returns all built-in scenarios, in the order of ``names``. The files are read on several threads at once.
  ///
  /// - Throws: ``InputError`` if a built-in file is not valid.
  public func all() throws(InputError) -> [Experiment] {
    let read = onAllCores(names.count) { index in
      Result { () throws(InputError) in try builtIn(names[index]) }
    }
    var experiments: [Experiment] = []
    for result in read { try result.get().map { experiments.append($0) } }
    return experiments
  }

  /// Returns the built-in scenario called `name`; nil if no built-in scenario has this name.
  private func builtIn(_ name: String) throws(InputError) -> Experiment? {
    guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { return nil }
    return withCode(try reader(of: name).experiment(from: content))
  }

  private func reader(of name: String) -> ScenarioReader {
    // A test verifies that the sentences in built-in claims exist. Reading the documents at run time would take longer.
    ScenarioReader(place: name + BuiltInFiles.scenarioEnding, patterns: patterns)
  }

  /// Returns the built-in scenario called `name`, or the scenario in the file at the path `name`. A path contains a
  /// `/`, or ends in `.yml` or `.yaml`.
  ///
  /// - Throws: ``InputError`` if the scenario does not exist, or if the file cannot be read or is not valid.
  public func experiment(_ name: String) throws(InputError) -> Experiment {
    if name.contains("/") || name.isScenarioFile {
      let bytes: [UInt8]
      do { bytes = try readBytes(name, atMost: Self.largestFile) } catch { throw InputError(error.description) }
      guard bytes.count <= Self.largestFile else {
        throw InputError("larger than 1 MiB: not a scenario file", at: name)
      }
      return withCode(
        try ScenarioReader(place: name, patterns: patterns, documents: try documents()).experiment(from: bytes.text))
    }
    guard names.contains(name), let experiment = try builtIn(name) else {
      throw unknownScenario(name)
    }
    return experiment
  }

  /// Returns the error about a scenario that does not exist. The error names the scenarios with a variant `name`, the
  /// scenarios that mention `name`, the scenario with a similar name, or the scenarios that mention a variant with a
  /// similar name.
  private func unknownScenario(_ name: String) -> InputError {
    // There are too many names for a message, and `list` also prints their titles.
    var hint = names.nearest(to: name) == nil ? "known: those of `list`, or a path to a .yml file" : ""
    let variant = patterns.flatMap(\.variants).map(\.name).nearest(to: name)
    let scenarios = [scenarios(mentioning: name), variant.map(scenarios(mentioning:)) ?? []].map { $0.abridged(to: 3) }
    let owners = names.filter { (try? builtIn($0))?.variant(name) != nil }
    if !owners.isEmpty {
      hint = "a variant of \(owners.abridged(to: 3))"
    } else if !scenarios[0].isEmpty {
      hint = "mentioned by \(scenarios[0])"
    } else if let variant, !hint.isEmpty, !scenarios[1].isEmpty {
      hint = "did you mean the variant '\(variant)', of \(scenarios[1])?"
    }
    return .unknown("scenario", name, known: names, listing: .text(hint))
  }

  /// Returns the names of the built-in scenarios whose files contain `name` as whole words; `file-descriptors` also
  /// means `file descriptors`. The names are sorted by the number of occurrences before the lesson, such as in the
  /// title, and then by the number of all occurrences, both in descending order.
  public func scenarios(mentioning name: String) -> [String] {
    func words(_ text: Substring) -> [Substring] { text.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
    let lowercased = name.lowercased()
    let sought = words(lowercased[...])
    guard !sought.isEmpty else { return [] }
    func count(_ text: Substring) -> Int {
      let words = words(text)
      return words.indices.count { words[$0...].starts(with: sought) }
    }
    let counts = names.map { name in
      let text = (files.text(name + BuiltInFiles.scenarioEnding) ?? "").lowercased()
      let head = text.prefix(upTo: text.firstRange(of: "\nlesson:")?.lowerBound ?? text.startIndex)
      return (name: name, counts: (count(head), count(text[...])))
    }
    return counts.filter { $0.counts != (0, 0) }.sorted { $0.counts > $1.counts }.map(\.name)
  }
}

extension String {
  /// Whether the path is that of a scenario file: it ends in `.yml` or `.yaml`.
  public var isScenarioFile: Bool { hasSuffix(".yml") || hasSuffix(".yaml") }
}
