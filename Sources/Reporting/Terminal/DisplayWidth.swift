import Laboratory
import Measurement

extension String {
  /// The number of terminal cells that the text occupies: two for each East Asian wide character or emoji, and zero for
  /// each combining mark.
  public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// Returns the beginning of the text, in at most `cells` terminal cells. A shortened text ends with an ellipsis.
  func clipped(to cells: Int, _ style: TextStyle) -> String {
    let line = inLine
    guard line.displayWidth > cells else { return line }
    let ellipsis = style.sign("…", "~")
    var kept = ""
    var used = 0
    for character in line {
      guard used + character.displayWidth <= cells - 1 else { break }
      kept.append(character)
      used += character.displayWidth
    }
    return cells > 0 ? kept + ellipsis : ""
  }

  /// Returns the text in at most `cells` terminal cells, shortened in its middle. The end of the text remains, since
  /// the labels of points differ in their ends.
  func shortened(to cells: Int, _ style: TextStyle) -> String {
    let line = inLine
    guard line.displayWidth > cells, cells > 2 else { return line.clipped(to: cells, style) }
    var end = ""
    for character in line.reversed() {
      guard end.displayWidth + character.displayWidth <= cells / 2 else { break }
      end.insert(character, at: end.startIndex)
    }
    return line.clipped(to: cells - end.displayWidth, style) + end
  }

  /// Returns the text padded with spaces to `cells` terminal cells. A longer text is unchanged.
  func padded(to cells: Int) -> String {
    let line = inLine
    return line + String(repeating: " ", count: max(0, cells - line.displayWidth))
  }

  /// Returns the text without the longest suffix whose characters satisfy a condition.
  func droppingLast(while condition: (Character) -> Bool) -> String {
    String(prefix(upTo: lastIndex { !condition($0) }.map(index(after:)) ?? startIndex))
  }

  /// The text without trailing spaces.
  var trimmed: String { droppingLast { $0 == " " } }

  /// Returns the lines of the text, wrapped between words to at most `cells` terminal cells. A number and its unit stay
  /// on the same line. A word that is wider than `cells` has a line of its own.
  public func wrapped(to cells: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in inseparable {
      if line.isEmpty {
        line = word
      } else if line.displayWidth + 1 + word.displayWidth <= cells {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    return lines + [line]
  }

  /// The words of the text, of which a number and its unit are one.
  private var inseparable: [String] {
    split { $0 == " " || $0.isNewline }.reduce(into: []) { words, word in
      let isUnit = Quantity.isUnit(word.prefix { $0.isLetter || "/%".contains($0) })
      if isUnit, let last = words.indices.last, words[last].last?.isNumber == true {
        words[last] += " " + String(word).inLine
      } else {
        words.append(String(word).inLine)
      }
    }
  }
}

extension Character {
  /// The number of terminal cells that the character occupies. Ranges of characters approximate Unicode's East Asian
  /// Width (UAX #11).
  var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isASCII { return first.value < 0x20 || first.value == 0x7f ? 0 : 1 }
    if first.properties.isEmojiPresentation { return 2 }
    // An emoji that is a text character by default is wide with a variation selector.
    if unicodeScalars.contains(where: { $0.value == 0xfe0f }), first.properties.isEmoji { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch first.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
      0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe4f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
