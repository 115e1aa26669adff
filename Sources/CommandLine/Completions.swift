import Laboratory
import Platform

/// What a shell may complete, from the scenario that the line so far names.
enum Completions {
  /// The scenario among the words of a line.
  private static func experiment(_ words: [String]) -> Experiment? {
    let names = Lab.library.names
    return words.first { names.contains($0) || $0.hasSuffix(".yml") }.flatMap { try? Lab.library.experiment($0) }
  }

  /// `name=` of each parameter.
  static func settings(_ words: [String]) -> [String] {
    experiment(words)?.pattern.parameters.map { $0.name + "=" } ?? []
  }

  /// The variants of the scenario.
  static func variants(_ words: [String]) -> [String] { experiment(words)?.variants.map(\.name) ?? [] }

  /// The metrics of the scenario.
  static func metrics(_ words: [String]) -> [String] { experiment(words)?.pattern.metrics.map(\.name) ?? [] }

  /// The names of scenarios, and the scenario files of the working directory.
  static var scenarios: [String] {
    Lab.library.names + (namesInDirectory(".") ?? []).filter { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") }.sorted()
  }

  /// Tags, and the names of scenarios.
  static var tags: [String] {
    let experiments = (try? Lab.library.all(.headings)) ?? []
    return Set(experiments.flatMap(\.tags)).sorted() + experiments.map(\.name)
  }

  /// The names of documents.
  static var documents: [String] { (try? Lab.library.documents())?.documents.map(\.name) ?? [] }
}
