import ArgumentParser
import Laboratory
import Reporting

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Show a scenario's lesson, parameters, variants, metrics and claims, or its code; or a sentence of the documents.",
    discussion: """
      `\(Tool.command) explain NAME --code` shows the bodies of all variants as they were compiled, and `--code VARIANT…` the bodies \
      of some variants. `\(Tool.command) explain guide.5` shows a sentence of the documents: its strength, its verdict on this \
      machine, and the claims for and against it. `\(Tool.command) documents` lists all sentences.

      \(examples(("explain \(Lab.example)", "the lesson and the claims"), ("explain \(Lab.example) --code", "the code of all variants"), ("explain guide.5", "a sentence of the documents"), ("explain mine.yml", "a file of yours")))
      """)

  @Argument(
    help: "A scenario's name, a .yml file, or the number of a sentence.",
    completion: .custom { _, _, _ in Completions.scenarios + Completions.sentences })
  var name: String?

  @Flag(help: "Show the code of the variants instead of the explanation.")
  var code = false

  @Argument(
    help: ArgumentHelp("With --code: only these variants.", valueName: "variant"),
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
    let meanings = code || Lab.library.names.contains(name) ? [] : Legend.meanings(of: name)
    guard meanings.isEmpty else { return try color.print { style in Legend.text(meanings, style) } }
    let experiment = try Lab.library.experiment(name)
    let shown = try chosen(of: experiment)
    try color.print { style in
      code
        ? CodeListing.render(experiment, variants: shown, style) : Explanation.render(experiment, style)
    }
  }

  func validate() throws {
    guard !code, let first = variants.first else { return }
    throw ValidationError("Unexpected argument '\(first)': variants need --code.")
  }

  private func chosen(of experiment: Experiment) throws(InputError) -> [Variant] {
    var chosen: [Variant] = []
    for name in variants {
      guard let variant = experiment.variant(name) else {
        let known = experiment.variants.map(\.name)
        throw .unknown("variant", name, of: experiment.name, at: "--code", known: known)
      }
      chosen.append(variant)
    }
    return variants.isEmpty ? experiment.variants : chosen
  }
}
