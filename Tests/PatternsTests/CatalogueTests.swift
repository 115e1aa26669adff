import Laboratory
import Platform
import Testing

@testable import Patterns

/// Patterns, their sources, their scenarios and the documents belong together.
@Suite struct CatalogueTests {
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
  private let library = ScenarioLibrary(files: Catalogue.files, patterns: Catalogue.patterns)

  @Test func `every scenario file of the folder is built in, word for word`() throws {
    let names = try #require(namesInDirectory(Self.root + "/scenarios")).filter { $0.hasSuffix(".yml") }.sorted()
    #expect(Catalogue.files.map(\.name).filter { $0.hasSuffix(".yml") }.sorted() == names)
    for name in names {
      #expect(Catalogue.files.first { $0.name == name }?.text == readFile("\(Self.root)/scenarios/\(name)"), "\(name)")
    }
  }

  @Test func `every scenario can be read, has a lesson, claims, a conclusion and a quick form`() throws {
    for experiment in try library.all() {
      #expect(
        !experiment.lesson.isEmpty && !experiment.source.isEmpty && !experiment.tags.isEmpty, "\(experiment.name)")
      #expect(!experiment.claims.isEmpty && !experiment.quick.isEmpty, "\(experiment.name)")
      #expect(!experiment.conclusions.isEmpty, "\(experiment.name)")
      _ = try experiment.applying(Overrides(quick: true))
    }
  }

  @Test func `every pattern has a scenario of its name that uses all its variants`() throws {
    for pattern in Catalogue.patterns {
      let experiment = try library.experiment(type(of: pattern).name)
      #expect(experiment.pattern.name == type(of: pattern).name)
      #expect(experiment.variants == experiment.pattern.variants, "\(experiment.name)")
    }
  }

  /// So that a reader of the code finds what a scenario speaks of.
  @Test func `what a pattern declares is named as its property is`() {
    for pattern in Catalogue.patterns {
      for child in Mirror(reflecting: pattern).children {
        guard let declaration = child.value as? any Declaration, let label = child.label else { continue }
        let names = declaration.metrics.map(\.name) + [declaration.parameter?.name].compactMap(\.self)
        let isFamily = declaration.metrics.count > 1
        #expect(isFamily || names == [label.kebabCase], "\(type(of: pattern)).\(label)")
      }
    }
  }

  /// `explain --code` cuts a variant's body out of the text that was shelved when the same text was compiled.
  @Test func `the code that is shown is the code that was compiled`() throws {
    for pattern in Catalogue.patterns {
      let description = try PatternDescription(pattern)
      for variant in description.variants {
        let shelved = try #require(library.source(variant.place.fileName))
        let folder = try #require(
          namesInDirectory(Self.root + "/Sources/Patterns")?.first { folder in
            readFile("\(Self.root)/Sources/Patterns/\(folder)/\(variant.place.fileName)") != nil
          })
        #expect(shelved == readFile("\(Self.root)/Sources/Patterns/\(folder)/\(variant.place.fileName)"))
        let lines = shelved.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // A declaration that does not fit into a line has its name in the second.
        let head = lines[(variant.place.line - 1)...].prefix(2)
        #expect(head.contains { $0.contains("\"\(variant.name)\"") }, "\(head)")
        let code = try #require(library.code(of: variant), "\(description.name) \(variant.name)")
        let body = lines[(variant.place.line - 1)...].drop { !$0.hasSuffix(" in") }.dropFirst()
        #expect(!code.isEmpty && code.map(\.trimmed) == body.prefix(code.count).map(\.trimmed))
        #expect(body.dropFirst(code.count).first?.trimmed == "}", "\(code)")
      }
    }
  }

  @Test func `every sentence is graded by a claim, has a reason why not, or awaits a scenario`() throws {
    let documents = try #require(try library.documents())
    let graded = Set(try library.all().flatMap { $0.claims.flatMap(\.grades) })
    let names = library.names
    for sentence in documents.sentences {
      let isOpen = sentence.reason != nil || !sentence.awaits.isEmpty
      #expect(graded.contains(sentence.id) != isOpen, "\(sentence.place): \(sentence.id)")
      for awaited in sentence.awaits { #expect(!names.contains(awaited), "\(sentence.place): \(awaited) is there") }
    }
    for id in graded { #expect(documents.sentence(id) != nil, "\(id) is graded, but no sentence of the documents") }
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }

  /// `pollInterval` as `poll-interval`.
  fileprivate var kebabCase: String {
    reduce(into: "") { text, character in
      text += character.isUppercase || character.isNumber && text.last?.isNumber != true ? "-" : ""
      text += character.lowercased()
    }
  }
}
