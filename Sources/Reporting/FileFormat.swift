import Exploration
import Laboratory

/// A format in which traces, explorations, diffs, atlases or the sentences of documents are exported. To add a format,
/// add an element to the `all` of the format's input.
public struct FileFormat<Input>: Sendable {
  /// The extension of the format's files, without the dot.
  public let fileExtension: String
  /// A closure that returns the content of a file for an input.
  public let render: @Sendable (Input) throws -> String

  fileprivate init(_ fileExtension: String, _ render: @escaping @Sendable (Input) throws -> String) {
    self.fileExtension = fileExtension
    self.render = render
  }
}

extension FileFormat<[ExplorationResult]> {
  /// Every format of explorations, in the order in which help lists them.
  public static var all: [FileFormat] {
    [
      FileFormat("json") { try JSONReport.pretty(ExplorationDocument($0)) },
      FileFormat("html") { ExplorationPage.render($0) },
      FileFormat("txt") { results in
        let style = TextStyle(width: 100)
        return style.safe(ExplorationText(style: style).render(results, steps: true))
      },
    ]
  }
}

extension FileFormat<DocumentsReport> {
  /// Every format of the documents' sentences, in the order in which help lists them.
  public static var all: [FileFormat] {
    [FileFormat("json") { try $0.json() }, FileFormat("html") { $0.html }, FileFormat("md") { $0.markdown }]
  }
}

extension FileFormat<DiffReport> {
  /// Every format of diffs, in the order in which help lists them.
  public static var all: [FileFormat] {
    [
      FileFormat("json") { try $0.json() }, FileFormat("html") { $0.html }, FileFormat("md") { $0.markdown },
      FileFormat("csv") { $0.csv },
    ]
  }
}

extension FileFormat<Atlas> {
  /// Every format of atlases, in the order in which help lists them.
  public static var all: [FileFormat] {
    [
      FileFormat("html") { AtlasPage.render($0) }, FileFormat("md") { $0.markdown },
      FileFormat("json") { try $0.json() },
    ]
  }
}

/// Traces, and the time span that pictures of the traces show.
public struct TraceSelection: Sendable {
  let traces: [Trace]
  let from, to: UInt64?

  /// Creates a selection of traces.
  ///
  /// - Parameters:
  ///   - traces: the traces.
  ///   - from: the beginning of the time span in nanoseconds; nil to begin shortly before the first submission.
  ///   - to: the end of the time span in nanoseconds; nil for the end of each trace, or shortly after the last event of
  ///     a hang.
  public init(_ traces: [Trace], from: UInt64?, to: UInt64?) {
    self.traces = traces
    self.from = from
    self.to = to
  }
}

extension FileFormat<TraceSelection> {
  /// Every format of traces, in the order in which help lists them.
  public static var all: [FileFormat] {
    [
      FileFormat("json") { ChromeTrace.render($0.traces) },
      FileFormat("html") { TracePage.render($0.traces, from: $0.from, to: $0.to) },
      FileFormat("txt") { selection in
        let style = TextStyle(width: 100)
        return style.safe(TraceText(style: style, from: selection.from, to: selection.to).render(selection.traces))
      },
      FileFormat("md") { MarkdownReport.render($0.traces, from: $0.from, to: $0.to) },
    ]
  }
}
