import Laboratory

/// A format that traces are exported in. A new one is a line in ``all``.
public struct TraceFormat: Sendable {
  /// The extension of its files, without the dot.
  public let ending: String
  /// The text of some traces; of a picture's, what lies between two times in nanoseconds.
  public let render: @Sendable (_ traces: [Trace], _ from: UInt64?, _ to: UInt64?) -> String

  /// Every format, in the order of `help`.
  public static let all = [
    TraceFormat(ending: "json") { traces, _, _ in ChromeTrace.render(traces) },
    TraceFormat(ending: "html") { traces, from, to in TracePage.render(traces, from: from, to: to) },
    TraceFormat(ending: "txt") { traces, from, to in
      let style = TextStyle(width: 100)
      return style.safe(TraceText(style: style, from: from, to: to).render(traces))
    },
    TraceFormat(ending: "md") { traces, from, to in MarkdownReport.render(traces, from: from, to: to) },
  ]
}

extension MarkdownReport {
  /// The pictures of some traces, as the terminal shows them: a section a scenario.
  static func render(_ traces: [Trace], from: UInt64?, to: UInt64?) -> String {
    traces.grouped(by: \.scenario).map { name, traces in
      "## \(escape(name)): traces\n\n\(pictures(traces, from: from, to: to))\n"
    }.joined(separator: "\n")
  }

  /// Pictures as a block of code.
  static func pictures(_ traces: [Trace], from: UInt64? = nil, to: UInt64? = nil) -> String {
    let style = TextStyle(width: 100)
    let text = style.safe(TraceText(style: style, from: from, to: to).render(traces))
    // No line of the text can end a fence that is longer than any in it.
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "\(fence)text\n\(text)\(fence)"
  }
}
