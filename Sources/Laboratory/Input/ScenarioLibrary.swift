import Platform

/// The scenarios that can be run: the built-in ones, and any file.
public struct ScenarioLibrary: Sendable {
  /// The names of the built-in scenarios, in the order of their families.
  public let names: [String]
  private let patterns: [any Pattern]
  let files: BuiltInFiles
  private let lessons: LessonCode
  /// The largest number of bytes in a scenario file. The longest built-in scenario has less than 10 KB.
  private static let largestFile = 1 << 20

  /// Creates a library of built-in files: scenarios (`NAME.yml`) on these patterns, the documents whose sentences their
  /// claims grade (`documents.yml`), and the patterns' sources (`.swift`). A YAML file may have its parsed content
  /// beside it (`NAME.yml.parsed`).
  public init(files: [(name: String, text: String)], patterns: [any Pattern]) {
    self.files = BuiltInFiles(files)
    lessons = LessonCode(of: files)
    self.patterns = patterns
    // The scenarios have the order of their patterns, which follows the families. A scenario with another name comes
    // last.
    let order = patterns.map { type(of: $0).name }
    names = self.files.scenarios.enumerated().sorted { left, right in
      let (first, second) = (order.firstIndex(of: left.element), order.firstIndex(of: right.element))
      return (first ?? order.count, left.offset) < (second ?? order.count, right.offset)
    }.map(\.element)
  }

  /// Returns the source of a pattern as it was compiled, by the name of its file; nil if the lab was built without it.
  public func source(_ file: String) -> String? { files.text(file) }

  private func withCode(_ experiment: Experiment) -> Experiment {
    var experiment = experiment
    for variant in experiment.variants { experiment.code[variant.name] = lessons.code(of: variant) }
    return experiment
  }

  /// Returns the lines of the body of `variant` in its pattern's source; nil if the source is missing.
  public func body(of variant: Variant) -> [String]? { lessons.body(of: variant) }

  /// Returns the helpers of the lab that the code of `variant` names without showing them, in the order of the code.
  package func helpers(of variant: Variant) -> [LessonHelper] { lessons.helpers(of: variant) }

  /// Returns the documents whose sentences claims grade; nil if there are none.
  ///
  /// - Throws: ``InputError`` if the built-in file is broken.
  public func documents() throws(InputError) -> Documents? {
    try files.content(BuiltInFiles.documents).map { content throws(InputError) in try Documents(content) }
  }

  /// Returns the outlines of all built-in scenarios, in their order. The claims are left out if they are not needed.
  ///
  /// - Throws: ``InputError`` if a built-in file is broken.
  public func outlines(withClaims: Bool = true) throws(InputError) -> [ScenarioOutline] {
    var outlines: [ScenarioOutline] = []
    for name in names {
      guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { continue }
      outlines.append(try reader(of: name).outline(of: content, withClaims: withClaims))
    }
    return outlines
  }

  /// Returns all built-in scenarios, which are read on all cores.
  ///
  /// - Throws: ``InputError`` if a built-in file is broken.
  public func all() throws(InputError) -> [Experiment] {
    let read = onAllCores(names.count) { index in
      Result { () throws(InputError) in try builtIn(names[index]) }
    }
    var experiments: [Experiment] = []
    for result in read { try result.get().map { experiments.append($0) } }
    return experiments
  }

  /// Returns the built-in scenario called `name`; nil if there is none.
  private func builtIn(_ name: String) throws(InputError) -> Experiment? {
    guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { return nil }
    return withCode(try reader(of: name).experiment(from: content))
  }

  private func reader(of name: String) -> ScenarioFile {
    // A test verifies that the sentences of built-in claims exist. Reading the documents for that takes time.
    ScenarioFile(place: name + BuiltInFiles.scenarioEnding, patterns: patterns)
  }

  /// Returns the built-in scenario called `name`, or the one in the file of that path (with a `/`, or ending in `.yml`
  /// or `.yaml`).
  ///
  /// - Throws: ``InputError`` if there is none, or if the file cannot be read or used.
  public func experiment(_ name: String) throws(InputError) -> Experiment {
    if name.contains("/") || name.hasSuffix(".yml") || name.hasSuffix(".yaml") {
      let bytes: [UInt8]
      do { bytes = try readBytes(name, atMost: Self.largestFile) } catch { throw InputError(error.description) }
      guard bytes.count <= Self.largestFile else {
        throw InputError("larger than 1 MiB: not a scenario file", at: name)
      }
      return withCode(
        try ScenarioFile(place: name, patterns: patterns, documents: try documents()).experiment(from: bytes.text))
    }
    guard names.contains(name), let experiment = try builtIn(name) else {
      // There are too many names to list here, and `list` also has their titles.
      let hint = names.nearest(to: name) == nil ? " (known: those of `list`, or a path to a .yml file)" : ""
      throw InputError("unknown scenario '\(name)'\(hint)", near: name, of: names)
    }
    return experiment
  }
}
