import Platform

/// Text that is HTML already: it is written as it is, and everything else is escaped on its way in.
struct Markup: ExpressibleByStringInterpolation, CustomStringConvertible {
  let description: String

  init(stringLiteral value: String) { description = value }
  init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  struct Interpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    /// Escaped: whatever it holds, it stays text.
    mutating func appendInterpolation(_ value: String) {
      for character in value.unicodeScalars {
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        case "\n", "\t": text.unicodeScalars.append(character)
        // What turns the reading direction, too, would show what the lab never said.
        default: if character.isHidden { text += character.writtenOut } else { text.unicodeScalars.append(character) }
        }
      }
    }
    mutating func appendInterpolation(_ value: Int) { text += String(value) }
    mutating func appendInterpolation(_ value: Markup) { text += value.description }
    mutating func appendInterpolation(_ values: [Markup]) { for value in values { text += value.description } }
  }

  static func + (left: Markup, right: Markup) -> Markup { "\(left)\(right)" }
}
