import Platform

/// The scenarios there are: those built in, and any file.
public struct ScenarioLibrary: Sendable {
  private let embedded: [(name: String, yaml: [UInt8])]
  private let patterns: [any Pattern]

  /// A library of built-in scenario files, on these patterns.
  public init(embedded: [(name: String, yaml: [UInt8])], patterns: [any Pattern]) {
    self.embedded = embedded
    self.patterns = patterns
  }

  /// The names of the built-in scenarios.
  public var names: [String] { embedded.map(\.name) }

  /// All built-in scenarios.
  ///
  /// - Throws: ``InputError`` when a built-in file is broken.
  public func all() throws(InputError) -> [Experiment] {
    var experiments: [Experiment] = []
    for name in names { experiments.append(try experiment(name)) }
    return experiments
  }

  /// The built-in scenario called `name`, or the one in the file of that path (it has a `/` or ends in `.yml`/`.yaml`).
  ///
  /// - Throws: ``InputError`` when there is none, or the file cannot be read or used.
  public func experiment(_ name: String) throws(InputError) -> Experiment {
    if name.contains("/") || name.hasSuffix(".yml") || name.hasSuffix(".yaml") {
      let bytes: [UInt8]
      do { bytes = try readBytes(name) } catch { throw InputError(error.description) }
      guard bytes.count <= 1 << 20 else { throw InputError("larger than 1 MiB: not a scenario file", at: name) }
      return try ScenarioFile(place: name, patterns: patterns).experiment(from: bytes.text)
    }
    guard let file = embedded.first(where: { $0.name == name }) else {
      throw InputError(
        "unknown scenario '\(name)' (known: \(names.joined(separator: ", ")), or a path to a .yml file)", near: name,
        of: names)
    }
    return try ScenarioFile(place: "\(name).yml", patterns: patterns).experiment(from: file.yaml.text)
  }
}
