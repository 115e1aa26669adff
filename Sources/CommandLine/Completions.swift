import Laboratory
import Platform

/// The completions that a shell offers, based on the scenario in the words of the command line.
enum Completions {
  /// Returns the scenario of the first word that names a scenario or a scenario file; nil if there is no such word, or
  /// if the file is not valid.
  private static func experiment(_ words: [String]) -> Experiment? {
    let names = Lab.library.names
    return words.first { names.contains($0) || $0.isScenarioFile }.flatMap { try? Lab.library.experiment($0) }
  }

  /// Returns `name=` for each parameter. If the word starts with the whole name of a parameter and `=`, returns
  /// `name=value` for the values that the pattern and the scenario list. The result is empty if the words name no
  /// scenario, or if the name before `=` is not that of a parameter.
  static func settings(_ words: [String], _ word: String) -> [String] {
    guard let experiment = experiment(words) else { return [] }
    let parameters = experiment.pattern.settable
    let word = word.hasPrefix("--set=") ? String(word.dropFirst("--set=".count)) : word
    guard let equals = word.firstIndex(of: "=") else { return parameters.map { $0.name + "=" } }
    guard let parameter = parameters.first(where: { $0.name == word[..<equals] }) else { return [] }
    let values: [ParameterValue]
    if case .choice(let choices) = parameter.kind {
      values = choices.map(ParameterValue.text)
    } else {
      let swept = experiment.sweep.first { $0.name == parameter.name }?.values ?? []
      let set = [experiment.parameters[parameter.name], parameter.standard, experiment.quick[parameter.name]]
      values = set.compactMap(\.self) + swept
    }
    var texts: [String] = []
    for value in values {
      let text = parameter.describe(value).replacing(" ", with: "")
      if !texts.contains(text) { texts.append(text) }
    }
    return texts.map { "\(parameter.name)=\($0)" }
  }

  /// Returns the names of the scenario's variants; an empty array if the words name no scenario.
  static func variants(_ words: [String]) -> [String] { experiment(words)?.variants.map(\.name) ?? [] }

  /// Returns the names of the scenario's metrics; an empty array if the words name no scenario.
  static func metrics(_ words: [String]) -> [String] {
    experiment(words).map { ($0.pattern.metrics + Metric.costs).map(\.name) } ?? []
  }

  /// The names of scenarios, and the scenario files of the working directory.
  static var scenarios: [String] {
    Lab.library.names + (namesInDirectory(".") ?? []).filter(\.isScenarioFile).sorted()
  }

  /// The tags of all scenarios, without duplicates and in alphabetical order.
  static var tags: [String] { Set(((try? Lab.library.outlines(withClaims: false)) ?? []).flatMap(\.tags)).sorted() }

  /// The identifiers of the documents' sentences, such as `guide.5`.
  static var sentences: [String] { (try? Lab.library.documents())?.sentences.map(\.id) ?? [] }

  /// The names of the documents and of their eras.
  static var documents: [String] { (try? Lab.library.documents()).map { $0.eras + $0.documents.map(\.name) } ?? [] }
}
