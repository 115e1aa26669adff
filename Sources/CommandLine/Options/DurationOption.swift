import ArgumentParser
import Laboratory

extension Duration {
  /// Parses a duration of a flag, from 1 ms or another minimum to 24 h: `5s`, `2min`.
  ///
  /// - Throws: `ValidationError`, which names the flag, what was found and what is allowed.
  init(option: String, _ text: String, atLeast least: Int = 1_000_000) throws {
    let range = least...86_400_000_000_000
    if let number = Int(text), number > 0, least >= 1_000_000 {
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

  /// Returns the value of a flag in nanoseconds; nil if the flag was not given.
  ///
  /// - Throws: `ValidationError` as the initializer does.
  static func nanoseconds(option: String, _ text: String?, atLeast least: Int = 0) throws -> UInt64? {
    try text.map { try Duration(option: option, $0, atLeast: least).nanoseconds }
  }
}
