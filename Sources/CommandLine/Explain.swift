import ArgumentParser
import Laboratory
import Reporting

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show a scenario's lesson, parameters, variants, metrics and claims, or its code.",
    discussion: """
      `gcdlab explain NAME --code` shows the variants' bodies as they were compiled; `--code VARIANT…` shows only those.

      \(examples(("explain \(Lab.example)", "the lesson and the claims"), ("explain \(Lab.example) --code", "the code of all variants"), ("explain mine.yml", "a file of yours")))
      """)

  @Argument(help: "A scenario's name or a .yml file.", completion: .custom { _, _, _ in Completions.scenarios })
  var name: String

  @Flag(help: "Show the code of the variants instead.")
  var code = false

  @Argument(
    help: ArgumentHelp("With --code: only these variants.", valueName: "variant"),
    completion: .custom { words, _, _ in Completions.variants(words) })
  var variants: [String] = []

  @OptionGroup var color: ColorOptions

  func run() throws {
    let experiment = try Lab.library.experiment(name)
    let shown = try chosen(of: experiment)
    try color.print { style in
      code
        ? CodeListing.render(experiment, variants: shown, style) : Explanation.render(experiment, style)
    }
  }

  func validate() throws {
    guard !code, let first = variants.first else { return }
    throw ValidationError("Unexpected argument '\(first)': variants go with --code.")
  }

  private func chosen(of experiment: Experiment) throws(InputError) -> [Variant] {
    var chosen: [Variant] = []
    for name in variants {
      guard let variant = experiment.variant(name) else {
        let known = experiment.variants.map(\.name)
        throw InputError(
          "unknown variant '\(name)' of \(experiment.name) (known: \(known.joined(separator: ", ")))", at: "--code",
          near: name, of: known)
      }
      chosen.append(variant)
    }
    return variants.isEmpty ? experiment.variants : chosen
  }
}
