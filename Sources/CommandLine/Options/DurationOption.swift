import ArgumentParser
import Laboratory

extension Duration {
  /// Creates a duration from the text of an option, such as `5s` or `2min`.
  ///
  /// - Parameters:
  ///   - option: the name of the option.
  ///   - text: the text to parse.
  ///   - least: the minimum in nanoseconds. The maximum is 24 h.
  /// - Throws: `ValidationError` if `text` is not a duration in this range. The error names the option, the text and
  ///   the range.
  init(option: String, _ text: String, atLeast least: Int = 1_000_000) throws {
    let range = least...86_400_000_000_000
    if let number = Int(text), number > 0 {
      throw ValidationError("\(option): found '\(text)', which has no unit; did you mean \(number)s?")
    }
    do throws(InputError) {
      let parameter = Parameter(option, .duration(range), default: .integer(range.upperBound), "")
      guard case .integer(let nanoseconds) = try parameter.value(parsing: text) else {
        throw InputError(text, at: option)
      }
      self = .nanoseconds(nanoseconds)
    } catch { throw ValidationError("\(error).") }
  }

  /// Returns the duration of an option in nanoseconds; nil if the option was not given.
  ///
  /// - Throws: `ValidationError` if `text` is not a duration of at least `least` nanoseconds and at most 24 h.
  static func nanoseconds(option: String, _ text: String?, atLeast least: Int = 0) throws -> UInt64? {
    try text.map { try Duration(option: option, $0, atLeast: least).nanoseconds }
  }
}
