import ArgumentParser
import Laboratory
import Reporting

struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "List the tested sentences of the documents, how strong each one is, and its verdict on this machine.",
    discussion: """
      Claims for and against a sentence bear the sentence out or refute it, or both in part. One counterexample refutes an \
      'always', rounds of the common case decide a 'usually', one observation bears out a 'may', and a 'recipe' must work \
      in every trial. A verdict names the scenarios that decided it, and separately the scenarios that were not run. \
      'Stand-in' marks the lab's replacement for a feature that this system lacks. 'By construction' marks a sentence that \
      holds with any implementation of Dispatch.

      This command lists the sentences. `\(Tool.command) explain guide.5` shows one sentence in full.

      The verdicts are from the last runs on this machine, which `\(Tool.command) scenario` stores, or from the result documents \
      after --results. `\(Tool.command) scenario --all` runs all scenarios. The result documents of several runs or machines \
      (`\(Tool.command) documents a.json b.json`) are shown side by side, and begin with the sentences on which they disagree.

      \(examples(("documents", "all documents"), ("documents guide --details", "one, with every claim"), ("documents now", "those on Swift Concurrency"), ("documents refuted", "the refuted sentences"), ("explain guide.5", "a single sentence"), ("documents a.json b.json", "of several machines")))
      """)

  @Argument(
    help: ArgumentHelp(
      "Only these documents, the documents of an era (then, now), sentences by number (guide.5), or sentences with a verdict (refuted, borne-out, not-run). Files are result documents; each of several files has a column.",
      valueName: "document-or-file"),
    completion: .custom { _, _, _ in Completions.documents + Completions.sentences + SentenceIndex.standings })
  var arguments: [String] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("The result documents that contain the verdicts.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var results: [String] = []

  @Option(help: "How to print: table, json or markdown.")
  var format: ListFormat = .table

  @OptionGroup var exports: ExportOptions<DocumentsReport>

  @Flag(help: "Also show the claims that bear a sentence out, and the figures of each claim.")
  var details = false

  @OptionGroup var color: ColorOptions

  func run() throws {
    guard let documents = try Lab.library.documents() else { throw InputError("this lab has no documents") }
    let known =
      documents.eras + documents.documents.map(\.name) + documents.sentences.map(\.id) + SentenceIndex.standings
    for name in arguments where !known.contains(name) {
      if let slip = documents.slip(inSentence: name) { throw slip }
    }
    // A path contains a slash or a dot. Any other unknown word is a misspelt name of a document.
    let paths = arguments.filter { !known.contains($0) && $0.contains { $0 == "/" || $0 == "." } }
    let names = arguments.filter { !paths.contains($0) }
    if !paths.isEmpty, !results.isEmpty {
      throw InputError("--results: give result documents either before this option or after it")
    }
    if paths.count > 1 {
      guard exports.paths.isEmpty else {
        throw InputError(
          "several result documents have a page of their own: \(Tool.command) report FILE FILE --export atlas.html",
          at: "--export")
      }
      if let standing = names.first(where: SentenceIndex.standings.contains) {
        throw InputError("several result documents are compared in all verdicts: leave out '\(standing)'")
      }
      return try compare(paths, names)
    }
    let files = try exports.files()
    let results = results + paths
    var found: [ResultDocument] = []
    for path in results { found += try Lab.results(at: path) }
    let index =
      results.isEmpty
      ? try Self.indexOfLastRuns(documents, only: names)
      : try SentenceIndex(documents, tried: try Lab.library.outlines(), results: found, only: names)
    let report = DocumentsReport(index, of: results)
    let areSentences = !names.isEmpty && names.allSatisfy { documents.sentence($0) != nil }
    try Lab.throwAll(FileExport.write(report, to: files))
    try color.print(asIs: format != .table) { style in
      switch format {
      case .table where areSentences: SentenceReport(index, of: results).text(style)
      case .table: report.text(style, details: details)
      case .json: try report.json()
      case .markdown: report.markdown
      }
    }
  }

  /// Returns the sentences of the documents with the verdicts of the last runs on this machine. If `runs` is nil, the
  /// runs are read from the archive.
  static func indexOfLastRuns(_ documents: SourceDocuments, _ runs: [ResultDocument]? = nil, only names: [String])
    throws
    -> SentenceIndex
  {
    let machine = Machine.unmeasured()
    return try SentenceIndex(
      documents, tried: try Lab.library.outlines(), results: runs ?? Archive.ofUser?.verdicts(on: machine) ?? [],
      on: machine, only: names)
  }

  /// Prints the sentences with the verdicts of several machines.
  private func compare(_ paths: [String], _ names: [String]) throws {
    let atlas = try Lab.atlas(of: paths, only: names)
    try color.print(asIs: format != .table) { style in
      switch format {
      case .table: AtlasText(atlas, style).sentences
      case .json: try atlas.json()
      case .markdown: atlas.sentencesMarkdown
      }
    }
  }
}
