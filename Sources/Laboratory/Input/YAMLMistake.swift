/// Descriptions of mistakes in a YAML file, in the terms of the file. The parser's own descriptions use the terms of
/// the parser.
enum YAMLMistake {
  /// Returns a description of a problem and of its correction, followed by the parser's own description `problem`;
  /// returns only `problem` if the correction is unknown. The parser found the problem on `line`, from 1.
  static func words(_ problem: String, _ yaml: String, _ line: Int) -> String {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    // The parser reports some problems on the line after the line that causes them.
    let near = [line - 1, line - 2].filter(lines.indices.contains).map { lines[$0] }
    guard let advice = advice(problem, near) else { return problem }
    return "\(advice) (\(problem))"
  }

  private static func advice(_ problem: String, _ near: [Substring]) -> String? {
    if near.contains(where: { $0.prefix(while: \.isWhitespace).contains("\t") }) {
      return "a line begins with a tab: indent with spaces"
    }
    if problem.contains("mapping values are not allowed") {
      return "a text has ': ' in it: put it in quotes, as in title: \"A: b\""
    }
    if problem.contains("cannot start any token") {
      return "a text begins with a sign of YAML's own (@ ` %), or a '{' or '[' is not closed: put the text in quotes"
    }
    if problem.contains("unexpected end of stream") || problem.contains("unexpected document indicator") {
      return "a quote is not closed"
    }
    if problem.contains("',' or ']'") { return "a list is not closed: each '[' needs a ']', with ',' between" }
    if problem.contains("',' or '}'") { return "a mapping is not closed: each '{' needs a '}', with ',' between" }
    if problem.contains("could not find expected ':'") {
      return "a key has no ':' after it; a text of several lines begins with '|' after its key"
    }
    if problem.contains("did not find expected") {
      return "a line is not indented like those it belongs to, or a quoted text is followed by other text"
    }
    return nil
  }
}
