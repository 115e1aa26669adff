import Laboratory

/// A listing of the source code of variants for a terminal. Comments are dim, and keywords are bold.
public enum CodeListing {
  /// Returns the source code of the bodies of some variants of `experiment`, each below the name, the role, the source
  /// location and the summary of the variant.
  public static func render(_ experiment: Experiment, variants: [Variant], _ style: TextStyle) -> String {
    variants.map { variant in
      let head = Heading.lines(variant.name, "\(variant.role.rawValue), \(variant.place)", .quiet, style)
        .joined(separator: "\n")
      let says = style.wrapped(variant.summary, .quiet).joined(separator: "\n")
      let code = experiment.code[variant.name].map {
        wrapped($0, style).map { highlighted($0, style) }.joined(separator: "\n")
      }
      return head + "\n" + says + "\n\n"
        + (code ?? SemanticColor.bad("this lab was built without the sources of its patterns", style)) + "\n"
    }.joined(separator: "\n")
  }

  /// Returns lines of code in which long comments are wrapped. An indented comment continues the comment above it, so
  /// both comments are joined before they are wrapped.
  private static func wrapped(_ lines: [String], _ style: TextStyle) -> [String] {
    let (mark, further) = ("// ", "//   ")
    var joined: [String] = []
    for line in lines {
      if line.hasPrefix(further), joined.last?.hasPrefix(mark) == true {
        joined[joined.count - 1] += " " + line.dropFirst(further.count)
      } else {
        joined.append(line)
      }
    }
    return joined.flatMap { line -> [String] in
      let margin = line.prefix { $0 == " " }
      let slashes = line.dropFirst(margin.count).prefix { $0 == "/" }
      guard slashes.count > 1, line.displayWidth > min(style.width, Self.widest) else { return [line] }
      let begin = margin + slashes + " "
      let text = String(line.dropFirst(margin.count + slashes.count))
      let isItem = line.hasPrefix(mark)
      return text.wrapped(to: max(12, min(style.width, Self.widest) - begin.count - (isItem ? 2 : 0))).enumerated().map
      {
        begin + (isItem && $0 > 0 ? "  " : "") + $1
      }
    }
  }

  /// The maximum width of a comment, in columns. Wider lines are hard to read.
  private static let widest = 100

  private static let keywords: Set<String> = [
    "await", "case", "class", "defer", "do", "else", "for", "func", "guard", "if", "in", "let", "nil", "repeat",
    "return", "self", "static", "struct", "switch", "throw", "try", "var", "where", "while",
  ]

  /// Returns a line of code in colour; without colours if `style` has no colour. Each line is highlighted alone, since
  /// no string or comment of a body spans several lines.
  static func highlighted(_ line: String, _ style: TextStyle) -> String {
    let line = line.inLine
    guard style.color else { return line }
    var result = ""
    var rest = line[...]
    while let first = rest.first {
      if rest.hasPrefix("//") {
        result += SemanticColor.quiet(String(rest), style)
        break
      }
      var token: Substring
      if first == "\"" {
        token = rest.prefix(1) + rest.dropFirst().prefix { $0 != "\"" }
        token = rest.prefix(token.count + 1)
        result += SemanticColor.good(String(token), style)
      } else if first.isLetter || first == "_" {
        token = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let word = String(token)
        result += keywords.contains(word) ? SemanticColor.heading(word, style) : word
      } else {
        token = rest.prefix(1)
        result += token
      }
      rest = rest.dropFirst(token.count)
    }
    return result
  }
}
