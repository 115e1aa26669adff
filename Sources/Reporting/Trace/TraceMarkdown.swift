import Laboratory

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
