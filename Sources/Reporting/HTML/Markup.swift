import Laboratory

/// HTML text. A value that is interpolated into the text is escaped unless the value is itself HTML text.
struct Markup: ExpressibleByStringInterpolation, CustomStringConvertible {
  let description: String

  init(stringLiteral value: String) { description = value }
  init(stringInterpolation: Interpolation) { description = stringInterpolation.text }

  struct Interpolation: StringInterpolationProtocol {
    var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    /// Appends a value as text: characters with a meaning in HTML are escaped.
    mutating func appendInterpolation(_ value: String) {
      for character in value.unicodeScalars {
        switch character {
        case "&": text += "&amp;"
        case "<": text += "&lt;"
        case ">": text += "&gt;"
        case "\"": text += "&quot;"
        case "'": text += "&#39;"
        case "\n", "\t": text.unicodeScalars.append(character)
        // An invisible character, such as one that reverses the reading direction, could change the text that readers
        // see.
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
