extension String {
  /// The text as a piece of one line for a terminal: what is no visible character is written out, as in `\n` or
  /// `\u{1b}`.
  ///
  /// For whatever comes from outside, as the names of files: it must not begin a line of its own, move the cursor, or
  /// turn the reading direction, or it could show what the lab never said.
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
  /// Whether it is a control character, ends a line, or turns the reading direction (UAX #9: embeddings, overrides,
  /// isolates).
  public var isHidden: Bool {
    switch value {
    case 0...0x1f, 0x7f...0x9f, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// As it is written in Swift: `\n`, `\u{1b}`.
  public var writtenOut: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
