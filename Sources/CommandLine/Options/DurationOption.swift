import Laboratory

extension Duration {
  /// A duration as flags take it, 1 ms or another least to 24 h: `5s`, `2min`.
  ///
  /// - Throws: ``InputError`` that names the flag, what was found and what is allowed.
  init(option: String, _ text: String, atLeast least: Int = 1_000_000) throws(InputError) {
    let range = least...86_400_000_000_000
    let parameter = Parameter.duration(option, range, default: range.upperBound, "")
    guard case .integer(let nanoseconds) = try parameter.value(parsing: text) else {
      throw InputError(text, at: option)
    }
    self = .nanoseconds(nanoseconds)
  }
}
