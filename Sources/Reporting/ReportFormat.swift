/// A format in which results are printed and exported. `--format`, `--export`, completions and errors use the formats
/// in ``all``. To add a format, implement its rendering and add an element to ``all``.
public struct ReportFormat: Sendable {
  /// The results to render, with the options for rendering.
  public struct Input: Sendable {
    /// The runs, each with the content of its report.
    public let contents: [ReportContent]
    /// Whether a refuted performance claim is a failure.
    public let strict: Bool
    /// A closure that returns the sentences of the documents with their standings. The closure returns nil for a single
    /// run, or in a lab without documents.
    public let sentences: @Sendable () throws -> SentenceIndex?

    /// The result documents of the runs.
    public var documents: [ResultDocument] { contents.map(\.document) }

    /// Creates the input of a format.
    ///
    /// - Parameters:
    ///   - contents: the runs, each with the content of its report.
    ///   - strict: whether a refuted performance claim is a failure.
    ///   - sentences: a closure that returns the sentences of the documents with their standings. The closure returns
    ///     nil for a single run, or in a lab without documents.
    public init(
      _ contents: [ReportContent], strict: Bool = false,
      sentences: @escaping @Sendable () throws -> SentenceIndex? = { nil }
    ) {
      self.contents = contents
      self.strict = strict
      self.sentences = sentences
    }
  }

  /// The way in which a format renders runs.
  public enum Rendering: Sendable {
    /// Rendering by a function that returns one text for all runs. The text can be printed.
    case text(@Sendable (Input) throws -> String)
    /// Rendering by a function that returns the texts of several files, each with the part of the file name before the
    /// extension.
    case files(@Sendable (Input) throws -> [(name: String, text: String)])
  }

  /// The name of the format as a value of `--format`.
  public let name: String
  /// The extension of the files that `--export` writes, without the dot. `--format` also accepts the extension.
  public let fileExtension: String
  /// The way in which the format renders runs.
  public let rendering: Rendering

  private init(_ name: String, _ fileExtension: String, _ rendering: Rendering) {
    self.name = name
    self.fileExtension = fileExtension
    self.rendering = rendering
  }

  /// Every format, in the order in which help lists them.
  public static let all = [
    ReportFormat("json", "json", .text { try JSONReport.render($0.documents) }),
    ReportFormat("markdown", "md", .text { try MarkdownReport.render($0.contents, sentences: $0.sentences()) }),
    ReportFormat("csv", "csv", .text { CSVReport.render($0.documents) }),
    ReportFormat("hgrm", "hgrm", .files { PercentileReport.distributions($0.documents) }),
    ReportFormat("junit", "xml", .text { JUnitReport.render($0.documents, strict: $0.strict) }),
    ReportFormat("html", "html", .text { try HTMLReport.render($0.contents, sentences: $0.sentences()) }),
  ]
}
