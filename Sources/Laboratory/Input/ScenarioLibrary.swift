import Platform
import Synchronization

/// The scenarios there are: those built in, and any file.
public struct ScenarioLibrary: Sendable {
  private let embedded: [(name: String, text: String)]
  private let patterns: [any Pattern]
  private let files: [(name: String, text: String)]
  private let lessons: LessonCode
  private static let documentsName = "documents.yml"
  /// The longest of the shipped ones has less than 10 KB; what has more than this is something else.
  private static let largestFile = 1 << 20

  /// A library of built-in files: scenarios (`NAME.yml`) on these patterns, the documents whose sentences their claims grade
  /// (`documents.yml`), either with what it says as it was parsed before (`NAME.yml.parsed`) or without, and the patterns' sources
  /// (`.swift`).
  public init(files: [(name: String, text: String)], patterns: [any Pattern]) {
    self.files = files
    lessons = LessonCode(of: files)
    self.patterns = patterns
    let scenarios = files.filter { $0.name.hasSuffix(".yml") && $0.name != Self.documentsName }
      .map { (name: String($0.name.dropLast(4)), text: $0.text) }
    // In the order of the patterns, which is that of their families; a scenario of another name comes behind them.
    let order = patterns.map { type(of: $0).name }
    embedded = scenarios.enumerated().sorted { left, right in
      let (first, second) = (order.firstIndex(of: left.element.name), order.firstIndex(of: right.element.name))
      return (first ?? order.count, left.offset) < (second ?? order.count, right.offset)
    }.map(\.element)
  }

  /// The source of a pattern as it was compiled, by its file's name; nil where the lab was built without it.
  public func source(_ file: String) -> String? { files.first { $0.name == file }?.text }

  private func withCode(_ experiment: Experiment) -> Experiment {
    var experiment = experiment
    for variant in experiment.variants { experiment.code[variant.name] = lessons.code(of: variant) }
    return experiment
  }

  /// The lines of the body of `variant` in its pattern's source; nil where the source is not there.
  public func body(of variant: Variant) -> [String]? { lessons.body(of: variant) }

  /// The documents whose sentences claims grade; nil where there are none.
  ///
  /// - Throws: ``InputError`` when the built-in file is broken.
  public func documents() throws(InputError) -> Documents? {
    guard let file = files.first(where: { $0.name == Self.documentsName }) else { return nil }
    return try Documents(try content(ScenarioFile(place: file.name, patterns: []), file.text))
  }

  /// The names of the built-in scenarios.
  public var names: [String] { embedded.map(\.name) }

  /// The outlines of all built-in scenarios, in their order; without their claims where none is to be shown.
  ///
  /// - Throws: ``InputError`` when a built-in file is broken.
  public func outlines(withClaims: Bool = true) throws(InputError) -> [ScenarioOutline] {
    var outlines: [ScenarioOutline] = []
    for file in embedded {
      let reader = reader(of: file)
      outlines.append(try reader.outline(of: try content(reader, file.text), withClaims: withClaims))
    }
    return outlines
  }

  /// All built-in scenarios; all cores read.
  ///
  /// - Throws: ``InputError`` when a built-in file is broken.
  public func all() throws(InputError) -> [Experiment] {
    let (read, next) = (Read(count: embedded.count), Next())
    let readOn: @Sendable () -> Void = { [self] in
      while case let index = next.index(), index < embedded.count {
        let result = Result { () throws(InputError) in try experiment(embedded[index]) }
        read.results.withLock { $0[index] = result }
      }
    }
    // Threads of its own: Dispatch needs descriptors, of which there may be too few. Without a thread it takes longer.
    let helpers = (1..<max(1, min(Host.cores, 4))).compactMap { _ in try? SystemThread { readOn() } }
    readOn()
    for helper in helpers { helper.join() }
    var experiments: [Experiment] = []
    for case let result? in read.results.withLock({ $0 }) { experiments.append(try result.get()) }
    return experiments
  }

  /// What was made of each file.
  private final class Read: Sendable {
    let results: Mutex<[Result<Experiment, InputError>?]>
    init(count: Int) { results = Mutex(Array(repeating: nil, count: count)) }
  }

  /// Which file is to be read next.
  private final class Next: Sendable {
    private let taken = Atomic<Int>(0)
    func index() -> Int { taken.wrappingAdd(1, ordering: .relaxed).oldValue }
  }

  private func experiment(_ file: (name: String, text: String)) throws(InputError) -> Experiment {
    let reader = reader(of: file)
    return withCode(try reader.experiment(from: try content(reader, file.text)))
  }

  private func reader(of file: (name: String, text: String)) -> ScenarioFile {
    // A test holds that the built-in claims grade sentences that there are; reading the documents for that takes its time.
    ScenarioFile(place: "\(file.name).yml", patterns: patterns)
  }

  /// What a built-in file says: as it was parsed when the lab was built, else, where it was not, parsed now.
  func content(_ reader: ScenarioFile, _ yaml: String) throws(InputError) -> PlacedNode {
    if let parsed = source(reader.place + ShelvedNode.fileEnding), let node = ShelvedNode(parsed) {
      return PlacedNode(node: .shelved(node), file: reader.place, fallbackLine: 1)
    }
    return try reader.compose(yaml)
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
    guard let file = embedded.first(where: { $0.name == name }) else {
      // So many names are no help; the list has their titles, too.
      let hint = names.nearest(to: name) == nil ? " (known: those of `list`, or a path to a .yml file)" : ""
      throw InputError("unknown scenario '\(name)'\(hint)", near: name, of: names)
    }
    return try experiment(file)
  }
}
