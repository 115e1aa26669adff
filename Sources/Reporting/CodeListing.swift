import Laboratory
import Platform

/// The code of variants as it was compiled, for a terminal: comments quiet, names of the language strong.
public enum CodeListing {
  /// The bodies of some variants of `experiment`, each under its name and the place in its source.
  public static func render(_ experiment: Experiment, variants: [Variant], _ style: TextStyle) -> String {
    variants.map { variant in
      let head = Ink.name(variant.name, style) + Ink.quiet("  \(variant.role.rawValue), \(variant.place)", style)
      let says = variant.summary.wrapped(to: max(20, style.width)).map { Ink.quiet($0, style) }.joined(separator: "\n")
      let code = experiment.code[variant.name].map { $0.map { highlighted($0, style) }.joined(separator: "\n") }
      return head + "\n" + says + "\n\n"
        + (code ?? Ink.bad("this lab was built without the sources of its patterns", style)) + "\n"
    }.joined(separator: "\n")
  }

  private static let keywords: Set<String> = [
    "await", "case", "class", "defer", "do", "else", "for", "func", "guard", "if", "in", "let", "nil", "repeat",
    "return", "self", "static", "struct", "switch", "throw", "try", "var", "where", "while",
  ]

  /// One line in colour. A line knows nothing of those before it: strings and comments of several lines do not occur in
  /// bodies.
  static func highlighted(_ line: String, _ style: TextStyle) -> String {
    let line = line.inLine
    guard style.color else { return line }
    var result = ""
    var rest = line[...]
    while let first = rest.first {
      if rest.hasPrefix("//") {
        result += Ink.quiet(String(rest), style)
        break
      }
      var token: Substring
      if first == "\"" {
        token = rest.prefix(1) + rest.dropFirst().prefix { $0 != "\"" }
        token = rest.prefix(token.count + 1)
        result += Ink.good(String(token), style)
      } else if first.isLetter || first == "_" {
        token = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let word = String(token)
        result += keywords.contains(word) ? Ink.heading(word, style) : word
      } else {
        token = rest.prefix(1)
        result += token
      }
      rest = rest.dropFirst(token.count)
    }
    return result
  }
}
