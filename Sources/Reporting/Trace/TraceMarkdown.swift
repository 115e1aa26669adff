import Laboratory

/// A format in which traces are exported. A new format is a line in ``all``.
public struct TraceFormat: Sendable {
  /// The extension of the format's files, without the dot.
  public let ending: String
  /// Returns the text of traces. A picture shows only the part between two times, in nanoseconds.
  public let render: @Sendable (_ traces: [Trace], _ from: UInt64?, _ to: UInt64?) -> String

  /// Every format, in the order in which `help` lists them.
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
  /// Returns the pictures of traces as the terminal shows them, with a section for each scenario.
  static func render(_ traces: [Trace], from: UInt64?, to: UInt64?) -> String {
    traces.grouped(by: \.scenario).map { name, traces in
      "## \(escape(name)): traces\n\n\(pictures(traces, from: from, to: to))\n"
    }.joined(separator: "\n")
  }

  /// Returns pictures as a block of code.
  static func pictures(_ traces: [Trace], from: UInt64? = nil, to: UInt64? = nil) -> String {
    guard !traces.isEmpty else { return "" }
    let style = TextStyle(width: 100)
    let text = style.safe(TraceText(style: style, from: from, to: to).render(traces))
    let fence = fence(text, least: 3)
    return "\(fence)text\n\(text)\(fence)"
  }
}
