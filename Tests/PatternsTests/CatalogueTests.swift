import Instruments
import LabTesting
import Testing

@testable import Laboratory
@testable import Patterns
@testable import Reporting

/// Tests that the patterns, their sources, their scenarios and the documents are consistent.
@Suite struct CatalogueTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  private let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)

  @Test func `every scenario file of the folder is built in unchanged`() throws {
    let names = try #require(namesInDirectory(Self.root + "/scenarios")).filter { $0.hasSuffix(".yml") }.sorted()
    #expect(Catalogue.files.map(\.name).filter { $0.hasSuffix(".yml") }.sorted() == names)
    for name in names {
      #expect(Catalogue.files.first { $0.name == name }?.text == readFile("\(Self.root)/scenarios/\(name)"), "\(name)")
    }
  }

  @Test func `every scenario has a lesson, a source, tags, claims, conclusions and a quick form`() throws {
    for experiment in try library.all() {
      #expect(
        !experiment.lesson.isEmpty && !experiment.source.isEmpty && !experiment.tags.isEmpty, "\(experiment.name)")
      #expect(!experiment.claims.isEmpty && !experiment.quick.isEmpty, "\(experiment.name)")
      #expect(!experiment.conclusions.isEmpty, "\(experiment.name)")
      _ = try experiment.applying(Overrides(quick: true))
    }
  }

  /// `list` and `documents` read only the outlines.
  @Test func `the outlines agree with the scenarios`() throws {
    let (outlines, whole) = (try library.outlines(), try library.all())
    #expect(outlines.count == whole.count && !whole.isEmpty)
    for (outline, all) in zip(outlines, whole) {
      #expect(outline.name == all.name && type(of: outline.pattern).name == all.pattern.name)
      #expect(outline.title == all.title && outline.tags == all.tags, "\(all.name)")
      #expect(outline.claims == ScenarioOutline(all).claims, "\(all.name)")
    }
  }

  @Test func `the content that was parsed during the build equals that of the files, line by line`() throws {
    for (name, text) in Catalogue.files where name.hasSuffix(".yml") {
      guard let content = try library.files.content(name), case .shelved = content.node else {
        Issue.record("\(name) is parsed when it is read")
        continue
      }
      #expect(Self.lines(content.node) == Self.lines(try PlacedNode(yaml: text, place: name).node))
    }
  }

  /// Returns one line for each node of a file.
  private static func lines(_ node: FileNode) -> [String] {
    let start = "line \(node.line ?? 0)"
    if let text = node.scalar { return ["\(start): \(text)"] }
    if let items = node.items { return ["\(start): \(items.count) items"] + items.flatMap(lines) }
    let pairs = node.pairs ?? []
    return ["\(start): \(pairs.count) keys"] + pairs.flatMap { lines($0.key) + lines($0.value) }
  }

  /// `list` and `documents` are fast because they read only outlines. The test does not measure the speed, but makes
  /// the other parts unreadable.
  @Test func `outlines are read without parsing the built-in files or describing the patterns`() throws {
    let unreadable = Catalogue.files.map { ($0.name, $0.name.hasSuffix(".yml") ? "{" : $0.text) }
    let library = ScenarioLibrary(files: unreadable, patterns: Catalogue.patterns)
    #expect(try library.outlines().count == library.names.count)
    #expect(try library.documents()?.sentences.isEmpty == false)
    #expect(try library.all().count == library.names.count)
    // Another lab may be built without parsed files.
    let unparsed = ScenarioLibrary(
      files: unreadable.filter { !$0.0.hasSuffix(".shelved") }, patterns: Catalogue.patterns)
    #expect(throws: InputError.self) { try unparsed.outlines() }
    struct Twice: Pattern {
      static let name = "queue-order"
      let one = Metric.count("one", "a")
      let other = Metric.count("one", "b")
      var variants: [Variant] { Variant("way", .documented, "does it") { _ in } }
    }
    let twice = ScenarioLibrary(
      files: Catalogue.files.filter { $0.name.hasPrefix("queue-order.") }, patterns: [Twice()])
    #expect(try twice.outlines().map(\.name) == ["queue-order"])
    #expect(throws: InputError.self) { try twice.all() }
  }

  @Test func `every pattern has a scenario with its name and all its variants`() throws {
    for pattern in Catalogue.patterns {
      let experiment = try library.experiment(type(of: pattern).name)
      #expect(experiment.pattern.name == type(of: pattern).name)
      #expect(experiment.variants == experiment.pattern.variants, "\(experiment.name)")
    }
  }

  @Test func `the first tag of a scenario is the folder of its pattern`() throws {
    for experiment in try library.all() {
      let folder = try Self.folder(of: try #require(experiment.variants.first).place.fileName)
      let tag = ["EventSources": "sources", "SwiftConcurrency": "swift"][folder] ?? folder.lowercased()
      #expect(experiment.tags.first == tag, "\(experiment.name)")
    }
  }

  /// Returns the folder of the patterns that contains `file`.
  private static func folder(of file: String) throws -> String {
    let folders = try #require(namesInDirectory(root + "/Sources/Patterns"))
    return try #require(folders.first { readFile("\(root)/Sources/Patterns/\($0)/\(file)") != nil })
  }

  @Test func `the longest time of a trial includes every setting for which it waits repeatedly`() throws {
    func longest(
      _ variant: String, of pattern: any Pattern, _ settings: [String: ParameterValue]
    ) throws -> Duration {
      let trial = Trial(variant: variant, parameters: settings, work: Machine.test.work, cores: 2)
      let described = try PatternDescription(pattern)
      return try #require(described.variant(variant)).longestTime(of: trial, in: described)
    }
    let second = ParameterValue.integer(1_000_000_000)
    #expect(
      try longest("private-queues", of: QueuePoolPattern(), ["tasks": .integer(2000), "pause": second])
        >= .seconds(2000))
    #expect(
      try longest("never-submitted", of: WorkItem(), ["items": .integer(1000), "patience": second]) >= .seconds(2002))
    #expect(try longest("lock-in-global-queue", of: ThreadExplosion(), ["hold": second]) == .seconds(14))
  }

  /// The test ensures that a reader of the code finds the settings and metrics of a scenario.
  @Test func `a declared setting or metric has the name of its property`() {
    for pattern in Catalogue.patterns {
      for child in Mirror(reflecting: pattern).children {
        guard let declaration = child.value as? any Declaration, let label = child.label else { continue }
        let names = declaration.metrics.map(\.name) + [declaration.parameter?.name].compactMap(\.self)
        let isFamily = declaration.metrics.count > 1
        #expect(isFamily || names == [label.kebabCase], "\(type(of: pattern)).\(label)")
      }
    }
  }

  /// `explain --code` takes the body of a variant from the text that was shelved when the same text was compiled.
  @Test func `the code that is shown for a variant is the compiled code`() throws {
    let variants = try Catalogue.patterns.flatMap { try PatternDescription($0).variants }
    for (file, variants) in Dictionary(grouping: variants, by: \.place.fileName) {
      let shelved = try #require(library.source(file))
      #expect(shelved == readFile("\(Self.root)/Sources/Patterns/\(try Self.folder(of: file))/\(file)"))
      let lines = shelved.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for variant in variants {
        // A declaration that does not fit into a line contains its name on the second line.
        let head = lines[(variant.place.line - 1)...].prefix(2)
        #expect(head.contains { $0.contains("\"\(variant.name)\"") }, "\(head)")
        var code = try #require(library.body(of: variant), "\(file): \(variant.name)")
        let body = lines[(variant.place.line - 1)...].drop { !$0.hasSuffix(" in") }.dropFirst()
        // The body is enclosed by the name of the probe and the arguments.
        if variant.declarations != nil, code.first?.trimmed != body.first?.trimmed {
          code = Array(code.dropFirst().dropLast())
        }
        #expect(!code.isEmpty && code.map(\.trimmed) == body.prefix(code.count).map(\.trimmed), "\(variant.name)")
        #expect(body.dropFirst(code.count).first?.trimmed == "}", "\(code)")
      }
    }
  }

  @Test func `the instruments that a variant names are shown below its body`() throws {
    for pattern in Catalogue.patterns {
      let experiment = try library.experiment(type(of: pattern).name)
      for variant in experiment.variants {
        let code = try #require(experiment.code[variant.name]).joined(separator: "\n")
        for name in variant.shows { #expect(code.contains("class \(name)") || code.contains("enum \(name)")) }
      }
    }
    for (name, variant, declaration) in [
      ("queue-pool", "pool", "class DispatchQueuePool"), ("file-monitor", "source", "final class FileMonitor"),
      ("process-monitor", "child-exit", "final class ProcessMonitor"), ("main-queue", "main-loop", "enum MainThread"),
    ] {
      let code = try #require(try library.experiment(name).code[variant]).joined(separator: "\n")
      #expect(code.contains(declaration), "\(name) \(variant)")
    }
    // `Thread` is the system's type, and an executor in the body is not the instrument of that name.
    for (name, variant, declaration) in [
      ("apply-stride", "threads", "struct SystemThread"), ("pool-starvation", "own-executor", "SerialExecutor"),
    ] {
      let code = try #require(try library.experiment(name).code[variant]).joined(separator: "\n")
      #expect(!code.contains(declaration), "\(name) \(variant)")
    }
  }

  /// The test ensures that a reader of a lesson need not open the file with the measuring code.
  @Test func `every helper in shown code is explained below the code`() throws {
    let unexplained = try Self.unexplained(in: Catalogue.files)
    #expect(unexplained == [])
    let summary = """
      /// A probe that writes bytes to a pipe, and checks whether the handler's queue is blocked while no more bytes are
        /// written.
      """
    let files = Catalogue.files.map { ($0.name, $0.text.replacing(summary, with: "// Nothing.")) }
    #expect(try Self.unexplained(in: files) == ["descriptor-read blocking-descriptor: readSilence"])
    for (name, variant, helper) in [
      ("library-load", "documented", "measureEarly"), ("work-item", "cancel-checked", "WeakWorkItem"),
      ("thread-explosion", "bystander", "recordBystandersAlone"), ("singleton-race", "barrier", "row.each"),
      ("source-lifecycle", "starts-suspended", "life.look"), ("queue-deadlock", "apply-on-own-queue", "trial.hazard"),
    ] {
      let code = try #require(try library.experiment(name).code[variant])
      #expect(code.contains { $0.hasPrefix("// \(helper): ") }, "\(name) \(variant)")
    }
  }

  /// Returns the helpers of all lessons whose explanation is missing or depends on another explanation.
  private static func unexplained(in files: [(name: String, text: String)]) throws -> [String] {
    let library = ScenarioLibrary(files: files, patterns: Catalogue.patterns)
    return try Catalogue.patterns.flatMap { pattern in
      let description = try PatternDescription(pattern)
      return description.variants.flatMap { variant in
        library.helpers(of: variant).filter { helper in
          guard let summary = helper.summary else { return true }
          return ["It ", "So ", "The same", "That ", "This ", "They "].contains { summary.hasPrefix($0) }
        }.map { "\(description.name) \(variant.name): \($0.name)" }
      }
    }
  }

  /// A difference between variants must be part of the variant. Otherwise a renamed variant silently takes the wrong
  /// branch.
  @Test func `no measuring code depends on the name of its variant`() {
    for file in Catalogue.files where file.name.hasSuffix(".swift") && file.name != "Trial.swift" {
      for question in ["trial.variant ==", "trial.variant !=", "contains(trial.variant)", "switch trial.variant"] {
        #expect(!file.text.contains(question), "\(file.name)")
      }
    }
  }

  /// A JUnit file, a list of changes and the index display each claim without the others.
  @Test func `every claim is clear by itself, and either tests a sentence or belongs to the lesson`() throws {
    let leaning = ["So", "Nor", "It", "That", "This", "Neither", "They", "Those", "These"]
    for experiment in try library.all() {
      for claim in experiment.claims {
        let first = claim.says.prefix { $0.isLetter }
        #expect(
          !leaning.contains(String(first)) && !claim.says.hasPrefix("The same"), "\(experiment.name): \(claim.says)")
        #expect(claim.sentenceIDs.isEmpty == claim.isOfLesson, "\(experiment.name): \(claim.says)")
      }
    }
  }

  @Test func `conclusions mention only properties that their claims measure`() throws {
    func words(_ conclusion: Conclusion) -> String {
      conclusion.parts.map { part in if case .text(let text) = part { text } else { "" } }.joined()
    }
    let locks = try library.experiment("queue-vs-lock").conclusions.filter { words($0).contains("Use a Mutex") }
    #expect(!locks.isEmpty && locks.allSatisfy { !words($0).contains("pthread") })
    // A Mutex is slow if many threads contend.
    #expect(locks.allSatisfy { words($0).contains("few threads contend") && words($0).contains("lock-scaling") })
    #expect(locks.flatMap(\.conditions).allSatisfy { !String(describing: $0.check).contains("pthread") })
    // The conclusion contains a figure of the table, and not only a sentence.
    let targets = try #require(try library.experiment("target-queues").conclusions.first)
    #expect(targets.parts.contains { part in if case .figure = part { true } else { false } })
    // At most as many tasks as the pool has threads wait for the semaphore.
    #expect(
      try library.experiment("fd-semaphore").lesson.contains("Dispatch's pool stops at \(ThreadPool.limit) threads"))
    #expect(try library.experiment("fd-semaphore").conclusions.contains { words($0).contains("never binds") })
    // The throughput is not displayed beside the wait of one entry, which looks like the same figure.
    #expect(try library.experiment("lock-scaling").show.prefix(2) == ["per-entry", "longest-run"])
  }

  /// The words that the lab once used instead of the terms in docs/glossary.md.
  private static let ownWords = [
    "class of service", "stranger", "strangers", "news", "whom", "told", "tells", "hears", "heard", "goes past",
    "went past", "gets past", "walks in", "walked in", "lets in", "let in", "keeps out", "held up", "holds up",
    "hold up", "somebody", "nobody", "one's own", "comes to", "in vain", "sends itself", "just once", "leaver",
  ]

  @Test func `titles, claims, conclusions, metrics and variants use the field's standard terms`() throws {
    for experiment in try library.all() {
      let conclusions = experiment.conclusions.flatMap(\.parts).map { part in
        if case .text(let text) = part { text } else { "" }
      }
      let sentences =
        [experiment.title] + experiment.claims.map(\.says) + conclusions
        + experiment.pattern.variants.map(\.summary) + experiment.pattern.metrics.map(\.summary)
        + experiment.pattern.parameters.map(\.summary)
      for sentence in sentences {
        let letters = sentence.lowercased().map { $0.isLetter || $0 == "'" ? $0 : " " as Character }
        let words = " " + String(letters) + " "
        for word in Self.ownWords {
          #expect(!words.contains(" \(word) "), "\(experiment.name): '\(word)' in: \(sentence)")
        }
      }
    }
  }

  @Test func `every sentence has claims that test it, or a reason why it cannot be tested`() throws {
    let documents = try #require(try library.documents())
    let tested = Set(try library.all().flatMap { $0.claims.flatMap(\.sentenceIDs) })
    for sentence in documents.sentences {
      #expect(tested.contains(sentence.id) == (sentence.reason == nil), "\(sentence.line): \(sentence.id)")
    }
    for id in tested { #expect(documents.sentence(id) != nil, "\(id) is tested, but is not in the documents") }
    for experiment in try library.all() {
      // With the documents, the reader of a scenario file refuses a claim on a sentence that cannot have claims.
      let text = try #require(Catalogue.files.first { $0.name == "\(experiment.name).yml" }).text
      _ = try ScenarioReader(place: experiment.name, patterns: Catalogue.patterns, documents: documents)
        .experiment(from: text)
    }
  }

  @Test func `the page of sentences lists every sentence of the documents`() throws {
    let documents = try #require(try library.documents())
    let page = try #require(readFile("\(Self.root)/docs/sentences.md"))
    let listed = page.split(separator: "\n").compactMap { line in
      line.hasPrefix("| ") ? line.dropFirst(2).prefix { $0 != " " } : nil
    }.filter { $0.contains(".") }
    #expect(listed.map(String.init) == documents.sentences.map(\.id), "make sentences updates the list")
  }

  /// A sentence is borne out if the verdicts on all its claims are as the document states. Any single red guarantee or
  /// anomaly must change this standing. Otherwise, the claim would be meaningless.
  @Test func `every claim affects the standing of its sentence`() throws {
    let documents = try #require(try library.documents())
    let claims = try library.all().flatMap(\.claims)
    for sentence in documents.sentences {
      guard let strength = sentence.strength else { continue }
      let own = claims.filter { $0.sentenceIDs.contains(sentence.id) }
      func opinions(red: Int?) -> [ClaimOpinion] {
        own.enumerated().map { index, claim in
          let contradicts = claim.contradicts.contains(sentence.id)
          let judgement = Self.judged(claim, isTrue: contradicts == (index == red))
          return ClaimOpinion(ClaimFacts(judgement), strength, contradicts: contradicts)
        }
      }
      let whole = sentence.standing(opinions(red: nil), on: nil)
      // A sentence about all runs that was tried in one configuration is not fully borne out.
      let best: SentenceStanding =
        sentence.byConstruction != nil
        ? .byConstruction
        : sentence.byInference != nil
          ? .byInference : strength == .always && sentence.conditions.count < 2 ? .inOneConfiguration : .borneOut
      #expect(whole == best, "\(sentence.id): \(whole)")
      for (index, claim) in own.enumerated() where claim.kind != .performance {
        let changed = sentence.standing(opinions(red: index), on: nil)
        #expect(changed != whole, "\(sentence.id): \(claim.check.text) does not affect the standing")
      }
    }
  }

  private static func judged(_ claim: Claim, isTrue: Bool) -> Judgement {
    let verdict: Verdict =
      switch claim.kind {
      case .guarantee: isTrue ? .held : .violated
      case .anomaly: isTrue ? .witnessed : .notWitnessed
      case .performance: isTrue ? .supported : .refuted
      }
    return Judgement(claim: claim, verdict: verdict, evidence: Evidence(trials: 10, met: isTrue ? 10 : 0))
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }

  /// The name with hyphens: `poll-interval` for `pollInterval`.
  fileprivate var kebabCase: String {
    reduce(into: "") { text, character in
      text += character.isUppercase || character.isNumber && text.last?.isNumber != true ? "-" : ""
      text += character.lowercased()
    }
  }
}
