@preconcurrency import Rainbow

/// Colours that colour-blind readers can distinguish: the nearest of the 256 terminal colours to those of Okabe and Ito
/// (https://jfly.uni-koeln.de/color/).
enum Palette {
  /// The numbers of sky blue, orange, bluish green, yellow, reddish purple, vermilion, blue and grey.
  private static let colors: [UInt8] = [117, 214, 36, 227, 176, 202, 33, 250]
  private static let black: UInt8 = 16

  /// Returns text with one of the colours as background. Indices beyond the last colour start again at the first
  /// colour.
  static func on(_ index: Int, _ text: String) -> String {
    string(Rainbow.Segment(text: text, color: .bit8(black), backgroundColor: .bit8(colors[index % colors.count])))
  }

  /// Returns text in one of the colours. Indices beyond the last colour start again at the first colour.
  static func of(_ index: Int, _ text: String) -> String {
    string(Rainbow.Segment(text: text, color: .bit8(colors[index % colors.count])))
  }

  private static func string(_ segment: Rainbow.Segment) -> String {
    _ = SemanticColor.ready
    return Rainbow.generateString(for: Rainbow.Entry(segments: [segment]))
  }

  /// Returns whether the text after an escape character is the code of one of these colours: `[38;5;16;48;5;117m`.
  static func isCode(_ code: String) -> Bool {
    let numbers = code.dropFirst().dropLast().split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    let known = Set((colors + [black]).map(String.init))
    return !numbers.isEmpty && numbers.count % 3 == 0
      && stride(from: 0, to: numbers.count, by: 3).allSatisfy { index in
        ["38", "48"].contains(numbers[index]) && numbers[index + 1] == "5" && known.contains(numbers[index + 2])
      }
  }
}
