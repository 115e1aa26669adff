import Exploration
import Laboratory

/// A format in which runs, traces, explorations, diffs, atlases or the sentences of documents are exported and printed.
/// Options, completions and errors use the `formats` of an input. To add a format, implement its rendering and add an
/// element to `formats`.
public struct FileFormat<Input>: Sendable {
  /// The way in which a format renders its input.
  public enum Rendering: Sendable {
    /// Rendering by a function that returns one text. The text can be printed.
    case text(@Sendable (Input) throws -> String)
    /// Rendering by a function that returns the texts of several files, each with the part of the file name before the
    /// extension.
    case files(@Sendable (Input) throws -> [(name: String, text: String)])
  }

  /// The extension of the format's files, without the dot.
  public let fileExtension: String
  /// The way in which the format renders its input.
  public let rendering: Rendering
  /// The largest file, in bytes, that the lab reads in this format; nil if the lab does not read the format.
  public let largestFile: Int?

  /// The name of the format as a value of `--format`, which also accepts the extension.
  public var name: String {
    switch fileExtension {
    case "md": "markdown"
    case "xml": "junit"
    default: fileExtension
    }
  }

  fileprivate init(_ fileExtension: String, _ rendering: Rendering, largestFile: Int? = nil) {
    self.fileExtension = fileExtension
    self.rendering = rendering
    self.largestFile = largestFile
  }

  fileprivate init(_ fileExtension: String, _ render: @escaping @Sendable (Input) throws -> String) {
    self.init(fileExtension, .text(render))
  }
}

/// An input that has formats.
public protocol Exportable {
  /// The formats of the input, in the order in which help lists them.
  static var formats: [FileFormat<Self>] { get }
}

extension ReportInput: Exportable {
  /// Every format of runs, in the order in which help lists them.
  public static let formats: [FileFormat<ReportInput>] = [
    FileFormat("json", .text { try JSONReport.render($0.results) }, largestFile: ResultDocument.largestFile),
    FileFormat("md") { try MarkdownReport.render($0.contents, sentences: $0.sentences()) },
    FileFormat("csv") { CSVReport.render($0.results) },
    FileFormat("hgrm", .files { PercentileReport.distributions($0.results) }),
    FileFormat("xml") { JUnitReport.render($0.results, strict: $0.strict) },
    FileFormat("html") { try HTMLReport.render($0.contents, sentences: $0.sentences()) },
  ]
}

extension Array: Exportable where Element == ExplorationResult {
  /// Every format of explorations, in the order in which help lists them.
  public static var formats: [FileFormat<Self>] {
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

extension DocumentsReport: Exportable {
  /// Every format of the documents' sentences, in the order in which help lists them.
  public static var formats: [FileFormat<Self>] {
    [FileFormat("json") { try $0.json() }, FileFormat("html") { $0.html }, FileFormat("md") { $0.markdown }]
  }
}

extension DiffReport: Exportable {
  /// Every format of diffs, in the order in which help lists them.
  public static var formats: [FileFormat<Self>] {
    [
      FileFormat("json") { try $0.json() }, FileFormat("html") { $0.html }, FileFormat("md") { $0.markdown },
      FileFormat("csv") { $0.csv },
    ]
  }
}

extension Atlas: Exportable {
  /// Every format of atlases, in the order in which help lists them.
  public static var formats: [FileFormat<Self>] {
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

extension TraceSelection: Exportable {
  /// Every format of traces, in the order in which help lists them.
  public static var formats: [FileFormat<Self>] {
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
