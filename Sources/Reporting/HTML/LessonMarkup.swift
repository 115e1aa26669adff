extension Lesson {
  var markup: Markup { Self.markup(blocks) }

  private static func markup(_ blocks: [Block]) -> Markup { "\(blocks.map(markup))" }

  private static func markup(_ block: Block) -> Markup {
    switch block {
    case .heading(let spans): return "<h3>\(spans.map(markup))</h3>\n"
    case .paragraph(let spans): return "<p>\(spans.map(markup))</p>\n"
    case .code(let lines): return "<pre><code>\(lines.joined(separator: "\n"))</code></pre>\n"
    case .list(let isNumbered, let items):
      let entries = items.map { "<li>\(entry($0))</li>\n" as Markup }
      return isNumbered ? "<ol>\n\(entries)</ol>\n" : "<ul>\n\(entries)</ul>\n"
    }
  }

  /// Returns the HTML of a list item's blocks. A paragraph at the beginning of the item has no element of its own,
  /// since the element would add space between items.
  private static func entry(_ blocks: [Block]) -> Markup {
    guard case .paragraph(let spans)? = blocks.first else { return markup(blocks) }
    return "\(spans.map(markup))\(markup(Array(blocks.dropFirst())))"
  }

  private static func markup(_ span: Span) -> Markup {
    switch span {
    case .plain(let text): "\(text)"
    case .bold(let text): "<strong>\(text)</strong>"
    case .stressed(let text): "<em>\(text)</em>"
    case .code(let text): "<code>\(text)</code>"
    }
  }
}
