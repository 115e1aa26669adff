import ArgumentParser
import Laboratory
import Reporting

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Show a scenario's lesson, parameters, variants, metrics and claims, or its code; or a sentence of the documents.",
    discussion: """
      `\(Tool.command) explain NAME --code` shows the bodies of all variants as they were compiled, and `explain NAME VARIANT…` the \
      bodies of some variants; `explain NAME METRIC` or a parameter explains that word alone. The name of a variant, a metric or a parameter, or a word of the reports such as `yardstick`, \
      is explained as well. `\(Tool.command) explain guide.5` shows a sentence of the documents: its strength, its verdict on this \
      machine, and the claims for and against it. `\(Tool.command) documents` lists all sentences.

      \(examples(("explain \(Lab.example)", "the lesson and the claims"), ("explain \(Lab.example) --code", "the code of all variants"), ("explain guide.5", "a sentence of the documents"), ("explain mine.yml", "a file of yours")))
      """)

  @Argument(
    help: "A scenario's name, a .yml file, the number of a sentence, or a word of a report.",
    completion: .custom { _, _, _ in Completions.scenarios + Completions.sentences })
  var name: String?

  @Flag(help: "Show the code of the variants instead of the explanation.")
  var code = false

  @Argument(
    help: ArgumentHelp("Show the code of these variants alone.", valueName: "variant"),
    completion: .custom { words, _, _ in Completions.variants(words) })
  var variants: [String] = []

  @OptionGroup var color: ColorOptions

  func run() throws {
    guard let name else {
      throw InputError(
        "name a scenario or a sentence of the documents (see \(Tool.command) list and \(Tool.command) documents)")
    }
    if !code, !Lab.library.names.contains(name), let documents = try Lab.library.documents() {
      if documents.sentence(name) != nil {
        let index = try DocumentsCommand.indexOfLastRuns(documents, only: [name])
        return try color.print { SentenceReport(index).text($0) }
      }
      if let slip = documents.slip(inSentence: name) { throw slip }
    }
    let isWord = !code && !Lab.library.names.contains(name) && !name.contains { "./".contains($0) }
    if isWord {
      // Words such as `best mean` need no quotation marks.
      let phrase = ([name] + variants).joined(separator: " ")
      let declarations = try declarations(of: Lab.library.all())
      let meanings = Legend.meanings(of: phrase) + text(declarations.filter { $0.name == phrase })
      guard meanings.isEmpty else { return try color.print { style in Legend.text(meanings, style) } }
      throw unknown(phrase, declarations)
    }
    let experiment = try Lab.library.experiment(name)
    let words = declarations(of: [experiment]).filter { $0.kind != "variant" && variants.contains($0.name) }
    // A variant and a parameter can have the same name. With --code, the variant is meant.
    if !code, !words.isEmpty, Set(words.map(\.name)).isSuperset(of: variants) {
      return try color.print { style in Legend.text(text(words), style) }
    }
    let shown = try chosen(of: experiment)
    try color.print { style in
      code || !variants.isEmpty
        ? CodeListing.render(experiment, variants: shown, style) : Explanation.render(experiment, style)
    }
  }

  /// Returns the error for a phrase that `explain` does not know. The error names the scenarios that mention the
  /// phrase, or the nearest name.
  private func unknown(_ phrase: String, _ declarations: [Declared]) -> InputError {
    let names = Lab.library.names + Legend.words + declarations.map(\.name).distinct
    let mentions = variants.isEmpty ? Lab.library.scenarios(mentioning: phrase) : []
    let known = "\(Tool.command) list has the scenarios, \(Tool.command) documents the sentences"
    return InputError(
      "'\(phrase)' is neither a scenario\(variants.isEmpty ? "" : " with a variant") nor a word of the reports",
      near: mentions.isEmpty ? phrase : "", of: names,
      listing: .text(
        !mentions.isEmpty
          ? "mentioned by \(mentions.abridged(to: Self.mostScenarios))" : names.nearest(to: phrase) == nil ? known : "")
    )
  }

  /// A variant, a metric or a parameter of a scenario.
  private typealias Declared = (kind: String, name: String, says: String, scenario: String)

  /// Returns the variants, metrics and parameters of some scenarios.
  private func declarations(of experiments: [Experiment]) -> [Declared] {
    experiments.flatMap { experiment -> [Declared] in
      let pattern = experiment.pattern
      let variants = experiment.variants.map { ("variant", $0.name, $0.summary) }
      let metrics = (pattern.metrics + Metric.costs).map { ("metric", $0.name, $0.summary) }
      let parameters = pattern.settable.map { ("parameter", $0.name, $0.summary) }
      return (variants + metrics + parameters).map { ($0.0, $0.1, $0.2, experiment.name) }
    }
  }

  /// Returns a line for each meaning of `declared`, with the names of its scenarios.
  private func text(_ declared: [Declared]) -> [String] {
    declared.grouped { "\($0.kind): \($0.says)" }.map { _, all in
      let first = all[0]
      let scenarios = all.map(\.scenario).abridged(to: Self.mostScenarios)
      let code =
        first.kind == "variant" ? "; \(Tool.command) explain \(first.scenario) \(first.name) shows its code" : ""
      return "\(first.name), a \(first.kind) of \(scenarios): \(first.says)\(code)"
    }
  }

  /// The maximum number of scenarios that an explanation of a word names.
  private static let mostScenarios = 5

  private func chosen(of experiment: Experiment) throws(InputError) -> [Variant] {
    var chosen: [Variant] = []
    for name in variants {
      guard let variant = experiment.variant(name) else {
        let known = experiment.variants.map(\.name)
        throw .unknown("variant", name, of: experiment.name, known: known)
      }
      chosen.append(variant)
    }
    return variants.isEmpty ? experiment.variants : chosen
  }
}
