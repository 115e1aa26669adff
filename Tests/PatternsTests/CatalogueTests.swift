import Laboratory
import Patterns
import Platform
import Scenarios
import Testing

/// The scenarios, the registry and the files belong together.
@Suite struct CatalogueTests {
  private let library = ScenarioLibrary(embedded: EmbeddedScenarios.files, patterns: Registry.patterns)

  @Test func `every scenario file is embedded`() {
    let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/scenarios"
    for name in library.names { #expect(readFile("\(folder)/\(name).yml") != nil) }
    let manifest = readFile(folder + "/../Package.swift") ?? ""
    for name in library.names { #expect(manifest.contains(".embedInCode(\"\(name).yml\")")) }
    #expect(manifest.split(separator: ".embedInCode(").count - 1 == library.names.count)
  }

  @Test func `every scenario can be read and uses every variant of its pattern`() throws {
    for experiment in try library.all() {
      #expect(experiment.variants == experiment.pattern.variants, "\(experiment.name)")
      #expect(!experiment.lesson.isEmpty && !experiment.source.isEmpty && !experiment.tags.isEmpty)
      #expect(!experiment.claims.isEmpty)
    }
  }

  @Test func `every pattern has a scenario, and names that checks can say`() throws {
    let used = Set(try library.all().map(\.pattern.name))
    for pattern in Registry.patterns {
      #expect(used.contains(pattern.name))
      let names = (pattern.variants.map(\.name), pattern.metrics.map(\.name), pattern.parameters.map(\.name))
      for name in names.0 + names.1 + names.2 {
        #expect(name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(name)")
      }
      #expect(!names.0.contains("all") && !names.0.contains("any") && !names.0.contains("cores"))
      #expect(Set(names.1).isDisjoint(with: Metric.outcomes.map(\.name)))
      #expect(Set(pattern.metrics.compactMap(\.batch)).isSubset(of: names.2))
      for variant in pattern.variants { #expect(variant.ignores.isSubset(of: names.2)) }
    }
  }

  @Test func `quick values are smaller runs of the same`() throws {
    for experiment in try library.all() {
      _ = try experiment.applying(Overrides(quick: true))
      #expect(!experiment.quick.isEmpty, "\(experiment.name)")
    }
  }
}
