import Platform

/// The scenarios there are: those built in, and any file.
public struct ScenarioLibrary: Sendable {
  /// The names of the built-in scenarios, in the order of their families.
  public let names: [String]
  private let patterns: [any Pattern]
  let files: BuiltInFiles
  private let lessons: LessonCode
  /// The longest of the shipped ones has less than 10 KB; what has more than this is something else.
  private static let largestFile = 1 << 20

  /// A library of built-in files: scenarios (`NAME.yml`) on these patterns, the documents whose sentences their claims
  /// grade (`documents.yml`), either with what it says as it was parsed before (`NAME.yml.parsed`) or without, and the
  /// patterns' sources (`.swift`).
  public init(files: [(name: String, text: String)], patterns: [any Pattern]) {
    self.files = BuiltInFiles(files)
    lessons = LessonCode(of: files)
    self.patterns = patterns
    // In the order of the patterns, which is that of their families; a scenario of another name comes behind them.
    let order = patterns.map { type(of: $0).name }
    names = self.files.scenarios.enumerated().sorted { left, right in
      let (first, second) = (order.firstIndex(of: left.element), order.firstIndex(of: right.element))
      return (first ?? order.count, left.offset) < (second ?? order.count, right.offset)
    }.map(\.element)
  }

  /// The source of a pattern as it was compiled, by its file's name; nil where the lab was built without it.
  public func source(_ file: String) -> String? { files.text(file) }

  private func withCode(_ experiment: Experiment) -> Experiment {
    var experiment = experiment
    for variant in experiment.variants { experiment.code[variant.name] = lessons.code(of: variant) }
    return experiment
  }

  /// The lines of the body of `variant` in its pattern's source; nil where the source is not there.
  public func body(of variant: Variant) -> [String]? { lessons.body(of: variant) }

  /// What the code of `variant` names of the lab's without showing it, in the order of the code.
  package func helpers(of variant: Variant) -> [LessonHelper] { lessons.helpers(of: variant) }

  /// The documents whose sentences claims grade; nil where there are none.
  ///
  /// - Throws: ``InputError`` when the built-in file is broken.
  public func documents() throws(InputError) -> Documents? {
    try files.content(BuiltInFiles.documents).map { content throws(InputError) in try Documents(content) }
  }

  /// The outlines of all built-in scenarios, in their order; without their claims where none is to be shown.
  ///
  /// - Throws: ``InputError`` when a built-in file is broken.
  public func outlines(withClaims: Bool = true) throws(InputError) -> [ScenarioOutline] {
    var outlines: [ScenarioOutline] = []
    for name in names {
      guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { continue }
      outlines.append(try reader(of: name).outline(of: content, withClaims: withClaims))
    }
    return outlines
  }

  /// All built-in scenarios; all cores read.
  ///
  /// - Throws: ``InputError`` when a built-in file is broken.
  public func all() throws(InputError) -> [Experiment] {
    let read = onAllCores(names.count) { index in
      Result { () throws(InputError) in try builtIn(names[index]) }
    }
    var experiments: [Experiment] = []
    for result in read { try result.get().map { experiments.append($0) } }
    return experiments
  }

  /// The built-in scenario called `name`; nil for none.
  private func builtIn(_ name: String) throws(InputError) -> Experiment? {
    guard let content = try files.content(name + BuiltInFiles.scenarioEnding) else { return nil }
    return withCode(try reader(of: name).experiment(from: content))
  }

  private func reader(of name: String) -> ScenarioFile {
    // A test holds that the built-in claims grade sentences that there are; reading the documents for that takes its
    // time.
    ScenarioFile(place: name + BuiltInFiles.scenarioEnding, patterns: patterns)
  }

  /// The built-in scenario called `name`, or the one in the file of that path (it has a `/` or ends in `.yml`/`.yaml`).
  ///
  /// - Throws: ``InputError`` when there is none, or the file cannot be read or used.
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
      // So many names are no help; the list has their titles, too.
      let hint = names.nearest(to: name) == nil ? " (known: those of `list`, or a path to a .yml file)" : ""
      throw InputError("unknown scenario '\(name)'\(hint)", near: name, of: names)
    }
    return experiment
  }
}
