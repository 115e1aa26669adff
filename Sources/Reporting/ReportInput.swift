/// Runs to render in a format, with the options for rendering.
public struct ReportInput: Sendable {
  /// The runs, each with the content of its report.
  public let contents: [ReportContent]
  /// Whether a refuted performance claim is a failure.
  public let strict: Bool
  /// A closure that returns the sentences of the documents with their standings. The closure returns nil for a single
  /// run, or in a lab without documents.
  public let sentences: @Sendable () throws -> SentenceIndex?

  /// The result documents of the runs.
  public var results: [ResultDocument] { contents.map(\.document) }

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
