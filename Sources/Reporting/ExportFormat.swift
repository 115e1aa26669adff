/// A format that results are printed and exported in. A new one is a file that renders documents or readings, and a
/// line in ``all``: `--format`, `--export`, completions and errors know it from there.
public struct ExportFormat: Sendable {
  /// What is rendered, and how.
  public struct Input: Sendable {
    /// The runs, each with what reports show of it.
    public let readings: [Reading]
    /// Whether a refuted performance claim is a failure.
    public let strict: Bool
    /// The sentences of the documents and where each stands, for several scenarios; nil in a lab without documents.
    public let sentences: @Sendable () throws -> SentenceIndex?

    /// The runs as data alone.
    public var documents: [ResultDocument] { readings.map(\.document) }

    /// Runs that are to be rendered.
    public init(
      _ readings: [Reading], strict: Bool = false, sentences: @escaping @Sendable () throws -> SentenceIndex? = { nil }
    ) {
      self.readings = readings
      self.strict = strict
      self.sentences = sentences
    }
  }

  /// What a format makes of runs.
  public enum Rendering: Sendable {
    /// One text of all runs, which can be printed.
    case text(@Sendable (Input) throws -> String)
    /// Texts for a file each, with a name that goes in front of the extension.
    case files(@Sendable (Input) throws -> [(name: String, text: String)])
  }

  /// The word for it after `--format`.
  public let name: String
  /// The extension of the files that `--export` writes in it, without the dot; `--format` reads it, too.
  public let ending: String
  /// How it is made.
  public let rendering: Rendering

  private init(_ name: String, _ ending: String, _ rendering: Rendering) {
    self.name = name
    self.ending = ending
    self.rendering = rendering
  }

  /// Every format, in the order of `help`.
  public static let all = [
    ExportFormat("json", "json", .text { try JSONReport.render($0.documents) }),
    ExportFormat("markdown", "md", .text { try MarkdownReport.render($0.readings, sentences: $0.sentences()) }),
    ExportFormat("csv", "csv", .text { CSVReport.render($0.documents) }),
    ExportFormat("hgrm", "hgrm", .files { PercentileReport.distributions($0.documents) }),
    ExportFormat("junit", "xml", .text { JUnitReport.render($0.documents, strict: $0.strict) }),
    ExportFormat("html", "html", .text { try HTMLReport.render($0.readings, sentences: $0.sentences()) }),
  ]
}
