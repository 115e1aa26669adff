import ArgumentParser
import Laboratory
import Reporting

struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "List the tested sentences of the documents, how strong each one is, and its verdict on this machine.",
    discussion: """
      A sentence is borne out, refuted, or partly both, by claims that speak for it and against it: one counterexample refutes an \
      'always', rounds of the common case decide a 'usually', one sighting bears out a 'may', and a 'recipe' must work in \
      every trial. A verdict names the scenarios that gave it, and apart from them those that were not run. 'Stand-in': the lab's replacement for something that this system lacks. 'By construction' marks what would hold with \
      any implementation of Dispatch.

      This is the list; `gcdlab explain guide.5` is the page of one sentence.

      The verdicts are those of the last runs on this machine, which `gcdlab scenario` keeps, or of the result documents that \
      --results gives. `gcdlab scenario --all` runs whatever there is. Result documents of several runs or machines \
      (`gcdlab documents a.json b.json`) stand side by side, the sentences on which they disagree first.

      \(examples(("documents", "all documents"), ("documents guide --details", "one, with every claim"), ("documents now", "those on Swift Concurrency"), ("explain guide.5", "a single sentence"), ("documents a.json b.json", "of several machines")))
      """)

  @Argument(
    help: ArgumentHelp(
      "Only these documents, those of then or of now, or sentences by number (guide.5); files are result documents, and of several each has a column.",
      valueName: "document-or-file"),
    completion: .custom { _, _, _ in Completions.documents + Completions.sentences })
  var arguments: [String] = []

  @Option(
    parsing: .upToNextOption, help: ArgumentHelp("Result documents to take the verdicts from.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var results: [String] = []

  @Option(help: "How to print: table, json or markdown.")
  var format: ListFormat = .table

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp("Also write a file, by its extension: .json .html .md (repeatable).", valueName: "file"),
    completion: .file())
  var exports: [String] = []

  @Flag(help: "Also show the claims that bear a sentence out, each with its figures.")
  var details = false

  @OptionGroup var color: ColorOptions

  func run() throws {
    guard let documents = try Lab.library.documents() else { throw InputError("this lab has no documents") }
    let known = documents.eras + documents.documents.map(\.name) + documents.sentences.map(\.id)
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
      guard exports.isEmpty else {
        throw InputError(
          "several result documents have a page of their own: gcdlab report FILE FILE --export atlas.html",
          at: "--export")
      }
      return try compare(paths, names)
    }
    let files = try FileExport.files(exports, in: FileFormat<DocumentsReport>.all)
    let results = results + paths
    var found: [ResultDocument] = []
    for path in results { found += try ResultDocument.read(path) }
    let index =
      results.isEmpty
      ? try Self.lastRuns(documents, only: names)
      : try SentenceIndex(documents, tried: try Lab.library.outlines(), results: found, only: names)
    let report = DocumentsReport(index, of: results)
    let areSentences = !names.isEmpty && names.allSatisfy { documents.sentence($0) != nil }
    try FileExport.write(report, to: files)
    try color.print(asIs: format != .table) { style in
      switch format {
      case .table where areSentences: SentenceReport(index, of: results).text(style)
      case .table: report.text(style, details: details)
      case .json: try report.json()
      case .markdown: report.markdown
      }
    }
  }

  /// Returns the sentences of the documents with the verdicts of the last runs on this machine.
  static func lastRuns(_ documents: Documents, _ runs: [ResultDocument]? = nil, only names: [String]) throws
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

/// The formats in which commands print lists.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, markdown

  init?(argument: String) { self.init(rawValue: argument == "md" ? "markdown" : argument) }
}
