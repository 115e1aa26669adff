extension String {
  /// The text as part of one line on a terminal. Each hidden character (`isHidden`) is replaced by its escape sequence,
  /// as in `\n` or `\u{1b}`.
  ///
  /// Use this property for all text from outside, such as the names of files. Such text must not start a new line, move
  /// the cursor, or change the reading direction, because it could then imitate the lab's own output.
  public var inLine: String {
    if utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
    var line = ""
    for scalar in unicodeScalars {
      if scalar.isHidden { line += scalar.writtenOut } else { line.unicodeScalars.append(scalar) }
    }
    return line
  }
}

extension Unicode.Scalar {
  /// Whether the character is a control character, separates lines, or changes the reading direction (UAX #9:
  /// embeddings, overrides, isolates).
  public var isHidden: Bool {
    switch value {
    case 0...0x1f, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// The character as an escape sequence of Swift, for example `\n` or `\u{1b}`.
  public var writtenOut: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
