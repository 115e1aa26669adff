import Laboratory

extension MarkdownReport {
  /// Returns the traces as Markdown, with a section for each scenario. The pictures are those of ``TraceText``.
  static func render(_ traces: [Trace], from: UInt64?, to: UInt64?) -> String {
    traces.grouped(by: \.scenario).map { name, traces in
      "## \(escape(name)): traces\n\n\(pictures(traces, from: from, to: to))\n"
    }.joined(separator: "\n")
  }

  /// Returns the pictures of some traces as a Markdown code block; an empty string if there are no traces.
  static func pictures(_ traces: [Trace], from: UInt64? = nil, to: UInt64? = nil) -> String {
    guard !traces.isEmpty else { return "" }
    let style = TextStyle(width: 100)
    let text = style.safe(TraceText(style: style, from: from, to: to).render(traces))
    let fence = fence(text, least: 3)
    return "\(fence)text\n\(text)\(fence)"
  }
}
